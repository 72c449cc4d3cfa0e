"""Which requests begin when: a few in each iteration of the event loop, in the order in which they came.

If all that have arrived began at once, they would be one long iteration, and whatever comes next would wait for its end,
however urgent it is. Here a request to the monitor's address waits for a few others, not for all.
"""

import asyncio
from collections import deque
from collections.abc import Callable

Start = Callable[[float], None]
"""Begins a request that has waited for so many seconds."""


class StartQueue:
    def __init__(self, per_iteration: int) -> None:
        self._limit = per_iteration
        self._started = 0
        """In this iteration."""
        self._waiting: deque[tuple[float, Start]] = deque()
        """When each arrived, and how it begins."""

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, start: Start, *, urgent: bool) -> None:
        """Begin a request now, or when it is its turn; now if it is urgent."""
        if urgent:
            start(0.0)
        elif self._waiting or self._started >= self._limit:
            self._waiting.append((asyncio.get_running_loop().time(), start))
        else:
            self._begin(start, 0.0)

    def _begin(self, start: Start, waited: float) -> None:
        if not self._started:
            asyncio.get_running_loop().call_soon(self._continue)
        self._started += 1
        start(waited)

    def _continue(self) -> None:
        self._started = 0
        now = asyncio.get_running_loop().time()
        for _ in range(min(self._limit, len(self._waiting))):
            arrived, start = self._waiting.popleft()
            self._begin(start, now - arrived)
