"""What the handles ask of a database, and the three faults a caller may have to answer for."""

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from teamspace.core.db.dialect import Dialect

Row = Sequence[Any]
Params = Mapping[str, Any]


class Duplicate(Exception):
    """A unique index refused the row: somebody else was first."""


class AlreadyClaimed(Exception):
    """Another request has taken this idempotency key."""


class Collision(Exception):
    """Two transactions met and this one gave way (serialization failure, deadlock): run it again."""


class Fetches(Protocol):
    async def fetch(self, sql: str, params: Params) -> Sequence[Row]: ...


class Snapshot(Fetches, Protocol):
    """The database as it was at one moment, for as long as it is read."""

    def stream(self, sql: str) -> AsyncIterator[Row]:
        """Row by row, so that a table of any size fits."""
        ...


class Session(Fetches, Protocol):
    """One open transaction."""

    def savepoint(self) -> AbstractAsyncContextManager[None]: ...

    async def defer(self, sql: str, params: Params) -> None:
        """Run it before the commit; where there is a better time for it than now, then."""
        ...

    async def lock(self, names: Sequence[str]) -> None:
        """Wait until no other transaction holds any of them; held until this one ends."""
        ...


class Loading(Fetches, Protocol):
    """One transaction that fills a database nobody uses yet, without limits of time."""

    async def script(self, sql: str) -> None: ...

    async def load(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Put the rows in; one may name a later one of the same table."""
        ...

    async def dangling(self) -> Sequence[str]:
        """Rows that name a missing one, where the database has not refused them by itself."""
        ...


class Engine(Fetches, Protocol):
    dialect: Dialect

    async def aside(self, sql: str, params: Params, *, seconds: float | None = None) -> Sequence[Row]:
        """A read that may take long: nobody else waits for it. After `seconds` it is given up, as overload."""
        ...

    def transaction(self, *, lasting: bool = True) -> AbstractAsyncContextManager[Session]:
        """Leaving the block returns when what was written is safe on disk.

        What need not be `lasting` may be gone after a crash of the database, as if it had never been.
        """
        ...

    def snapshot(self) -> AbstractAsyncContextManager[Snapshot]:
        """Without limits of time, on a connection of its own."""
        ...

    def loading(self) -> AbstractAsyncContextManager[Loading]: ...

    async def script(self, sql: str) -> None:
        """Run a migration's statements in one transaction."""
        ...

    def migration_lock(self) -> AbstractAsyncContextManager[None]: ...

    async def tell(self, topics: Collection[str]) -> None:
        """Other servers on this database hear of the topics; there may be none."""
        ...

    def hearing(self, hear: Callable[[str], None]) -> AbstractAsyncContextManager[None]:
        """Inside the block `hear` is called with every topic that a server tells."""
        ...

    async def integrity(self) -> Sequence[str]:
        """What the database itself finds wrong with its files."""
        ...

    async def capacity(self) -> int | None:
        """How many connections the database allows; None where there are no such limits."""
        ...

    async def unsafe_settings(self) -> Sequence[str]:
        """Settings of the database, switched off, without which it loses or damages what was committed in a power cut."""
        ...

    async def close(self) -> None: ...
