"""SQLite: reads run on the event loop, one writer, and group commit.

A statement takes microseconds, so it needs no thread. Only the commit, which waits for the disk, runs in a
thread, together with the deferred statements. The first transaction opens a batch, and each that follows before the
commit is a savepoint in it. The batch commits once, and only then do its transactions return: nothing is acknowledged
that a power cut could undo.
A transaction that may be lost in a power cut waits for no disk, so it needs neither batch nor thread.

Several processes can share the file: then each takes its turn for a batch, and tells the others what to look at.
"""

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from multiprocessing import reduction
from pathlib import Path
from typing import Any

import apsw

from teamspace.core import clock, pools
from teamspace.core.db.commit_thread import CommitThread
from teamspace.core.db.dialect import SQLITE
from teamspace.core.db.engine import Duplicate, Params, Row, Verify
from teamspace.core.db.epoch import Epoch, MappedEpoch, epoch_file
from teamspace.core.db.leader import LeaderLock
from teamspace.core.db.relevance import relevance
from teamspace.core.db.statements import join_rows, number_parameters
from teamspace.core.db.wakeups import Wakeups
from teamspace.core.db.write_turn import WriteTurn
from teamspace.core.errors import Overloaded, StorageFull

BUSY_MS = 5000
_STEPS_PER_CHECK = 10_000
_MAX_MAPPED = 0x7FFF0000
"""How much of the file is read without a system call: the most that SQLite allows. It costs addresses, not memory."""
_SYNC_FAULTS = (apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC)
_DISK_FAULTS = (apsw.FullError, apsw.IOError, apsw.CantOpenError)


def connect(path: Path, *, sync: str = "full", readonly: bool = False) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    connection = apsw.Connection(str(path), flags=flags, statementcachesize=400)
    connection.set_busy_timeout(BUSY_MS)  # first: another process may already hold a lock for the next statements
    # Without it the planner uses bound values, and prepares a statement again at every call.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    # Deterministic within a statement, so that it is not called again for every row.
    connection.create_scalar_function("moment", _moment, 1, deterministic=True)
    connection.register_fts5_function("relevance", relevance)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {sync}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"PRAGMA mmap_size = {_MAX_MAPPED}")
    if readonly:
        connection.execute("PRAGMA query_only = ON")
        # Only the writer makes checkpoints: in a reader one would block the event loop.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    return connection


def _moment(*seconds: Any) -> str:
    """Implement `moment` with this process's clock: SQLite has no other."""
    return clock.later(*seconds)


class CommitBatch:
    """The transactions that share one commit."""

    def __init__(self) -> None:
        self.deferred: list[tuple[str, Params]] = []
        self.rights_changed = False
        self._waiting: list[asyncio.Future[None]] = []

    def join(self) -> asyncio.Future[None]:
        """Return a future for the end of the commit; each caller has its own, and can cancel it."""
        end = asyncio.get_running_loop().create_future()
        self._waiting.append(end)
        return end

    def end(self) -> None:
        for end in self._waiting:
            if not end.done():
                end.set_result(None)

    def fail(self, fault: Exception) -> None:
        for end in self._waiting:
            if not end.done():
                end.set_exception(fault)


class SqliteTransaction:
    """Has one cursor: making one takes as long as a third of a small statement."""

    def __init__(self, connection: apsw.Connection, thread: CommitThread) -> None:
        self._connection, self._thread = connection, thread
        self._cursor = connection.cursor()
        self.deferred: list[tuple[str, Params]] = []
        self.rights_changed = False

    async def fetch(self, sql: str, params: Params) -> Sequence[Row]:
        return _run(self._cursor, sql, params)

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        deferred = len(self.deferred)
        try:
            with self._connection:
                yield
        except BaseException:
            del self.deferred[deferred:]
            raise

    async def add(self, sql: str, params: Params) -> None:
        _run(self._cursor, sql, params)

    async def defer(self, sql: str, params: Params) -> None:
        self.deferred.append((sql, params))

    async def check(self, sql: str, params: Params, verify: Verify) -> None:
        verify(_run(self._cursor, sql, params))

    async def flush(self) -> None:
        """Do nothing: deferred statements wait for the commit."""

    async def run_offloaded(self, sql: str, params: Params) -> None:
        """Run a statement on the commit thread, which is idle while a transaction is open."""
        running = self._thread.run(_run, self._cursor, sql, params)
        try:
            await asyncio.shield(running)
        finally:
            # The thread cannot be interrupted: nobody else may use the connection before it is done.
            while not running.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({running})

    async def lock(self, names: Sequence[str]) -> None:
        """Do nothing: SQLite has one writer at a time."""

    async def try_lock(self, names: Sequence[str]) -> Sequence[str]:
        return names


