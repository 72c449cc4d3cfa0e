"""PostgreSQL: pooled connections, timeouts everywhere, and the same named parameters as SQLite."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache, partial
from typing import Any

import asyncpg

from teamspace.core.db.connections import Connections
from teamspace.core.db.dialect import POSTGRES
from teamspace.core.db.engine import Duplicate, Params, Row, SerializationFailure, Verify, is_outage
from teamspace.core.db.epoch import Epoch, OwnEpoch
from teamspace.core.db.statements import Statement, WaitingStatement, join_tables, number_parameters
from teamspace.core.errors import Overloaded, StorageFull

_LIMITS = {
    "statement_timeout": "15s",
    "lock_timeout": "3s",
    "idle_in_transaction_session_timeout": "30s",
    "application_name": "teamspace",
    # The plans are index scans of microseconds; compiling them would take longer than running them.
    "jit": "off",
    # With the default, made for disks, the planner would rather read a whole table than some of it by index.
    "random_page_cost": "1.1",
}
_NO_TIMEOUTS = {**_LIMITS, "statement_timeout": "0", "lock_timeout": "0", "idle_in_transaction_session_timeout": "0"}
"""For backups, restores, checks and migrations, whose duration depends on the amount of data."""
_LISTENING = {**_NO_TIMEOUTS, "idle_session_timeout": "10s"}
"""A process asks every second whether it leads. If it has stopped without dying, the database ends its session, and with
it the lock, so that another one leads."""
CONNECT_SECONDS = 10.0
COMMAND_SECONDS = 20.0
"""Longer than the database's own timeouts: without any response by then, the database is unreachable."""
RELEASE_SECONDS = 2.0
MIGRATION_SECONDS = 3600.0
"""How long to wait for another server's migrations."""
_MIGRATION_LOCK, _LEADER_LOCK = 7_236_518_902, 7_236_518_903
_PREFETCHED_ROWS = 1000
_CHANNEL = "teamspace"
_MAX_CONNECTIONS = (
    "SELECT LEAST(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
    " - COALESCE(current_setting('reserved_connections', true), '0')::int, NULLIF(rolconnlimit, -1),"
    " NULLIF(datconnlimit, -1)) FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()"
)
"""The limit of the server, the role or the database, whichever is lowest."""
_UNSAFE_SETTINGS = (
    "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name"
)
_DURABLE = "SELECT set_config('synchronous_commit', COALESCE(NULLIF(current_setting('synchronous_commit'), 'off'), 'on'), false)"
"""Keep the database's setting unless it is off, and fix it for the connection, whatever is configured later."""

_NOT_DURABLE: Statement = ("SELECT set_config('synchronous_commit', 'off', true)", {})
_CHANGING = re.compile(r"\b(?:INSERT|UPDATE|DELETE|SHARE)\b")
"""Words of statements after which a commit waits for the disk. A lock is a change too."""


@lru_cache(1024)
def may_change(sql: str) -> bool:
    return _CHANGING.search(sql) is not None


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


def _translate(fault: Exception) -> Exception:
    """Return our exception for the driver's, or the driver's if we have none."""
    if isinstance(fault, asyncpg.UniqueViolationError):
        return Duplicate(fault.constraint_name or "")
    if isinstance(fault, asyncpg.SerializationError | asyncpg.DeadlockDetectedError):
        return SerializationFailure(str(fault))
    if isinstance(fault, asyncpg.LockNotAvailableError | asyncpg.QueryCanceledError):
        return Overloaded("database.busy")
    if isinstance(fault, TimeoutError):
        return Overloaded("database.no_answer", 2)
    if isinstance(fault, asyncpg.DiskFullError):
        return StorageFull("database.disk_full")
    if isinstance(fault, _UNREACHABLE):
        return Overloaded("database.unreachable", 2)
    return fault


@asynccontextmanager
async def _translate_faults() -> AsyncIterator[None]:
    try:
        yield
    except _DRIVER_FAULTS as fault:
        raise _translate(fault) from fault


