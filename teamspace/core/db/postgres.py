"""PostgreSQL: pooled connections, bounded waits, and the same named parameters as SQLite."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
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
_UNHURRIED = {**_LIMITS, "statement_timeout": "0", "lock_timeout": "0", "idle_in_transaction_session_timeout": "0"}
"""For a backup, a restore, an examination and a migration, which take as long as the data are large."""
CONNECT_SECONDS = 10.0
ACQUIRE_SECONDS = 5.0
"""For a free connection of a pool, or a new one."""
COMMAND_SECONDS = 20.0
"""Longer than the database's own limits: who does not even answer with a refusal by then is silent."""
RELEASE_SECONDS = 2.0
MIGRATION_SECONDS = 3600.0
"""For another server to finish its migrations."""
_MIGRATION_LOCK = 7_236_518_902
_PREFETCHED_ROWS = 1000
_CHANNEL = "teamspace"
_CAPACITY = (
    "SELECT LEAST(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
    " - COALESCE(current_setting('reserved_connections', true), '0')::int, NULLIF(rolconnlimit, -1),"
    " NULLIF(datconnlimit, -1)) FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()"
)
"""Of the whole server, or less where the role or the database has a limit of its own."""
_UNSAFE = "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name"
_LASTING = "SELECT set_config('synchronous_commit', COALESCE(NULLIF(current_setting('synchronous_commit'), 'off'), 'on'), false)"
"""As the database has it, unless that is off; from then on the connection's own, whatever is configured later."""


@lru_cache(1024)
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
    if isinstance(fault, asyncpg.LockNotAvailableError | asyncpg.QueryCanceledError):
        return Overloaded("The database is busy; nothing of this request was written.")
    if isinstance(fault, TimeoutError):
        return Overloaded("The database does not answer; ask again whether the request took effect.", 2)
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


@asynccontextmanager
async def _borrowed(pool: Any) -> AsyncIterator[Any]:
    """A connection for the block. Neither getting it nor giving it back waits for a database that is silent."""
    try:
        async with asyncio.timeout(ACQUIRE_SECONDS):
            connection = await pool.acquire()
    except TimeoutError:
        detail = "No connection to the database is free; nothing of this request was written."
        raise Overloaded(detail, 2) from None
    try:
        yield connection
    finally:
        await pool.release(connection, timeout=RELEASE_SECONDS)


class PostgresSession:
    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def fetch(self, sql: str, params: Params) -> Sequence[Row]:
        text, names = numbered(sql)
        try:
            rows: Sequence[Row] = await self._connection.fetch(text, *[params[name] for name in names])
        except TimeoutError as fault:
            self._connection.terminate()  # a rollback would wait for the same silence; without a connection it is done
            raise Overloaded("The database does not answer; nothing of this request was written.", 2) from fault
        except _DRIVER_FAULTS as fault:
            raise _translated(fault) from fault
        return rows

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        async with self._connection.transaction():
            yield

    async def defer(self, sql: str, params: Params) -> None:
        await self.fetch(sql, params)

    async def lock(self, names: Sequence[str]) -> None:
        await self.fetch(
            "SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest(CAST(:names AS TEXT[])) AS name",
            {"names": names},
        )


class PostgresSnapshot:
    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.fetch = PostgresSession(connection).fetch

    async def stream(self, sql: str) -> AsyncIterator[Row]:
        async for row in self._connection.cursor(sql, prefetch=_PREFETCHED_ROWS):
            yield row


