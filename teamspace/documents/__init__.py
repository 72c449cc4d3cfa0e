"""Text documents: Markdown with a title, stored in the repository with a version per save."""

from teamspace.documents.domain import create, exists, listing
from teamspace.documents.schemas import DocumentsQuery, NewDocument

__all__ = ["DocumentsQuery", "NewDocument", "create", "exists", "listing"]