_DRIVER_FAULTS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)


class PostgresTransaction:
    """Statements whose result nobody reads wait for the next one, and are sent as few: each is a round trip."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._waiting: list[WaitingStatement] = []
        self._check: tuple[Statement, Verify] | None = None
        self._failed_check: tuple[Statement, Verify] | None = None
        """Of a statement that failed."""
        self._savepoints: list[Any] = []
        """Those that are not set yet: each is two round trips, and a block that changes nothing needs none."""
        self._has_changes = False
        self.rights_changed = False

    async def fetch(self, sql: str, params: Params) -> Sequence[Row]:
        await self.flush()
        return await self._send(sql, params)

    async def run_offloaded(self, sql: str, params: Params) -> None:
        await self.fetch(sql, params)

    async def check(self, sql: str, params: Params, verify: Verify) -> None:
        if self._check is not None:
            await self.flush()
        self._check = (sql, params), verify

    async def flush(self) -> None:
        """Send what waits: the check as the end of the last statement."""
        check, self._check = self._check, None
        if check is not None:
            statement, verify = check
            self._failed_check = check
            rows = await self._send_waiting(statement)
            self._failed_check = None
            verify(rows)
        elif self._waiting:
            await self._send_waiting()

    async def _send_waiting(self, closing: Statement | None = None) -> Sequence[Row]:
        """Send the statements that wait, the last one with `closing`; return the rows of that."""
        waiting, self._waiting = self._waiting, []
        rows: Sequence[Row] = ()
        for sql, params in join_tables(waiting, closing):
            try:
                rows = await self._send(sql, params)
            except Duplicate as fault:  # of an id that was made here
                raise SerializationFailure("another server has used the same id") from fault
        return rows

    async def refuse(self) -> None:
        """Raise what the check raises that was sent with rows that failed: it would have refused them. After the rollback."""
        check, self._failed_check = self._failed_check, None
        if check is not None and not self._connection.is_closed():
            (sql, params), verify = check
            verify(await self._send(sql, params))

    async def finish(self, *, durable: bool) -> None:
        """Send what waits before the commit; one that need not be durable does not wait for the disk."""
        if self._check is not None or durable:
            await self.flush()
        if not durable and (self._has_changes or self._waiting):
            await self._send_waiting(_NOT_DURABLE)

    async def _send(self, sql: str, params: Params) -> Sequence[Row]:
        if may_change(sql):
            self._has_changes = True
            await self._set_savepoints()
        text, names = number_parameters(sql, "$")
        try:
            rows: Sequence[Row] = await self._connection.fetch(text, *[params[name] for name in names])
        except TimeoutError as fault:
            self._connection.terminate()  # a rollback would time out too; closing the connection rolls back
            raise Overloaded("database.no_answer_in_write", 2) from fault
        except _DRIVER_FAULTS as fault:
            found = _translate(fault)
            if self._savepoints and not is_outage(found):
                # Nothing was set that the transaction could go back to: it has to be repeated.
                raise SerializationFailure(str(fault)) from fault
            raise found from fault
        return rows

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        await self.flush()
        self._failed_check = None
        savepoint = self._connection.transaction()
        self._savepoints.append(savepoint)
        try:
            yield
            await self.flush()
        except BaseException as fault:
            self._waiting.clear()
            self._check = None
            if self._is_set(savepoint):
                await savepoint.rollback()
                if isinstance(fault, Exception):
                    await self.refuse()
            raise
        if self._is_set(savepoint):
            await savepoint.commit()

    def _is_set(self, savepoint: Any) -> bool:
        """Whether a savepoint that ends was set; one that was not is forgotten."""
        if savepoint not in self._savepoints:
            return True
        self._savepoints.remove(savepoint)
        return False

    async def _set_savepoints(self) -> None:
        while self._savepoints:
            await self._savepoints[0].start()
            del self._savepoints[0]

    async def add(self, sql: str, params: Params) -> None:
        self._waiting.append(WaitingStatement(sql, params, independent=True))

    async def defer(self, sql: str, params: Params) -> None:
        self._waiting.append(WaitingStatement(sql, params))

    async def lock(self, names: Sequence[str]) -> None:
        await self.fetch(
            "SELECT pg_advisory_xact_lock(hashtextextended(name, 0)) FROM unnest(CAST(:names AS TEXT[])) AS name",
            {"names": names},
        )

    async def try_lock(self, names: Sequence[str]) -> Sequence[str]:
        rows = await self.fetch(
            "SELECT name FROM unnest(CAST(:names AS TEXT[])) AS name"
            " WHERE pg_try_advisory_xact_lock(hashtextextended(name, 0))",
            {"names": names},
        )
        return [row[0] for row in rows]


class PostgresSnapshot:
    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.fetch = PostgresTransaction(connection).fetch

    async def stream(self, sql: str) -> AsyncIterator[Row]:
        async for row in self._connection.cursor(sql, prefetch=_PREFETCHED_ROWS):
            yield row


class PostgresBulkLoad:
    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.fetch = PostgresTransaction(connection).fetch

    async def script(self, sql: str) -> None:
        await self._connection.execute(sql)

    async def load(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        # One statement for the whole table: its foreign keys are checked when all rows are there.
        await self._connection.copy_records_to_table(table, records=rows, columns=list(columns))

    async def dangling_references(self) -> Sequence[str]:
        return ()


class _PostgresMigration:
    """Runs without timeouts: a migration may take long, and waits for transactions before it."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def script(self, sql: str) -> None:
        await _make_durable(self._connection)
        async with _translate_faults(), self._connection.transaction():
            await self._connection.execute(sql)


