"""Thread pools by purpose: a full pool does not block the others. Nothing uses the loop's default executor.

Python code holds the GIL, so a pool keeps it off the event loop but does not make it faster. Pools for it are small,
and the work is split into pieces so that the loop gets its turn.
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
    """Runs `threads` calls at a time and lets `waiting` more wait; refuses the rest with Overloaded."""

    def __init__(self, name: str, threads: int, waiting: int | None, key: str = "") -> None:
        """`key` names the text of the refusal."""
        self._key, self._threads = key, threads
        self._room = None if waiting is None else threading.BoundedSemaphore(threads + waiting)
        # Threads start with the first work, so a process that forks before has none.
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name.replace(" ", "-"))

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `work` in a thread and return its result. If the caller is cancelled, running work still completes."""
        if self._room is not None and not self._room.acquire(blocking=False):
            raise Overloaded(self._key, 2)
        try:
            future = self._executor.submit(work, *args, **kwargs)
        except BaseException:
            self._release()
            raise
        future.add_done_callback(self._release)
        return await asyncio.wrap_future(future)

    def _release(self, _ended: Future[Any] | None = None) -> None:
        if self._room is not None:
            self._room.release()


# `None` if something else limits the waiting work: upload slots, the limit of open downloads, a single caller.
# fmt: off
#                       what                   threads  waiting  refusal
TEXT      = Pool("texts being parsed",              2,      64, "busy.texts")             # words, snippets, large JSON and XML
SCHEMAS   = Pool("JSON schemas being checked",      2,      64, "busy.schemas")           # each thread waits for its process
PASSWORDS = Pool("password checks",                 4,      32, "busy.passwords")         # argon2, 64 MiB each
STRENGTH  = Pool("password strength checks",        1,      32, "busy.password_strength") # zxcvbn
READS     = Pool("long reads",                      4,      64, "busy.reads")             # SQLite off the loop: searches, exports
NAMES     = Pool("DNS lookups",                     4,      64, "busy.names")
FILES     = Pool("files",                          16,    None)                           # blobs: read, written, synced, removed
HASHING   = Pool("hashes",                          4,    None)                           # digests of uploads
STORES    = Pool("calls of plugins' blob stores",      8,      64, "busy.stores")             # those that are not async
UPKEEP    = Pool("upkeep",                          2,    None)                           # locks, integrity checks, bucket checks
# fmt: on
