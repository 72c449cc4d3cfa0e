"""Presence: who has a note, a document or a file open now, and who is editing it."""

from teamspace.presence.access import SUBJECTS
from teamspace.presence.domain import tidy
from teamspace.presence.store import TRANSIENT

__all__ = ["SUBJECTS", "TRANSIENT", "tidy"]
