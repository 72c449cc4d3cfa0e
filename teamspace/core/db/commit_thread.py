"""The thread that waits for the disk.

What asyncio and a `ThreadPoolExecutor` do around each call, two futures and their locks, takes longer than most commits.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class _Call(NamedTuple):
    work: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    end: asyncio.Future[Any]


class CommitThread:
    """Runs one call after the other. It starts with the first, so a process that forks before has no thread."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._thread: Thread | None = None

    def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
        """Return the future result. If its waiter is cancelled, the call still runs."""
        if self._thread is None:
            # A process that ends without closing its database does not wait for it.
            self._thread = Thread(target=self._run_all, name="sqlite-commit", daemon=True)
            self._thread.start()
        loop = asyncio.get_running_loop()
        end: asyncio.Future[T] = loop.create_future()
        self._calls.put(_Call(lambda: work(*args, **kwargs), loop, end))
        return end

    def _run_all(self) -> None:
        while (call := self._calls.get()) is not None:
            result, fault = None, None
            try:
                result = call.work()
            except BaseException as raised:
                fault = raised
            with suppress(RuntimeError):  # the loop is closed, and nobody waits
                call.loop.call_soon_threadsafe(_end, call.end, result, fault)
            del call, result, fault

    def close(self) -> None:
        """Wait for the last call."""
        if self._thread is not None:
            self._calls.put(None)
            self._thread.join()
            self._thread = None


def _end(end: asyncio.Future[Any], result: Any, fault: BaseException | None) -> None:
    if end.done():
        return
    if fault is None:
        end.set_result(result)
    else:
        end.set_exception(fault)
