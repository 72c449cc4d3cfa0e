"""Text documents: Markdown with a title, kept in the repository, a version each save."""

from teamspace.documents.domain import create, has
from teamspace.documents.schemas import NewDocument

__all__ = ["NewDocument", "create", "has"]
