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


@asynccontextmanager
async def _faults() -> AsyncIterator[None]:
    """The driver's errors in our words."""
    try:
        yield
    except asyncpg.UniqueViolationError as fault:
        raise Duplicate(fault.constraint_name or "") from fault
    except (asyncpg.SerializationError, asyncpg.DeadlockDetectedError) as fault:
        raise Collision(str(fault)) from fault
    except (asyncpg.LockNotAvailableError, asyncpg.QueryCanceledError, TimeoutError) as fault:
        raise Overloaded("The database is busy; nothing of this request was written.") from fault
    except asyncpg.DiskFullError as fault:
        raise StorageFull("The database's disk is full; nothing of this request was written.") from fault
    except (
        asyncpg.PostgresConnectionError,
        asyncpg.InterfaceError,
        asyncpg.CannotConnectNowError,
        asyncpg.AdminShutdownError,
        asyncpg.CrashShutdownError,
        asyncpg.TooManyConnectionsError,
        OSError,
    ) as fault:
        raise Overloaded("The database cannot be reached; ask again whether the request took effect.", 2) from fault


class PostgresSession:
    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def fetch(self, sql: str, params: Params) -> Sequence[Row]:
        text, names = numbered(sql)
        rows: Sequence[Row] = await self._connection.fetch(text, *[params[name] for name in names])
        return rows

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        async with self._connection.transaction():
            yield

    async def lock(self, name: str) -> None:
        await self._connection.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name)


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
