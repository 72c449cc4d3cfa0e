"""Timers that are cheap to reset."""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self


class IdleTimer:
    """Calls back each time that it was not reset for some seconds. A reset only notes the time."""

    __slots__ = ("_callback", "_handle", "_loop", "_seconds", "_since", "is_over")

    def __init__(self, seconds: float, callback: Callable[[], None]) -> None:
        self._seconds, self._callback = seconds, callback
        self.is_over = False
        """Whether the time is up since the last reset."""

    def __enter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self.reset()
        self._handle = self._loop.call_later(self._seconds, self._check)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._handle.cancel()

    def reset(self) -> None:
        self._since = self._loop.time()
        self.is_over = False

    def _check(self) -> None:
        now = self._loop.time()
        due = self._since + self._seconds
        if due <= now:
            self.is_over = True
            self._callback()
            due = now + self._seconds
        self._handle = self._loop.call_at(due, self._check)
