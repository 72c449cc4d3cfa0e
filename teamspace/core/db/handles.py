"""The two handles: `Db` reads; `Tx` writes, and needs an actor and an action for the audit log."""

import asyncio
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol, TypeVar

import msgspec

from teamspace.core import clock
from teamspace.core.crypto import Vault
from teamspace.core.db.dialect import Dialect
from teamspace.core.db.engine import Engine, IdempotencyKeyTaken, Params, Row, Transaction, is_outage
from teamspace.core.db.epoch import EpochMemory, SharedRead
from teamspace.core.db.migrate import is_outdated
from teamspace.core.db.rows import as_json, mapper
from teamspace.core.db.statements import written_table
from teamspace.core.errors import Overloaded
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal

T = TypeVar("T")


class Listener(Protocol):
    """A function that runs in the transaction that emitted an event."""

    __module__: str
    __qualname__: str

    def __call__(self, tx: "Tx", event: Any, /) -> Awaitable[None]: ...


Guard = Callable[["Tx"], Awaitable[None]]

log = logging.getLogger("teamspace.db")

EPOCH_SECONDS = 1.0
CLAIM_SECONDS = clock.DAY
"""How long an idempotency key is bound to its first request."""


class Reads(ABC):
    """Read methods, the same inside and outside a transaction."""

    vault: Vault
    dialect: Dialect

    @abstractmethod
    async def _fetch(self, sql: str, params: Params) -> Sequence[Row]: ...

    async def all(self, shape: type[T], sql: str, **params: Any) -> list[T]:
        build = mapper(shape)
        return [build(row) for row in await self._fetch(sql, params)]

    async def one(self, shape: type[T], sql: str, **params: Any) -> T | None:
        """Return the first row, or None. A shape that is not a struct gets the first column."""
        rows = await self._fetch(sql, params)
        return mapper(shape)(rows[0]) if rows else None

    async def exists(self, sql: str, **params: Any) -> bool:
        return bool(await self._fetch(sql, params))

    async def recall(self, key: Hashable, load: Callable[[], Awaitable[T]]) -> T:
        """Return what `load` reads from tables of rights, without reading it again where nobody can have changed it."""
        return await load()


class AuditEntry(msgspec.Struct, frozen=True):
    """One of several requests of a caller that share a write."""

    who: Principal
    org_id: str
    team_id: str
    target: str


