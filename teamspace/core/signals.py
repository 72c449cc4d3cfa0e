"""An event that can also call back."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Signal(asyncio.Event):
    """Set once. Who has something to do meanwhile is called back: a task that waits would cost more than most calls of a
    model take of this server."""

    def __init__(self) -> None:
        super().__init__()
        self._callbacks: list[Callable[[], None]] = []

    def set(self) -> None:
        if not self.is_set():
            super().set()
            for callback in tuple(self._callbacks):
                callback()

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Call back when it is set while the block runs, or at once if it is."""
        self._callbacks.append(callback)
        try:
            if self.is_set():
                callback()
            yield
        finally:
            self._callbacks.remove(callback)
