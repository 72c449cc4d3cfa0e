"""Text documents: Markdown with a title, stored in the repository with a version per save."""

from teamspace.documents.domain import create, exists
from teamspace.documents.schemas import NewDocument

__all__ = ["NewDocument", "create", "exists"]