class Tx(Reads):
    """A write transaction: everything commits together with its audit row, or nothing does.

    A domain function may set `target` and `detail` for the audit row, and `org_id` and `team_id` if the
    write concerns another company or team than the caller's own. A company that a visitor writes in is checked for
    suspension like a caller's own.
    """

    def __init__(self, db: "Db", session: Transaction, who: Principal, action: str) -> None:
        self.who = who
        self.action = action
        self.target: str | None = None
        self.detail: dict[str, Any] = {}
        self.entries: Sequence[AuditEntry] | None = None
        """The requests that share this write: each has an audit row of its own, instead of one for all."""
        self.opens_stream = False
        """Whether the response is a stream of `target`, which a repeat of the request reads again."""
        self.org_id = who.org_id
        self.team_id = who.team_id
        self.vault = db.vault
        self.dialect = db.dialect
        self.rights_changed = False
        self._session = session
        self._db = db
        self._callbacks: list[Callable[[], None]] = []
        self._topics: set[str] = set()

    async def _fetch(self, sql: str, params: Params) -> Sequence[Row]:
        self._note_rights_change(sql)
        return await self._session.fetch(sql, params)

    def _note_rights_change(self, sql: str) -> None:
        if written_table(sql) in self._db.rights_tables:
            self.rights_changed = True
            self._db._recalled_in_writes.begin_change(self._session)

    async def recall(self, key: Hashable, load: Callable[[], Awaitable[T]]) -> T:
        return await self._db._recalled_in_writes.get(self._db.shared_epoch, key, load)

    async def check(self, shape: type[T], sql: str, verify: Callable[[T | None], None], **params: Any) -> None:
        """Have `verify` judge the row of a statement about rights. It raises before the next read or the commit: on
        PostgreSQL the statement is sent with the rows of the write, if these come first.
        """
        if self._db.shared_epoch is not None:
            key = (sql, *params.values())
            verify(await self.recall(key, lambda: self.one(shape, sql, **params)))
            return
        build = mapper(shape)
        await self._session.check(sql, params, lambda rows: verify(build(rows[0]) if rows else None))

    async def run(self, sql: str, **params: Any) -> None:
        await self._fetch(sql, params)

    async def add(self, sql: str, **params: Any) -> None:
        """Add a row that no constraint can reject, and whose statement does not depend on the one before.

        On PostgreSQL it is sent with others, before the next read or the commit.
        """
        self._note_rights_change(sql)
        await self._session.add(sql, params)

    async def defer(self, sql: str, **params: Any) -> None:
        """Run the statement with others before the commit; on SQLite on the commit thread, off the event loop.

        Only for rows that are not read again in this transaction and that no constraint can reject.
        """
        self._note_rights_change(sql)
        await self._session.defer(sql, params)

    async def run_offloaded(self, sql: str, **params: Any) -> None:
        """Run a statement that can take long, such as one that writes thousands of rows, off the event loop."""
        self._note_rights_change(sql)
        await self._session.run_offloaded(sql, params)

    async def lock(self, subject: str, *keys: str) -> None:
        """Lock the keys of a subject until the transaction ends; keys are always locked in sorted order."""
        await self._session.lock([f"{subject}:{key}" for key in sorted(keys)])

    async def try_lock(self, subject: str, *keys: str) -> set[str]:
        """Lock those of the keys that no other transaction has locked, without waiting; return them."""
        names = await self._session.try_lock([f"{subject}:{key}" for key in sorted(keys)])
        return {name.removeprefix(f"{subject}:") for name in names}

    def has_listeners(self, event: type) -> bool:
        """Whether anyone listens: if not, an event that is expensive to describe need not be."""
        return event in self._db.listeners

    async def emit(self, event: object) -> None:
        """Call the event's listeners in this transaction: if one fails, so does the write."""
        for listener in self._db.listeners.get(type(event), ()):
            await listener(self, event)

    async def emit_best_effort(self, event: object) -> None:
        """Call the event's listeners; one that fails loses only its own changes, and an audit row says that it failed.

        A conflict or an outage of the database fails the write all the same: it would not commit. So does its guard.
        """
        await self._session.flush()
        for listener in self._db.listeners.get(type(event), ()):
            try:
                async with self.savepoint():
                    await listener(self, event)
            except Exception as fault:
                if is_outage(fault):
                    raise
                await self._record_failure(listener, event, fault)

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        """Run a block that can fail without the rest: an error undoes only its own changes, and is raised."""
        callbacks, topics = len(self._callbacks), set(self._topics)
        try:
            async with self._session.savepoint():
                yield
        except BaseException:
            del self._callbacks[callbacks:]
            self._topics = topics
            raise

    async def _record_failure(self, listener: Listener, event: object, fault: Exception) -> None:
        name = f"{listener.__module__}.{listener.__qualname__}"
        log.exception("listener %s for %s failed", name, type(event).__name__)
        self._db.listener_failures += 1
        detail = {"listener": name, "event": type(event).__name__, "fault": type(fault).__name__}
        await _write_audit_row(self, "listener.fail", detail)

    def notify(self, topic: str) -> None:
        """Wake the waiters of a topic after the commit, once."""
        if topic not in self._topics:
            self._topics.add(topic)
            self.after_commit(lambda: self._db.notify(topic))

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Run `callback` after the commit is on disk; never if the transaction fails."""
        self._callbacks.append(callback)


class Db(Reads):
    """The database: reads directly, and opens every write transaction."""

    def __init__(
        self,
        engine: Engine,
        vault: Vault,
        *,
        guard: Guard | None = None,
        listeners: Mapping[type, Sequence[Listener]] | None = None,
        rights_tables: frozenset[str] = frozenset(),
    ) -> None:
        self.engine = engine
        self.vault = vault
        self.dialect = engine.dialect
        self.listeners = listeners or {}
        """By event. The application replaces them by all of them, once it has what they need."""
        self.rights_tables = rights_tables
        """Tables from which callers' rights are read: a commit that changes one starts a new rights epoch."""
        self.listener_failures = 0
        """How many listeners failed without failing their write."""
        self._guard = guard
        self._stored_epoch, self._epoch_read_at = "", 0.0
        self._epoch_reads = SharedRead(self._read_stored_epoch)
        self._recalled, self._recalled_in_writes = EpochMemory(), EpochMemory()
        """Apart, since a reader may see the state before a commit whose epoch has begun. A writer cannot."""
        self.outdated = False
        """A newer server has migrated the database: this one must not write any more."""
        self.notify: Callable[[str], None] = lambda topic: None
        """Wakes the waiters of a topic, on all servers; the application connects it to its notifier."""
        self._writing: set[asyncio.Task[Any] | None] = set()

    async def _fetch(self, sql: str, params: Params) -> Sequence[Row]:
        return await self.engine.fetch(sql, params)

    async def recall(self, key: Hashable, load: Callable[[], Awaitable[T]]) -> T:
        return await self._recalled.get(await self.rights_epoch(fresh=True), key, load)

    async def count_offloaded(self, sql: str) -> int:
        """Count off the event loop: the cost grows with the data."""
        return int((await self.engine.fetch_offloaded(sql, {}))[0][0])

    async def all_offloaded(self, shape: type[T], sql: str, *, seconds: float, **params: Any) -> list[T]:
        """Like `all`, off the event loop and with a time limit: for reads whose cost depends on the request."""
        build = mapper(shape)
        return [build(row) for row in await self.engine.fetch_offloaded(sql, params, seconds=seconds)]

    @asynccontextmanager
    async def write(
        self, who: Principal, action: str | None, *, lock: tuple[str, str] | None = None, durable: bool = True
    ) -> AsyncIterator[Tx]:
        """Run the block in a write transaction; leaving it returns when the commit is on disk.

        One that is not `durable` may be lost in a power cut: for what no one is told before a later, durable write.

        The guard refuses writes of suspended companies, and the commit includes an audit row; without an `action`
        there is none, for what nobody but the caller ever sees.
        `lock` (subject, key) is taken before the guard runs, for writes whose guards could deadlock.
        """
        async with self._transaction(durable=durable) as session:
            tx = Tx(self, session, who, action or "")
            if lock:
                await tx.lock(*lock)
            await self._check(tx)
            yield tx
            await self._check_chosen_company(tx)
            await _take_idempotency_key(tx)
            if tx.entries is not None:
                await _write_audit_rows(tx, tx.entries)
            elif action is not None:
                await _write_audit_row(tx, tx.action, tx.detail)
            await _start_rights_epoch(tx)
        self._finish(tx)

    @asynccontextmanager
    async def write_many(self, who: Principal, subject: str, *keys: str) -> AsyncIterator["WriteBatch"]:
        """Run several writes in one commit: each has its own audit row, and can fail without the others.

        All their locks are taken at the start: taken one by one, two such transactions could deadlock.
        """
        async with self._transaction() as session:
            batch = WriteBatch(self, session)
            tx = Tx(self, session, who, "")
            await tx.lock(subject, *keys)
            yield batch
            await _take_idempotency_key(tx)
        for done in (*batch.done, tx):
            self._finish(done)

    async def _check(self, tx: Tx) -> None:
        if self._guard is not None:
            await self._guard(tx)

    async def _check_chosen_company(self, tx: Tx) -> None:
        """Run the guard for a visitor's write in a company, such as a sign-up: before the block it is not known which."""
        if tx.who.kind == "anonymous" and tx.org_id != tx.who.org_id:
            await self._check(tx)

    @asynccontextmanager
    async def maintenance(
        self, who: Principal, *, durable: bool = True, rights_unchanged: bool = False
    ) -> AsyncIterator[Tx]:
        """Write on behalf of the server itself (counters, last-used times, seals): no guard, no audit row.

        With `rights_unchanged` the rights epoch stays, although the block writes a table of rights.
        """
        async with self._transaction(durable=durable) as session:
            tx = Tx(self, session, who, "")
            yield tx
            tx.rights_changed = tx.rights_changed and not rights_unchanged
            await _start_rights_epoch(tx)
        self._finish(tx)

    @asynccontextmanager
    async def _transaction(self, *, durable: bool = True) -> AsyncIterator[Transaction]:
        """Open a transaction; one at a time per task, since a nested one would deadlock."""
        if self.outdated:
            raise Overloaded("server.outdated", 60)
        task = asyncio.current_task()
        if task in self._writing:
            raise RuntimeError("nested transaction: pass the handle of the open one instead")
        self._writing.add(task)
        session: Transaction | None = None
        try:
            async with self.engine.transaction(durable=durable) as session:
                yield session
        finally:
            self._writing.discard(task)
            self._recalled_in_writes.end(session)

    async def wait_for_commits(self) -> None:
        """Wait until commits in progress can be read: on SQLite, readers see a group commit when it is on disk."""
        async with self.engine.transaction():
            pass

    async def watch_schema(self) -> None:
        """Stop writing if a newer server has migrated the database; called periodically."""
        if not self.outdated and await is_outdated(self.engine):
            self.outdated = True
            log.error("a newer server has migrated the database: this one is read-only from now on; replace it")

    async def rights_epoch(self, *, fresh: bool) -> tuple[int, str]:
        """Return a value that changes whenever any process may have changed rights.

        It is at most a second old, and current if `fresh`. The stored epoch is read even where all processes share one:
        a process may have been killed between its commit and the next epoch. Then nothing that was read before holds.
        """
        now, epoch = time.monotonic(), self.engine.epoch
        if (fresh and not epoch.is_shared) or now - self._epoch_read_at > EPOCH_SECONDS:
            self._epoch_read_at = now
            await self._epoch_reads.get()
        return epoch.read(), self._stored_epoch

    @property
    def shared_epoch(self) -> tuple[int, str] | None:
        """The epoch, where every process sees a new one at once: then there is one writer, and nobody else can change
        what it read before its write ends. None where only the database knows it.
        """
        epoch = self.engine.epoch
        return (epoch.read(), self._stored_epoch) if epoch.is_shared else None

    async def _read_stored_epoch(self) -> None:
        self._stored_epoch = await self.one(str, "SELECT value FROM instance WHERE name = 'rights_epoch'") or ""
        self._recalled_in_writes.forget()  # a change of the file by hand applies within a second

    def _finish(self, tx: Tx) -> None:
        if tx.rights_changed:
            self.engine.epoch.renew()
        for callback in tx._callbacks:
            callback()

    async def close(self) -> None:
        await self.engine.close()


