"""PostgreSQL: pooled connections, bounded waits, and the same named parameters as SQLite."""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import asyncpg

from teamspace.core.db.dialect import POSTGRES
from teamspace.core.db.engine import Collision, Duplicate, Params, Row
from teamspace.core.errors import Overloaded, StorageFull

_NAMED = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")
_LIMITS = {
    "statement_timeout": "15s",
    "lock_timeout": "3s",
    "idle_in_transaction_session_timeout": "30s",
    "application_name": "teamspace",
    # The plans are index walks of microseconds; compiling them would cost more than running them.
    "jit": "off",
}
_MIGRATION_LOCK = 7_236_518_902


@cache
def numbered(sql: str) -> tuple[str, tuple[str, ...]]:
    """The statement with `$1` for `:name`, and the names in that order."""
    names: list[str] = []

    def number(match: re.Match[str]) -> str:
        name = match[1]
        if name not in names:
            names.append(name)
        return f"${names.index(name) + 1}"

    return _NAMED.sub(number, sql), tuple(names)


_UNREACHABLE = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    OSError,
)


def _translated(fault: Exception) -> Exception:
    """The driver's error in our words, or as it is."""
    if isinstance(fault, asyncpg.UniqueViolationError):
        return Duplicate(fault.constraint_name or "")
    if isinstance(fault, asyncpg.SerializationError | asyncpg.DeadlockDetectedError):
        return Collision(str(fault))
    if isinstance(fault, asyncpg.LockNotAvailableError | asyncpg.QueryCanceledError | TimeoutError):
        return Overloaded("The database is busy; nothing of this request was written.")
    if isinstance(fault, asyncpg.DiskFullError):
        return StorageFull("The database's disk is full; nothing of this request was written.")
    if isinstance(fault, _UNREACHABLE):
        return Overloaded("The database cannot be reached; ask again whether the request took effect.", 2)
    return fault


@asynccontextmanager
async def _faults() -> AsyncIterator[None]:
    try:
        yield
    except _DRIVER_FAULTS as fault:
        raise _translated(fault) from fault


_DRIVER_FAULTS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)


class PostgresSession:
    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def fetch(self, sql: str, params: Params) -> Sequence[Row]:
        text, names = numbered(sql)
        try:
            rows: Sequence[Row] = await self._connection.fetch(text, *[params[name] for name in names])
        except _DRIVER_FAULTS as fault:
            raise _translated(fault) from fault
        return rows

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        async with self._connection.transaction():
            yield

    async def lock(self, name: str) -> None:
        await self.fetch("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))", {"name": name})


class Postgres:
    dialect = POSTGRES

    def __init__(self, url: str, reads: Any, writes: Any) -> None:
        self._url = url
        self._reads = reads
        self._writes = writes

    @classmethod
    async def connect(cls, url: str, *, pool: int) -> "Postgres":
        return cls(
            url,
            await _pool(url, pool, {**_LIMITS, "default_transaction_read_only": "on"}),
            await _pool(url, pool, _LIMITS),
        )

    async def fetch(self, sql: str, params: Params) -> Sequence[Row]:
        text, names = numbered(sql)
        async with _faults(), self._reads.acquire() as connection:
            rows: Sequence[Row] = await connection.fetch(text, *[params[name] for name in names])
            return rows

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[PostgresSession]:
        async with _faults(), self._writes.acquire() as connection, connection.transaction():
            yield PostgresSession(connection)

    async def script(self, sql: str) -> None:
        async with _faults(), self._writes.acquire() as connection, connection.transaction():
            await connection.execute(sql)

    @asynccontextmanager
    async def migration_lock(self) -> AsyncIterator[None]:
        """Held by a connection outside the pools, for as long as another server may need to migrate."""
        connection = await asyncpg.connect(self._url, timeout=10)
        try:
            await connection.execute("SELECT pg_advisory_lock($1)", _MIGRATION_LOCK)
            yield
        finally:
            await connection.close()

    async def integrity(self) -> Sequence[str]:
        """Foreign keys are enforced by the server itself; page checks are pg_amcheck's work."""
        return ()

    async def close(self) -> None:
        await self._reads.close()
        await self._writes.close()


async def _pool(url: str, size: int, settings: dict[str, str]) -> Any:
    return await asyncpg.create_pool(
        url, min_size=1, max_size=size, timeout=10, server_settings=settings,
        statement_cache_size=400, max_cached_statement_lifetime=0, max_inactive_connection_lifetime=300,
        # Nothing here leaves session state behind, so the usual reset would be a wasted round trip.
        reset=_leave_as_is,
    )  # fmt: skip


async def _leave_as_is(connection: Any) -> None:
    return None