class Postgres:
    dialect = POSTGRES

    def __init__(self, url: str, reads: Connections, writes: Connections) -> None:
        self._url = url
        self.epoch: Epoch = OwnEpoch()
        self._reads = reads
        self._writes = writes
        self._listener: Any = None
        """The connection that listens. Its session has the lock of the leader, so that one that dies loses it."""
        self._leads = False

    @classmethod
    async def connect(cls, url: str, *, pool: int) -> "Postgres":
        reads = Connections(partial(_connect, url, {**_LIMITS, "default_transaction_read_only": "on"}), pool)
        writes = Connections(partial(_connect_durably, url), pool)
        await reads.open()
        await writes.open()
        return cls(url, reads, writes)

    async def fetch(self, sql: str, params: Params) -> Sequence[Row]:
        return await self.fetch_offloaded(sql, params)

    async def fetch_offloaded(self, sql: str, params: Params, *, seconds: float | None = None) -> Sequence[Row]:
        text, names = number_parameters(sql, "$")
        async with _translate_faults():
            try:
                async with self._reads.take() as connection:
                    rows: Sequence[Row] = await connection.fetch(
                        text, *[params[name] for name in names], timeout=seconds
                    )
            except TimeoutError:
                if seconds is None:
                    raise
                raise Overloaded("database.slow_query") from None
            return rows

    @asynccontextmanager
    async def transaction(self, *, durable: bool = True) -> AsyncIterator[PostgresTransaction]:
        async with _translate_faults(), self._writes.take() as connection:
            transaction = PostgresTransaction(connection)
            try:
                async with connection.transaction():
                    yield transaction
                    await transaction.finish(durable=durable)
            except Exception:
                await transaction.refuse()
                raise

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[PostgresSnapshot]:
        async with (
            _connection(self._url, _NO_TIMEOUTS) as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            yield PostgresSnapshot(connection)

    @asynccontextmanager
    async def bulk_load(self) -> AsyncIterator[PostgresBulkLoad]:
        async with _connection(self._url, _NO_TIMEOUTS) as connection:
            await _make_durable(connection)
            async with connection.transaction():
                yield PostgresBulkLoad(connection)

    async def script(self, sql: str) -> None:
        async with _translate_faults(), _connection(self._url, _NO_TIMEOUTS) as connection:
            await _PostgresMigration(connection).script(sql)

    @asynccontextmanager
    async def migration_lock(self) -> AsyncIterator["_PostgresMigration"]:
        """Hold an advisory lock on a connection outside the pools, for as long as a migration takes."""
        async with _connection(self._url, _NO_TIMEOUTS) as connection:
            try:
                await connection.execute("SELECT pg_advisory_lock($1)", _MIGRATION_LOCK, timeout=MIGRATION_SECONDS)
            except TimeoutError:
                raise RuntimeError("another server or command has been migrating this database for an hour") from None
            yield _PostgresMigration(connection)

    async def notify(self, topics: Collection[str]) -> None:
        await self.fetch(
            f"SELECT pg_notify('{_CHANNEL}', topic) FROM unnest(CAST(:topics AS TEXT[])) AS topic",
            {"topics": list(topics)},
        )

    @asynccontextmanager
    async def listen(self, on_topic: Callable[[str], None]) -> AsyncIterator[None]:
        async with _translate_faults(), _connection(self._url, _LISTENING) as connection:
            await connection.add_listener(_CHANNEL, lambda _connection, _pid, _channel, topic: on_topic(topic))
            led, self._leads, self._listener = self._leads, False, connection
            if led:  # before another server asks
                await self.lead()
            try:
                yield
            finally:
                self._listener = None

    async def lead(self) -> bool:
        connection = self._listener
        if connection is None or connection.is_closed():
            return False  # until the relay has connected again
        question = "SELECT TRUE" if self._leads else f"SELECT pg_try_advisory_lock({_LEADER_LOCK})"
        try:
            has_lock = await connection.fetchval(question, timeout=COMMAND_SECONDS)
        except _DRIVER_FAULTS:
            return False
        self._leads = has_lock and connection is self._listener
        return self._leads

    async def check_integrity(self) -> Sequence[str]:
        """Return nothing: PostgreSQL enforces foreign keys itself, and pg_amcheck verifies its pages."""
        return ()

    async def max_connections(self) -> int | None:
        return int((await self.fetch(_MAX_CONNECTIONS, {}))[0][0])

    @property
    def commit_seconds(self) -> float:
        return 0.0

    async def unsafe_settings(self) -> Sequence[str]:
        return [row[0] for row in await self.fetch(_UNSAFE_SETTINGS, {})]

    async def close(self) -> None:
        await asyncio.gather(self._reads.close(), self._writes.close())


@asynccontextmanager
async def exclusive_database(url: str) -> AsyncIterator[None]:
    """Raise unless no server is connected to the database; a server that starts waits until the block ends."""
    async with _connection(url, {"application_name": "teamspace alone", "lock_timeout": "10s"}) as connection:
        try:
            await connection.execute("SELECT pg_advisory_lock($1)", _MIGRATION_LOCK)
        except asyncpg.LockNotAvailableError:
            raise RuntimeError("another server or command is using this database") from None
        others = await connection.fetchval(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1",
            _LIMITS["application_name"],
        )
        if others:
            raise RuntimeError(f"a server or another command uses this database ({others} connections): stop it first")
        yield


@asynccontextmanager
async def _connection(url: str, settings: dict[str, str]) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(url, timeout=CONNECT_SECONDS, server_settings=settings)
    try:
        yield connection
    finally:
        with contextlib.suppress(*_DRIVER_FAULTS):
            await connection.close(timeout=RELEASE_SECONDS)


async def _connect(url: str, settings: dict[str, str]) -> Any:
    return await asyncpg.connect(
        url, timeout=CONNECT_SECONDS, command_timeout=COMMAND_SECONDS, server_settings=settings, statement_cache_size=400,
        max_cached_statement_lifetime=0,
    )  # fmt: skip


async def _connect_durably(url: str) -> Any:
    connection = await _connect(url, _LIMITS)
    await _make_durable(connection)
    return connection


async def _make_durable(connection: Any) -> None:
    """Make commits on this connection return only when they are on disk."""
    await connection.execute(_DURABLE)
