"""The trash: notes, documents and files that were deleted, and can be restored for a while."""

from teamspace.trash.domain import tidy

__all__ = ["tidy"]
