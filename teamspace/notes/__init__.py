"""Notes: short texts that belong to a person and a team."""

from teamspace.notes.access import SUBJECTS
from teamspace.notes.domain import create, find, listing, read_fence
from teamspace.notes.schemas import NewNote, Note, NoteQuery
from teamspace.notes.store import COUNTS, INVARIANTS, OWNED_TABLES

__all__ = [
    "COUNTS",
    "INVARIANTS",
    "OWNED_TABLES",
    "SUBJECTS",
    "NewNote",
    "Note",
    "NoteQuery",
    "create",
    "find",
    "listing",
    "read_fence",
]