class PostgresLoading:
    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.fetch = PostgresSession(connection).fetch

    async def script(self, sql: str) -> None:
        await self._connection.execute(sql)

    async def load(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        # One statement for the whole table: its foreign keys are looked at when all rows are there.
        await self._connection.copy_records_to_table(table, records=rows, columns=list(columns))

    async def dangling(self) -> Sequence[str]:
        return ()


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
            await _pool(url, pool, _LIMITS, init=_make_lasting),
        )

    async def fetch(self, sql: str, params: Params) -> Sequence[Row]:
        return await self.aside(sql, params)

    async def aside(self, sql: str, params: Params, *, seconds: float | None = None) -> Sequence[Row]:
        text, names = numbered(sql)
        async with _faults(), _borrowed(self._reads) as connection:
            try:
                rows: Sequence[Row] = await connection.fetch(text, *[params[name] for name in names], timeout=seconds)
            except TimeoutError:
                if seconds is None:
                    raise
                raise Overloaded("This took too long; ask for less.") from None
            return rows

    @asynccontextmanager
    async def transaction(self, *, lasting: bool = True) -> AsyncIterator[PostgresSession]:
        async with _faults(), _borrowed(self._writes) as connection, connection.transaction():
            if not lasting:
                await connection.execute("SET LOCAL synchronous_commit TO off")
            yield PostgresSession(connection)

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[PostgresSnapshot]:
        async with (
            _connection(self._url, _UNHURRIED) as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            yield PostgresSnapshot(connection)

    @asynccontextmanager
    async def loading(self) -> AsyncIterator[PostgresLoading]:
        async with _connection(self._url, _UNHURRIED) as connection:
            await _make_lasting(connection)
            async with connection.transaction():
                yield PostgresLoading(connection)

    async def script(self, sql: str) -> None:
        """A migration takes as long as the data are large, and waits for whoever is before it."""
        async with _faults(), _connection(self._url, _UNHURRIED) as connection:
            await _make_lasting(connection)
            async with connection.transaction():
                await connection.execute(sql)

    @asynccontextmanager
    async def migration_lock(self) -> AsyncIterator[None]:
        """Held by a connection outside the pools, for as long as another server may need to migrate."""
        async with _connection(self._url, {}) as connection:
            try:
                await connection.execute("SELECT pg_advisory_lock($1)", _MIGRATION_LOCK, timeout=MIGRATION_SECONDS)
            except TimeoutError:
                raise RuntimeError("another server or command has been migrating this database for an hour") from None
            yield

    async def tell(self, topics: Collection[str]) -> None:
        await self.fetch(
            f"SELECT pg_notify('{_CHANNEL}', topic) FROM unnest(CAST(:topics AS TEXT[])) AS topic",
            {"topics": list(topics)},
        )

    @asynccontextmanager
    async def hearing(self, hear: Callable[[str], None]) -> AsyncIterator[None]:
        async with _faults(), _connection(self._url, _UNHURRIED) as connection:
            await connection.add_listener(_CHANNEL, lambda _connection, _pid, _channel, topic: hear(topic))
            yield

    async def integrity(self) -> Sequence[str]:
        """Foreign keys are enforced by the server itself; page checks are pg_amcheck's work."""
        return ()

    async def capacity(self) -> int | None:
        return int((await self.fetch(_CAPACITY, {}))[0][0])

    async def unsafe_settings(self) -> Sequence[str]:
        return [row[0] for row in await self.fetch(_UNSAFE, {})]

    async def close(self) -> None:
        for pool in (self._reads, self._writes):
            with contextlib.suppress(TimeoutError):  # what does not end by then is cut off
                async with asyncio.timeout(RELEASE_SECONDS):
                    await pool.close()


@asynccontextmanager
async def sole_user(url: str) -> AsyncIterator[None]:
    """No server is connected to the database, and one that starts waits until the block ends."""
    async with _connection(url, {"application_name": "teamspace alone", "lock_timeout": "10s"}) as connection:
        try:
            await connection.execute("SELECT pg_advisory_lock($1)", _MIGRATION_LOCK)
        except asyncpg.LockNotAvailableError:
            raise RuntimeError("another server or command is at work on this database") from None
        others = await connection.fetchval(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1",
            _LIMITS["application_name"],
        )
        if others:
            raise RuntimeError(f"a server or another command uses this database ({others} connections): end it first")
        yield


@asynccontextmanager
async def _connection(url: str, settings: dict[str, str]) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(url, timeout=CONNECT_SECONDS, server_settings=settings)
    try:
        yield connection
    finally:
        with contextlib.suppress(*_DRIVER_FAULTS):
            await connection.close(timeout=RELEASE_SECONDS)


async def _pool(url: str, size: int, settings: dict[str, str], init: Any = None) -> Any:
    return await asyncpg.create_pool(
        url, min_size=1, max_size=size, timeout=CONNECT_SECONDS, command_timeout=COMMAND_SECONDS, server_settings=settings,
        statement_cache_size=400, max_cached_statement_lifetime=0, max_inactive_connection_lifetime=300,
        # Nothing here leaves session state behind, so the usual reset would be a wasted round trip.
        reset=_leave_as_is, init=init,
    )  # fmt: skip


async def _leave_as_is(connection: Any) -> None:
    return None


async def _make_lasting(connection: Any) -> None:
    """A commit on it is answered when it is on disk."""
    await connection.execute(_LASTING)
