"""Detects a blocked event loop: how long it was blocked, and which routes were active."""

import logging
import time
from collections.abc import Collection
from typing import Protocol

log = logging.getLogger("teamspace.loop")


class ActiveRequest(Protocol):
    """A request in progress."""

    route: str


class Watchdog:
    LOG_SECONDS = 0.25
    """Seconds the loop can be blocked before that is logged."""
    WINDOW_MINUTES = 5

    def __init__(self, active: Collection[ActiveRequest] = ()) -> None:
        """`active` are the requests in progress, at any time."""
        self._active = active
        self._ended: set[str] = set()
        """Routes that finished since the last tick: one of them may have blocked the loop."""
        self._by_minute: dict[int, float] = {}

    def end(self, route: str) -> None:
        """Note that a request ended."""
        self._ended.add(route)

    def record_delay(self, late: float) -> None:
        """Record that a timer of the loop fired `late` seconds after it was due."""
        minute = self._minute()
        self._by_minute[minute] = max(late, self._by_minute.get(minute, 0.0))
        if len(self._by_minute) > self.WINDOW_MINUTES:
            del self._by_minute[min(self._by_minute)]
        if late > self.LOG_SECONDS:
            routes = {request.route for request in self._active} | self._ended
            log.warning(
                "the event loop was blocked for %d ms; active routes: %s", late * 1000, " ".join(sorted(routes)) or "-"
            )
        self._ended.clear()

    @property
    def longest_block(self) -> float:
        """The longest block of the last few minutes, in seconds."""
        first = self._minute() - self.WINDOW_MINUTES
        return max((held for minute, held in self._by_minute.items() if minute > first), default=0.0)

    def _minute(self) -> int:
        return int(time.monotonic() // 60)