class SqliteSnapshot:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    async def fetch(self, sql: str, params: Params) -> Sequence[Row]:
        return _run(self._connection, sql, params)

    async def stream(self, sql: str) -> AsyncIterator[Row]:
        for row in self._connection.execute(sql):
            yield row


class SqliteBulkLoad:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    async def fetch(self, sql: str, params: Params) -> Sequence[Row]:
        return _run(self._connection, sql, params)

    async def script(self, sql: str) -> None:
        self._connection.execute(sql)

    async def load(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        names = ", ".join(f'"{name}"' for name in columns)
        marks = ", ".join("?" for _ in columns)
        self._connection.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', rows)

    async def dangling_references(self) -> Sequence[str]:
        return _dangling_references(self._connection)


class _Readers:
    """Connections for reads in threads. They are kept, with the statements that they have prepared and what they have
    read of the schema: opening one takes longer than most searches."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: list[apsw.Connection] = []

    @contextmanager
    def take(self) -> Iterator[apsw.Connection]:
        """Lend a connection; one whose read failed is not kept."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = connect(self._path, readonly=True)
        try:
            yield connection
            connection.set_progress_handler(None)
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


class Sqlite:
    dialect = SQLITE

    def __init__(self, path: Path, *, sync: str = "full", shared: bool = False) -> None:
        """`shared` if other server processes use the file."""
        self._path, self._sync = path, sync
        self._turn = WriteTurn(path) if shared else None
        self._wakeups = Wakeups(path) if shared else None
        self._leader = LeaderLock(path) if shared else None
        self.epoch: Epoch = MappedEpoch(epoch_file(path))
        self.checkpoint_pages = 1000
        """How long the log may become before a commit makes a checkpoint: SQLite's default."""
        self._writer = connect(path, sync=sync)
        self._reader = connect(path, readonly=True)
        self._reads = self._reader.cursor()
        self._readers = _Readers(path)
        self._write_lock = asyncio.Lock()
        self._thread = CommitThread()
        self._batch: CommitBatch | None = None
        self._commits: set[asyncio.Task[None]] = set()
        self._commit_began: float | None = None
        self._broken = False

    async def fetch(self, sql: str, params: Params) -> Sequence[Row]:
        return _run(self._reads, sql, params)

    async def fetch_offloaded(self, sql: str, params: Params, *, seconds: float | None = None) -> Sequence[Row]:
        def read() -> Sequence[Row]:
            with self._readers.take() as connection:
                if seconds is not None:
                    end = time.monotonic() + seconds
                    connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS_PER_CHECK)
                try:
                    return _run(connection, sql, params)
                except apsw.InterruptError:
                    raise Overloaded("database.slow_query") from None

        return await pools.READS.run(read)

    @asynccontextmanager
    async def transaction(self, *, durable: bool = True) -> AsyncIterator[SqliteTransaction]:
        async with self._write_lock:
            if not durable and self._batch is None:
                async with self._unsynced() as session:
                    yield session
                return
            # Within a savepoint, SQLite copies each page before it changes it.
            is_first = self._batch is None
            batch = self._batch or await self._begin()
            if not is_first:
                _run(self._writer, "SAVEPOINT unit", {})
            session = SqliteTransaction(self._writer, self._thread)
            try:
                yield session
                if not is_first:
                    _run(self._writer, "RELEASE unit", {})
                batch.deferred += session.deferred
                batch.rights_changed |= session.rights_changed
                end = batch.join()
            except BaseException as fault:
                self._roll_back_unit(batch, fault, is_first=is_first)
                raise
        await end

    @asynccontextmanager
    async def _unsynced(self) -> AsyncIterator[SqliteTransaction]:
        """Run a transaction of its own, whose commit only writes to the operating system's memory."""
        self._check_sync()
        await self._take_turn()
        try:
            self._writer.execute("PRAGMA synchronous = normal")
            self._writer.wal_autocheckpoint(0)  # it waits for the disk; the next batch makes it
            _run(self._writer, "BEGIN IMMEDIATE", {})
            session = SqliteTransaction(self._writer, self._thread)
            yield session
            self._finish(session.deferred, session.rights_changed)
        finally:
            self._roll_back()
            self._writer.execute(f"PRAGMA synchronous = {self._sync}")
            self._writer.wal_autocheckpoint(self.checkpoint_pages)

    def _check_sync(self) -> None:
        if self._broken:
            raise StorageFull("database.sync_failed")

    async def _take_turn(self) -> None:
        """Wait until no other process writes."""
        if self._turn is None or self._turn.try_take():
            return
        taking = self._thread.run(self._turn.take)
        try:
            await asyncio.shield(taking)
        except asyncio.CancelledError:
            # The thread cannot be interrupted: nobody else may write with the lock that it will get.
            while not taking.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({taking})
            self._turn.release()
            raise

    def _release_turn(self) -> None:
        if self._turn is not None:
            self._turn.release()

    async def _begin(self) -> CommitBatch:
        self._check_sync()
        await self._take_turn()
        try:
            _run(self._writer, "BEGIN IMMEDIATE", {})
        except BaseException:
            self._release_turn()
            raise
        self._batch = batch = CommitBatch()
        # The lock is FIFO: the commit runs after all transactions that wait for it now.
        commit = asyncio.get_running_loop().create_task(self._commit(batch))
        self._commits.add(commit)
        commit.add_done_callback(self._commits.discard)
        return batch

    async def _commit(self, batch: CommitBatch) -> None:
        async with self._write_lock:
            if self._batch is not batch:
                return
            self._batch = None
            try:
                await self._thread.run(self._finish_timed, batch)
            except Exception as fault:
                self._roll_back()
                batch.fail(fault)
            else:
                batch.end()

    def _finish_timed(self, batch: CommitBatch) -> None:
        self._commit_began = time.monotonic()
        try:
            self._finish(batch.deferred, batch.rights_changed)
        finally:
            self._commit_began = None

    @property
    def commit_seconds(self) -> float:
        began = self._commit_began
        return 0.0 if began is None else time.monotonic() - began

    def _finish(self, deferred: Sequence[tuple[str, Params]], rights_changed: bool) -> None:
        for sql, params in join_rows(deferred):
            _run(self._writer, sql, params)
        if rights_changed:
            # The next writer must read rights again, even if this process dies between the commit and the new epoch.
            self.epoch.renew()
        try:
            self._writer.execute("COMMIT")
        except apsw.Error as fault:
            self._broken = getattr(fault, "extendedresult", 0) in _SYNC_FAULTS
            raise _storage_fault(fault) from fault
        self._release_turn()

    def _roll_back_unit(self, batch: CommitBatch, fault: BaseException, *, is_first: bool) -> None:
        """Roll back one transaction. On a full disk SQLite rolls back the whole batch: then all of it fails."""
        if self._writer.in_transaction and not is_first:
            self._writer.execute("ROLLBACK TO unit")
            self._writer.execute("RELEASE unit")
            return
        self._batch = None
        self._roll_back()
        batch.fail(fault if isinstance(fault, Exception) else StorageFull("database.interrupted"))

    def _roll_back(self) -> None:
        if self._writer.in_transaction:
            self._writer.execute("ROLLBACK")
        self._release_turn()

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[SqliteSnapshot]:
        connection = connect(self._path, readonly=True)
        try:
            connection.execute("BEGIN")
            # The snapshot starts with the first read, not with BEGIN.
            connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchall()
            yield SqliteSnapshot(connection)
        finally:
            connection.close()

    @asynccontextmanager
    async def bulk_load(self) -> AsyncIterator[SqliteBulkLoad]:
        async with self.transaction():
            self._writer.execute("PRAGMA defer_foreign_keys = ON")
            yield SqliteBulkLoad(self._writer)

    async def script(self, sql: str) -> None:
        with self._writer:
            self._writer.execute(sql)

    @asynccontextmanager
    async def migration_lock(self) -> AsyncIterator["Sqlite"]:
        with self._path.with_suffix(".migrating").open("w") as lock:
            await pools.UPKEEP.run(fcntl.flock, lock, fcntl.LOCK_EX)
            yield self

    async def notify(self, topics: Collection[str]) -> None:
        if self._wakeups is not None:
            await self._wakeups.notify(topics)

    @asynccontextmanager
    async def listen(self, on_topic: Callable[[str], None]) -> AsyncIterator[None]:
        if self._wakeups is None:
            yield
            return
        async with self._wakeups.listen(on_topic):
            yield

    async def lead(self) -> bool:
        return self._leader is None or self._leader.try_take()

    async def check_integrity(self) -> Sequence[str]:
        def check() -> list[str]:
            found = [str(row[0]) for row in self._reader.execute("PRAGMA integrity_check")]
            return [line for line in found if line != "ok"] + _dangling_references(self._reader)

        return await pools.UPKEEP.run(check)

    async def max_connections(self) -> int | None:
        return None

    async def unsafe_settings(self) -> Sequence[str]:
        return ()

    async def close(self) -> None:
        while self._commits:
            await asyncio.wait(self._commits)
        self._thread.close()
        if self._turn is not None:
            self._turn.close()
        if self._leader is not None:
            self._leader.close()
        self.epoch.close()
        self._readers.close()
        self._reader.close()
        self._writer.close()


