"""A watch over the event loop: the longest time that anything held it, and the routes that were underway then."""

import logging
import time
from typing import Protocol

log = logging.getLogger("teamspace.loop")


class Underway(Protocol):
    """A request that is being answered."""

    route: str


class Watchdog:
    LOGGED = 0.25
    """Seconds the loop may be held before it is logged."""
    WINDOW_MINUTES = 5

    def __init__(self) -> None:
        self._underway: set[Underway] = set()
        self._ended: set[str] = set()
        """Routes answered since the last tick: what held the loop may have come to its end by then."""
        self._by_minute: dict[int, float] = {}

    def begin(self, request: Underway) -> None:
        self._underway.add(request)

    def end(self, request: Underway) -> None:
        self._underway.discard(request)
        self._ended.add(request.route)

    def ticked(self, late: float) -> None:
        """A timer of the loop came `late` seconds after it was due."""
        minute = self._minute()
        self._by_minute[minute] = max(late, self._by_minute.get(minute, 0.0))
        if len(self._by_minute) > self.WINDOW_MINUTES:
            del self._by_minute[min(self._by_minute)]
        if late > self.LOGGED:
            routes = {request.route for request in self._underway} | self._ended
            log.warning("the event loop was held for %d ms; underway: %s", late * 1000, " ".join(sorted(routes)) or "-")
        self._ended.clear()

    @property
    def longest(self) -> float:
        """Seconds, within the last few minutes."""
        first = self._minute() - self.WINDOW_MINUTES
        return max((held for minute, held in self._by_minute.items() if minute > first), default=0.0)

    def _minute(self) -> int:
        return int(time.monotonic() // 60)
