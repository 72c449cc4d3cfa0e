"""Who runs model work besides the server: executors, those it calls and those whose workers claim."""

from teamspace.executors.domain.fleet import Fleet
from teamspace.executors.domain.placing import Placing
from teamspace.executors.domain.presence import Presence
from teamspace.executors.domain.stranded import place_again
from teamspace.executors.store import INVARIANTS, SEALED

__all__ = ["INVARIANTS", "SEALED", "Fleet", "Placing", "Presence", "place_again"]
