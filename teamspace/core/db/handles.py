"""The two handles: `Db` reads; `Tx` writes, and exists only with an actor and an action to put on record."""

import asyncio
import logging
import re
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from teamspace.core import clock
from teamspace.core.crypto import Vault
from teamspace.core.db.dialect import Dialect
from teamspace.core.db.engine import AlreadyClaimed, Engine, Params, Row, Session
from teamspace.core.db.migrate import is_outdated
from teamspace.core.db.rows import mapper
from teamspace.core.errors import Overloaded
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal

T = TypeVar("T")
Listener = Callable[["Tx", Any], Awaitable[None]]
Guard = Callable[["Tx"], Awaitable[None]]

log = logging.getLogger("teamspace.db")

EPOCH_SECONDS = 1.0
CLAIM_SECONDS = clock.DAY
"""How long an idempotency key belongs to its first request."""
_WRITE = re.compile(r"(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)")


@lru_cache(1024)
def written_table(sql: str) -> str | None:
    """The table a statement changes, if any; the house writes its SQL verbs in capitals."""
    match = _WRITE.match(sql)
    return match[1] if match else None


class Reads(ABC):
    """Reading, the same inside a transaction and outside."""

    vault: Vault
    dialect: Dialect

    @abstractmethod
    async def _fetch(self, sql: str, params: Params) -> Sequence[Row]: ...

    async def all(self, shape: type[T], sql: str, **params: Any) -> list[T]:
        build = mapper(shape)
        return [build(row) for row in await self._fetch(sql, params)]

    async def one(self, shape: type[T], sql: str, **params: Any) -> T | None:
        """The first row, or None. A shape that is no struct takes the first column."""
        rows = await self._fetch(sql, params)
        return mapper(shape)(rows[0]) if rows else None

    async def holds(self, sql: str, **params: Any) -> bool:
        """Whether there is such a row."""
        return bool(await self._fetch(sql, params))


class Tx(Reads):
    """One unit of work: all of it commits, with its audit row, or none of it.

    A verb may set `target` and `detail` for the audit row, and `org_id` and `team_id` where the
    caller's own are not the ones that were touched.
    """

    def __init__(self, db: "Db", session: Session, who: Principal, action: str) -> None:
        self.who = who
        self.action = action
        self.target: str | None = None
        self.detail: dict[str, Any] = {}
        self.org_id = who.org_id
        self.team_id = who.team_id
        self.vault = db.vault
        self.dialect = db.dialect
        self.rights_changed = False
        self._session = session
        self._rights = db.rights
        self._listeners = db.listeners
        self._after: list[Callable[[], None]] = []

    async def _fetch(self, sql: str, params: Params) -> Sequence[Row]:
        self._watch(sql)
        return await self._session.fetch(sql, params)

    def _watch(self, sql: str) -> None:
        if written_table(sql) in self._rights:
            self.rights_changed = True

    async def run(self, sql: str, **params: Any) -> None:
        await self._fetch(sql, params)

    async def defer(self, sql: str, **params: Any) -> None:
        """For what nobody reads before the commit, and nothing but the disk can refuse: it holds nobody up."""
        self._watch(sql)
        await self._session.defer(sql, params)

    async def lock(self, subject: str, *keys: str) -> None:
        """From here to the commit nobody else is past the same locks; they are taken in one order by everybody."""
        await self._session.lock([f"{subject}:{key}" for key in sorted(keys)])

    async def emit(self, event: object) -> None:
        """Tell the listeners, inside this transaction. One that fails undoes its own part, not the write."""
        for listener in self._listeners.get(type(event), ()):
            try:
                async with self._session.savepoint():
                    await listener(self, event)
            except Exception:
                log.exception("a listener of %s failed", type(event).__name__)

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Run `callback` once the commit is safe on disk; never when it is not."""
        self._after.append(callback)


class Db(Reads):
    """The database as a whole: reads, and the only door to a write."""

    def __init__(
        self,
        engine: Engine,
        vault: Vault,
        *,
        guard: Guard | None = None,
        listeners: Mapping[type, Sequence[Listener]] | None = None,
        rights: frozenset[str] = frozenset(),
    ) -> None:
        self.engine = engine
        self.vault = vault
        self.dialect = engine.dialect
        self.listeners = listeners or {}
        self.rights = rights
        """The tables from which callers' rights are read: a commit that changes one begins a new epoch."""
        self._guard = guard
        self._epoch, self._shared_epoch, self._looked_at = 0, "", 0.0
        self.outdated = False
        """A newer server has migrated the database: nothing is written any more by the rules of this one."""
        self._writing: set[asyncio.Task[Any] | None] = set()

    async def _fetch(self, sql: str, params: Params) -> Sequence[Row]:
        return await self.engine.fetch(sql, params)

    async def count_aside(self, sql: str) -> int:
        """A count that grows with the data, made where it holds nobody up."""
        return int((await self.engine.aside(sql, {}))[0][0])

    async def all_aside(self, shape: type[T], sql: str, *, seconds: float, **params: Any) -> list[T]:
        """Like `all`, for a read whose cost depends on what somebody asks: it holds nobody up, and has an end."""
        build = mapper(shape)
        return [build(row) for row in await self.engine.aside(sql, params, seconds=seconds)]

    @asynccontextmanager
    async def write(self, who: Principal, action: str, *, alone: tuple[str, str] | None = None) -> AsyncIterator[Tx]:
        """Suspended companies stop here; what commits is on record; the block ends when it is on disk.

        `alone` is a lock to hold from the very beginning, for verbs whose guard could meet another's.
        """
        async with self._transaction() as session:
            tx = Tx(self, session, who, action)
            if alone:
                await tx.lock(*alone)
            await self._check(tx)
            yield tx
            await _claim(tx)
            await _record(tx)
            await _begin_epoch(tx)
        self._committed(tx)

    @asynccontextmanager
    async def write_many(self, who: Principal, subject: str, *keys: str) -> AsyncIterator["Units"]:
        """One commit for several writes: each has its own row in the trail, and may fail by itself.

        All that they lock is locked at the beginning: taken one by one, two such transactions could meet.
        """
        async with self._transaction() as session:
            units = Units(self, session)
            tx = Tx(self, session, who, "")
            await tx.lock(subject, *keys)
            yield units
            await _claim(tx)
        for done in (*units.done, tx):
            self._committed(done)

    async def _check(self, tx: Tx) -> None:
        if self._guard is not None:
            await self._guard(tx)

    @asynccontextmanager
    async def upkeep(self, who: Principal, *, lasting: bool = True, same_rights: bool = False) -> AsyncIterator[Tx]:
        """The server's own bookkeeping (counters, times of last use, seals): no guard and no audit row.

        With `same_rights` no right changes, although a table is written that rights are read from.
        """
        async with self._transaction(lasting=lasting) as session:
            tx = Tx(self, session, who, "")
            yield tx
            tx.rights_changed = tx.rights_changed and not same_rights
            await _begin_epoch(tx)
        self._committed(tx)

    @asynccontextmanager
    async def _transaction(self, *, lasting: bool = True) -> AsyncIterator[Session]:
        """One at a time for each task: a second one would wait for the first, which waits for it."""
        if self.outdated:
            raise Overloaded("The database belongs to a newer server now: this one only reads.", 60)
        task = asyncio.current_task()
        if task in self._writing:
            raise RuntimeError("a transaction was begun inside another one: pass its handle on instead")
        self._writing.add(task)
        try:
            async with self.engine.transaction(lasting=lasting) as session:
                yield session
        finally:
            self._writing.discard(task)

    async def settled(self) -> None:
        """Once what others are just committing can be read: SQLite gathers commits, and readers see them when on disk."""
        async with self.engine.transaction():
            pass

    async def watch_schema(self) -> None:
        """Now and then: see whether the schema is still this server's."""
        if not self.outdated and await is_outdated(self.engine):
            self.outdated = True
            log.error("a newer server has migrated the database: this one only reads from now on; replace it")

    async def rights_epoch(self, *, afresh: bool) -> tuple[int, str]:
        """Changes whenever anybody's rights may have, by any process; at most a second old unless read `afresh`."""
        now = time.monotonic()
        if afresh or now - self._looked_at > EPOCH_SECONDS:
            self._looked_at = now
            self._shared_epoch = await self.one(str, "SELECT value FROM instance WHERE name = 'rights_epoch'") or ""
        return self._epoch, self._shared_epoch

    def _committed(self, tx: Tx) -> None:
        if tx.rights_changed:
            self._epoch += 1
        for callback in tx._after:
            callback()

    async def close(self) -> None:
        await self.engine.close()


