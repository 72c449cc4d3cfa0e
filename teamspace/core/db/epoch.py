"""The rights epoch: a value that changes whenever any process may have changed the rights of callers.

What is read from tables of rights can be kept for an epoch. Where a commit can tell all processes of a database at once,
as on SQLite by a mapped file, nobody has to ask the database which epoch it is.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Hashable
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from teamspace.core.mapped import map_file

T = TypeVar("T")
_SIZE = 8
_MAX_KEPT = 10_000


class Epoch(Protocol):
    """Values are only compared for equality."""

    is_shared: bool
    """Whether every process of the database sees a new epoch as soon as it is started."""

    def read(self) -> int: ...

    def renew(self) -> None:
        """Start a new epoch: after the commit, before anyone is told of it."""
        ...

    def close(self) -> None: ...


class OwnEpoch:
    """The epoch of one process; those of others are in the database."""

    is_shared = False

    def __init__(self) -> None:
        self._number = 0

    def read(self) -> int:
        return self._number

    def renew(self) -> None:
        self._number += 1

    def close(self) -> None:
        """Do nothing: there is nothing open."""


def epoch_file(database: Path) -> Path:
    """Return the file beside a database that its processes map."""
    return database.with_suffix(".epoch")


class MappedEpoch:
    """The epoch of all processes that use a database file, mapped from a file beside it."""

    is_shared = True

    def __init__(self, path: Path) -> None:
        self._map = map_file(path, _SIZE)
        self._values = memoryview(self._map).cast("Q")

    def read(self) -> int:
        return self._values[0]

    def renew(self) -> None:
        # Not the next number: of two processes that count at the same time, one would be overlooked.
        self._values[0] = secrets.randbits(64)

    def close(self) -> None:
        self._values.release()
        self._map.close()


class SharedRead(Generic[T]):
    """Reads once for all who ask at the same time: each gets the result of a read that began after it asked."""

    def __init__(self, read: Callable[[], Awaitable[T]]) -> None:
        self._read = read
        self._running: asyncio.Task[T] | None = None
        self._next: asyncio.Task[T] | None = None

    async def get(self) -> T:
        if self._next is None:
            self._next = asyncio.create_task(self._run_after(self._running))
            self._next.add_done_callback(_retrieve)
        return await asyncio.shield(self._next)  # the others still wait if one is cancelled

    async def _run_after(self, running: asyncio.Task[T] | None) -> T:
        if running is not None and not running.done():
            await asyncio.wait([running])
        self._running, self._next = self._next, None
        return await self._read()


def _retrieve(task: asyncio.Task[Any]) -> None:
    """Take the exception of a read for which nobody waits any more."""
    if not task.cancelled():
        task.exception()


class EpochMemory:
    """Keeps what was read from tables of rights since an epoch began.

    While a transaction of this process that changes rights is open, everything is read: what it has changed could be
    rolled back.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}
        self._epoch: object = None
        self._changing: set[object] = set()

    async def get(self, epoch: object, key: Hashable, load: Callable[[], Awaitable[T]]) -> T:
        """Return what `load` returned for this key in the epoch, which was read just now; None if only the database
        knows which it is.
        """
        if epoch is None or self._changing:
            return await load()
        if epoch != self._epoch:
            self._kept.clear()
            self._epoch = epoch
        if key in self._kept:
            known: T = self._kept[key]
            return known
        found = await load()
        # What was read while the epoch changed may be outdated: it is used once.
        if epoch == self._epoch and not self._changing:
            if len(self._kept) >= _MAX_KEPT:
                self._kept.clear()
            self._kept[key] = found
        return found

    def begin_change(self, transaction: object) -> None:
        self._changing.add(transaction)

    def end(self, transaction: object) -> None:
        """Forget everything if the transaction changed rights, whether or not it was committed."""
        if transaction in self._changing:
            self._changing.discard(transaction)
            self.forget()

    def forget(self) -> None:
        self._kept.clear()
        self._epoch = None  # what is being read is not kept either