class WriteBatch(Reads):
    """Writes that share a transaction; a block that fails rolls back only its own."""

    def __init__(self, db: Db, session: Transaction) -> None:
        self.vault = db.vault
        self.dialect = db.dialect
        self.done: list[Tx] = []
        self._db, self._session = db, session

    async def _fetch(self, sql: str, params: Params) -> Sequence[Row]:
        return await self._session.fetch(sql, params)

    @asynccontextmanager
    async def write(self, who: Principal, action: str) -> AsyncIterator[Tx]:
        async with self._session.savepoint():
            tx = Tx(self._db, self._session, who, action)
            await self._db._check(tx)
            yield tx
            await self._db._check_chosen_company(tx)
            await _write_audit_row(tx, tx.action, tx.detail)
            await _start_rights_epoch(tx)
        self.done.append(tx)


async def _start_rights_epoch(tx: Tx) -> None:
    if tx.rights_changed:
        tx._session.rights_changed = True
        await tx.run("UPDATE instance SET value = :value WHERE name = 'rights_epoch'", value=new_id())


async def _take_idempotency_key(tx: Tx) -> None:
    """Store the request's idempotency key in the same commit as its effect, so that it takes effect once."""
    claim = tx.who.call.claim
    if claim is None or claim.taken:
        return
    taken = await tx.exists(
        "INSERT INTO idempotency (owner, key, digest, created_at, target, status)"
        " VALUES (:owner, :key, :digest, :now, :target, :status)"
        " ON CONFLICT (owner, key) DO UPDATE SET digest = excluded.digest, created_at = excluded.created_at,"
        " status = excluded.status, answer = NULL, target = excluded.target"
        " WHERE idempotency.created_at < :forgotten RETURNING key",
        owner=tx.who.rights_key, key=claim.key, digest=claim.digest, now=clock.stamp(),
        forgotten=clock.ago(CLAIM_SECONDS), target=tx.target, status=200 if tx.opens_stream else None,
    )  # fmt: skip
    if not taken:
        raise IdempotencyKeyTaken
    tx.after_commit(claim.take)