class Units(Reads):
    """Writes that share a transaction; a block that fails undoes its own, and no other."""

    def __init__(self, db: Db, session: Session) -> None:
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
            await _record(tx)
            await _begin_epoch(tx)
        self.done.append(tx)


async def _begin_epoch(tx: Tx) -> None:
    if tx.rights_changed:
        await tx.run("UPDATE instance SET value = :value WHERE name = 'rights_epoch'", value=new_id())


async def _claim(tx: Tx) -> None:
    """Take the request's idempotency key in the same commit as its effect, so that it happens once."""
    claim = tx.who.call.claim
    if claim is None or claim.taken:
        return
    taken = await tx.holds(
        "INSERT INTO idempotency (owner, key, digest, created_at) VALUES (:owner, :key, :digest, :now)"
        " ON CONFLICT (owner, key) DO UPDATE SET digest = excluded.digest, created_at = excluded.created_at,"
        " status = NULL, answer = NULL WHERE idempotency.created_at < :forgotten RETURNING key",
        owner=tx.who.standing, key=claim.key, digest=claim.digest, now=clock.stamp(),
        forgotten=clock.ago(CLAIM_SECONDS),
    )  # fmt: skip
    if not taken:
        raise AlreadyClaimed
    tx.after_commit(claim.take)


async def _record(tx: Tx) -> None:
    who = tx.who
    await tx.defer(
        "INSERT INTO audit (id, org_id, team_id, at, actor_kind, actor_id, token_id, action, target, detail,"
        " request_id, address) VALUES (:id, :org_id, :team_id, :at, :actor_kind, :actor_id, :token_id,"
        " :action, :target, :detail, :request_id, :address)",
        id=new_id(), org_id=tx.org_id, team_id=tx.team_id or None, at=clock.stamp(),
        actor_kind=who.kind, actor_id=who.user_id or None, token_id=who.token_id or None, action=tx.action,
        target=tx.target, detail=msgspec.json.encode(tx.detail).decode(),
        request_id=who.call.request_id, address=who.call.address,
    )  # fmt: skip
