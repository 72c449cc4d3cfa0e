"""Notes: short texts that belong to a person and a team."""

from teamspace.notes.access import SUBJECTS, shared_fence
from teamspace.notes.domain import (
    create,
    find,
    list_trashed,
    listing,
    purge,
    purge_expired,
    read_fence,
    restore,
    write_fence,
)
from teamspace.notes.schemas import NewNote, Note, NoteQuery, TrashedNote
from teamspace.notes.store import COUNTS, INVARIANTS, OWNED_TABLES

__all__ = [
    "COUNTS",
    "INVARIANTS",
    "OWNED_TABLES",
    "SUBJECTS",
    "NewNote",
    "Note",
    "NoteQuery",
    "TrashedNote",
    "create",
    "find",
    "list_trashed",
    "listing",
    "purge",
    "purge_expired",
    "read_fence",
    "restore",
    "shared_fence",
    "write_fence",
]