async def _write_audit_row(tx: Tx, action: str, detail: dict[str, Any]) -> None:
    await tx.defer(
        "INSERT INTO audit (id, org_id, team_id, at, actor_kind, actor_id, token_id, action, target, detail,"
        " request_id, address) VALUES (:id, :org_id, :team_id, :at, :actor_kind, :actor_id, :token_id,"
        " :action, :target, :detail, :request_id, :address)",
        **_audit_row(tx.who, tx.org_id, tx.team_id, action, tx.target, detail),
    )


async def _write_audit_rows(tx: Tx, entries: Sequence[AuditEntry]) -> None:
    if not entries:
        return
    rows = [_audit_row(entry.who, entry.org_id, entry.team_id, tx.action, entry.target, tx.detail) for entry in entries]
    table = tx.dialect.json_table("entries", **dict.fromkeys(rows[0], "TEXT"))
    names = ", ".join(rows[0])
    await tx.defer(f"INSERT INTO audit ({names}) SELECT {names} FROM ({table}) AS entry", entries=as_json(rows))


def _audit_row(
    who: Principal, org_id: str, team_id: str, action: str, target: str | None, detail: dict[str, Any]
) -> dict[str, str | None]:
    return {
        "id": new_id(), "org_id": org_id, "team_id": team_id or None, "at": clock.stamp(), "actor_kind": who.kind,
        "actor_id": who.user_id or None, "token_id": who.token_id or None, "action": action, "target": target,
        "detail": msgspec.json.encode(detail).decode(), "request_id": who.call.request_id, "address": who.call.address,
    }  # fmt: skip
