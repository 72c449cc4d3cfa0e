"""Threads by purpose: whatever fills one pool up leaves the others free. Nothing uses the loop's default executor.

Work in Python holds the interpreter's lock, so a pool keeps it off the event loop and makes it no faster: such pools
are small, and such work is cut into pieces between which the loop gets its turn.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from teamspace.core.errors import Overloaded

P = ParamSpec("P")
T = TypeVar("T")


class Pool:
    """At most `threads` at work and `waiting` behind them; whoever comes after is told to come back."""

    def __init__(self, what: str, threads: int, waiting: int | None) -> None:
        self._what, self._threads = what, threads
        self._room = None if waiting is None else threading.BoundedSemaphore(threads + waiting)
        # Threads are started when there is work, so that a process that forks before has none.
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=what.replace(" ", "-"))

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The outcome of `work`. Whoever gives up waiting for it leaves a running one to its end."""
        if self._room is not None and not self._room.acquire(blocking=False):
            raise Overloaded(f"Too many {self._what} at once.", 2)
        try:
            begun = self._executor.submit(work, *args, **kwargs)
        except BaseException:
            self._leave()
            raise
        begun.add_done_callback(self._leave)
        return await asyncio.wrap_future(begun)

    def _leave(self, _ended: Future[Any] | None = None) -> None:
        if self._room is not None:
            self._room.release()


# `None` where something else bounds what may wait: slots for uploads, a limit of open downloads, a single caller.
# fmt: off
#                       what                   threads  waiting
TEXT      = Pool("texts being read",                 2,      64)   # words, snippets, large JSON and XML
PASSWORDS = Pool("password checks",                  4,      32)   # argon2, 64 MiB each
STRENGTH  = Pool("password judgements",              1,      32)   # zxcvbn
READS     = Pool("long reads",                       4,      64)   # SQLite beside the loop: searches, exports
NAMES     = Pool("lookups of names",                 4,      64)   # DNS
FILES     = Pool("files",                           16,    None)   # blobs: read, written, synced, removed
HASHING   = Pool("hashes",                           4,    None)   # digests of what is uploaded
UPKEEP    = Pool("upkeep",                           2,    None)   # locks, integrity checks, a look at a bucket
# fmt: on
