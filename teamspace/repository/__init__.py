"""The repository: objects by key with all their versions, and the one rule of who may touch them."""

from teamspace.repository.domain.finding import as_of, documents, held, permissions, readable, seen, text_of
from teamspace.repository.domain.writing import Uploads, add_version, delete, free_keys, put
from teamspace.repository.schemas import MARKDOWN, Condition, ObjectRow, ObjectWritten, Visibility, Work
from teamspace.repository.store import COUNTS, INVARIANTS, KEPT

__all__ = [
    "COUNTS",
    "INVARIANTS",
    "KEPT",
    "MARKDOWN",
    "Condition",
    "ObjectRow",
    "ObjectWritten",
    "Uploads",
    "Visibility",
    "Work",
    "add_version",
    "as_of",
    "delete",
    "documents",
    "free_keys",
    "held",
    "permissions",
    "put",
    "readable",
    "seen",
    "text_of",
]
