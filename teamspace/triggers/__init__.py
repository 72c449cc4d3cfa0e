"""Upload triggers: runs that begin when a version is written."""

from teamspace.triggers.access import SUBJECTS
from teamspace.triggers.domain.listing import tidy
from teamspace.triggers.store import INVARIANTS

__all__ = ["INVARIANTS", "SUBJECTS", "tidy"]
