"""Presence: who has a note, a document, a file, a conversation or a run open now, and who is editing it."""

from teamspace.presence.access import SUBJECTS
from teamspace.presence.domain import tidy
from teamspace.presence.store import TRANSIENT

__all__ = ["SUBJECTS", "TRANSIENT", "tidy"]
