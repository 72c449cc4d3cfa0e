"""Who runs model work besides the server: executors, and the protocol of their workers."""

from teamspace.executors.domain.placing import Placing
from teamspace.executors.domain.workers import Presence
from teamspace.executors.store import INVARIANTS

__all__ = ["INVARIANTS", "Placing", "Presence"]
