"""The interface between the handles and a database, and the three errors that callers may have to handle."""

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from teamspace.core.db.dialect import Dialect
from teamspace.core.db.epoch import Epoch
from teamspace.core.errors import Overloaded, StorageFull

Row = Sequence[Any]
Params = Mapping[str, Any]
Verify = Callable[[Sequence[Row]], None]
"""Raises if the transaction must not go on."""


class Duplicate(Exception):
    """A unique index rejected the row: there is already one with this key."""


class IdempotencyKeyTaken(Exception):
    """Another request already used this idempotency key."""


class SerializationFailure(Exception):
    """The transaction was aborted because it conflicted with another (serialization failure, deadlock): retry it."""


def is_outage(fault: BaseException) -> bool:
    """Whether the database failed, and not what was asked of it: then the whole transaction has to be undone."""
    if isinstance(fault, Overloaded):
        return fault.key.startswith("database.")
    return isinstance(fault, SerializationFailure | StorageFull)


class Fetcher(Protocol):
    async def fetch(self, sql: str, params: Params) -> Sequence[Row]: ...


class Snapshot(Fetcher, Protocol):
    """A consistent view of the database at one point in time."""

    def stream(self, sql: str) -> AsyncIterator[Row]:
        """Yield row by row, so that a table of any size fits in memory."""
        ...


class Transaction(Fetcher, Protocol):
    """One open transaction."""

    rights_changed: bool
    """Set before the commit of a change of rights."""

    def savepoint(self) -> AbstractAsyncContextManager[None]: ...

    async def add(self, sql: str, params: Params) -> None:
        """Run the statement before the next read or the commit."""
        ...

    async def defer(self, sql: str, params: Params) -> None:
        """Run the statement before the commit, perhaps later than now: on SQLite, on the commit thread."""
        ...

    async def run_offloaded(self, sql: str, params: Params) -> None:
        """Run the statement now; on SQLite, on the commit thread."""
        ...

    async def check(self, sql: str, params: Params, verify: Verify) -> None:
        """Run the statement before the next read or the commit, and have `verify` judge its rows."""
        ...

    async def flush(self) -> None:
        """Run what waits now."""
        ...

    async def lock(self, names: Sequence[str]) -> None:
        """Acquire the named locks, waiting for other transactions; they are released when this one ends."""
        ...

    async def try_lock(self, names: Sequence[str]) -> Sequence[str]:
        """Acquire those of the named locks that no other transaction has; return their names."""
        ...


class BulkLoad(Fetcher, Protocol):
    """One transaction that fills an unused database, without timeouts."""

    async def script(self, sql: str) -> None: ...

    async def load(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Insert the rows. A row may reference a later row of the same table."""
        ...

    async def dangling_references(self) -> Sequence[str]:
        """Return foreign keys without a target, if the database has not rejected them already."""
        ...


class ScriptTarget(Protocol):
    async def script(self, sql: str) -> None:
        """Run the statements of a migration in one transaction."""
        ...


class Engine(Fetcher, ScriptTarget, Protocol):
    dialect: Dialect
    epoch: Epoch

    @property
    def commit_seconds(self) -> float:
        """How long this process's commit has been running; 0 if there is none, or if the database does not run here."""
        ...

    async def fetch_offloaded(self, sql: str, params: Params, *, seconds: float | None = None) -> Sequence[Row]:
        """Run a slow read without blocking other requests; raise Overloaded after `seconds`."""
        ...

    def transaction(self, *, durable: bool = True) -> AbstractAsyncContextManager[Transaction]:
        """Run the block in a transaction; leaving it returns when the commit is on disk.

        A transaction that is not `durable` may be lost, as a whole, when the database crashes.
        """
        ...

    def snapshot(self) -> AbstractAsyncContextManager[Snapshot]:
        """Open a snapshot on a separate connection, without timeouts."""
        ...

    def bulk_load(self) -> AbstractAsyncContextManager[BulkLoad]: ...

    def migration_lock(self) -> AbstractAsyncContextManager[ScriptTarget]:
        """Exclude other migrations; scripts on the target fail if the lock is lost."""
        ...

    async def notify(self, topics: Collection[str]) -> None:
        """Send the topics to the other servers on this database, if there are any."""
        ...

    def listen(self, on_topic: Callable[[str], None]) -> AbstractAsyncContextManager[None]:
        """Inside the block, call `on_topic` with every topic that a server sends."""
        ...

    async def lead(self) -> bool:
        """Return whether this process is the leader: the one of all on this database that does what need be done once.

        Becomes the leader if there is none. Call it again and again, one call at a time: a leader can lose its place.
        """
        ...

    async def check_integrity(self) -> Sequence[str]:
        """Return what the database's own integrity check finds."""
        ...

    async def max_connections(self) -> int | None:
        """Return how many connections the database allows; None if it has no such limit."""
        ...

    async def unsafe_settings(self) -> Sequence[str]:
        """Return durability settings of the database that are off: a power cut could lose or damage committed data."""
        ...

    async def close(self) -> None: ...
