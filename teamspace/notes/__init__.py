"""Notes: short texts that belong to a person and a team."""

from teamspace.notes.access import SUBJECTS
from teamspace.notes.domain import create, listing, read_fence
from teamspace.notes.schemas import NewNote, NoteQuery
from teamspace.notes.store import COUNTS, INVARIANTS, OWNED_TABLES

__all__ = [
    "COUNTS",
    "INVARIANTS",
    "OWNED_TABLES",
    "SUBJECTS",
    "NewNote",
    "NoteQuery",
    "create",
    "listing",
    "read_fence",
]