def _run(on: apsw.Connection | apsw.Cursor, sql: str, params: Params | Sequence[Any]) -> list[Any]:
    if isinstance(params, dict):
        # SQLite looks for each name among all names of the statement.
        sql, names = number_parameters(sql, "?")
        params = [params[name] for name in names]
    try:
        return on.execute(sql, params).fetchall()
    except apsw.ConstraintError as fault:
        if getattr(fault, "extendedresult", 0) in (apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY):
            raise Duplicate(str(fault)) from fault
        raise
    except _DISK_FAULTS as fault:
        raise _storage_fault(fault) from fault


def _dangling_references(connection: apsw.Connection) -> list[str]:
    return [
        f"{row[0]}: a row references a missing row of {row[2]}"
        for row in connection.execute("PRAGMA foreign_key_check")
    ]


def _storage_fault(fault: apsw.Error) -> StorageFull:
    return StorageFull("database.disk_failed")


class FolderLock:
    """Ensures one server per data folder. Its processes share the lock: it lasts until the last of them has ended."""

    def __init__(self, folder: Path) -> None:
        self._file = (folder / "server.lock").open("a+")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            raise RuntimeError(f"another server (process {self._file.read().strip()}) uses this data folder") from None
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def release(self) -> None:
        self._file.close()

    def __reduce__(self) -> tuple[Callable[[Any], "FolderLock"], tuple[Any]]:
        return _share_lock, (reduction.DupFd(self._file.fileno()),)


def _share_lock(descriptor: Any) -> FolderLock:
    """Return the lock in a new process: a duplicate of the descriptor holds the same lock."""
    lock = FolderLock.__new__(FolderLock)
    lock._file = os.fdopen(descriptor.detach(), "a+")
    return lock
