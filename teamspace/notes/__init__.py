"""Notes: short texts that belong to a person and a team, and are seen by those whom the fence admits."""

from teamspace.notes.store import INVARIANTS

__all__ = ["INVARIANTS"]
