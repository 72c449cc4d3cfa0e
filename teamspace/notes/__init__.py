"""Notes: short texts that belong to a person and a team, and are seen by those whom the fence admits."""

from teamspace.notes.domain import create, listing, readable
from teamspace.notes.schemas import NewNote, NoteQuery
from teamspace.notes.store import COUNTS, INVARIANTS, OWNED

__all__ = ["COUNTS", "INVARIANTS", "OWNED", "NewNote", "NoteQuery", "create", "listing", "readable"]
