"""What people have starred, and what they opened last."""

from teamspace.favourites.store import INVARIANTS

__all__ = ["INVARIANTS"]
