"""The data layer: write handles, atomic commits, and the same behaviour on both databases."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType

import apsw
import asyncpg
import msgspec
import pytest

from teamspace.core.crypto import Vault
from teamspace.core.db import (
    Db,
    Duplicate,
    IdempotencyKeyTaken,
    SchemaError,
    SerializationFailure,
    Tx,
    audit,
    connect,
    migrate,
)
from teamspace.core.db import sqlite as sqlite_module
from teamspace.core.db.dialect import POSTGRES, SQLITE
from teamspace.core.db.sqlite import Sqlite
from teamspace.core.db.statements import number_parameters
from teamspace.core.errors import Overloaded, StorageFull
from teamspace.core.principal import Call, IdempotencyClaim, Principal, system
from teamspace.core.tables import BootError, On, collect_listeners
from teamspace.settings import Settings
from tests.support.tampering import tamper

WHO = Principal("api", Call("request-1", "127.0.0.1"), user_id="u", org_id="o", team_id="t", token_id="k")


NORMAL, FULL = 1, 2
"""How SQLite numbers what a commit waits for."""
on_postgres = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
"""For tests that need concurrent writers; SQLite has one."""


class Said(msgspec.Struct, frozen=True):
    words: str


@pytest.fixture
async def db(settings: Settings) -> AsyncIterator[Db]:
    settings.data.mkdir()
    engine = await connect(settings.database, pool=5)
    await migrate(engine)
    db = Db(engine, Vault(b"k" * 32))
    async with db.maintenance(system()) as tx:
        await tx.run("CREATE TABLE things (id TEXT PRIMARY KEY, value TEXT)")
    yield db
    if not settings.on_sqlite:
        await db.engine.script("DROP TABLE things")  # so that the database can be used again
    await db.close()


async def put(tx: Tx, id: str, value: str = "") -> None:
    await tx.run("INSERT INTO things (id, value) VALUES (:id, :value)", id=id, value=value)


async def things(db: Db) -> list[str]:
    return await db.all(str, "SELECT id FROM things ORDER BY id")


async def actions(db: Db) -> list[str]:
    return await db.all(str, "SELECT action FROM audit ORDER BY id")


async def test_a_write_and_its_audit_row_are_committed_together(db: Db) -> None:
    async with db.write(WHO, "thing.make") as tx:
        tx.target = "a"
        await put(tx, "a")
    with pytest.raises(ZeroDivisionError):
        async with db.write(WHO, "thing.fail") as tx:
            await put(tx, "b")
            raise ZeroDivisionError
    assert (await things(db), await actions(db)) == (["a"], ["thing.make"])


async def test_a_write_is_rolled_back_if_its_audit_row_fails(db: Db) -> None:
    async with db.maintenance(system()) as tx:
        await tx.run("ALTER TABLE audit RENAME TO audit_gone")
    with pytest.raises(Exception, match="audit"):
        async with db.write(WHO, "thing.make") as tx:
            await put(tx, "a")
    assert await things(db) == []


async def test_a_duplicate_fails_only_its_own_write(db: Db) -> None:
    async def attempt(id: str) -> bool:
        try:
            async with db.write(WHO, "thing.make") as tx:
                await put(tx, id)
        except Duplicate:
            return False
        return True

    won = await asyncio.gather(*(attempt(f"{number % 10}") for number in range(40)))
    assert sum(won) == 10
    assert len(await things(db)) == 10
    assert len(await actions(db)) == 10


async def test_many_concurrent_writes_all_succeed(db: Db) -> None:
    async def write(number: int) -> None:
        async with db.write(WHO, "thing.make") as tx:
            await put(tx, f"{number:03d}")
            assert await tx.exists("SELECT 1 FROM things WHERE id = :id", id=f"{number:03d}")

    await asyncio.gather(*(write(number) for number in range(200)))
    assert len(await things(db)) == 200


async def test_a_reader_sees_only_what_was_committed(db: Db) -> None:
    async with db.write(WHO, "thing.make") as tx:
        await put(tx, "a")
        assert await things(db) == []
    assert await things(db) == ["a"]


async def test_the_read_handle_cannot_write(db: Db) -> None:
    with pytest.raises(Exception, match=r"(?i)read.?only|query_only"):
        await db.all(str, "INSERT INTO things (id) VALUES ('a') RETURNING id")
    assert await things(db) == []


async def test_a_lock_is_exclusive(db: Db) -> None:
    inside = 0

    async def enter() -> None:
        nonlocal inside
        async with db.write(WHO, "thing.lock") as tx:
            await tx.lock("door", "1")
            inside += 1
            assert inside == 1
            await asyncio.sleep(0.002)
            inside -= 1

    await asyncio.gather(*(enter() for _ in range(10)))


async def test_after_commit_callbacks_do_not_run_after_a_rollback(db: Db) -> None:
    called: list[str] = []
    async with db.write(WHO, "thing.make") as tx:
        tx.after_commit(lambda: called.append("good"))
        assert called == []
    with pytest.raises(ZeroDivisionError):
        async with db.write(WHO, "thing.make") as tx:
            tx.after_commit(lambda: called.append("bad"))
            raise ZeroDivisionError
    assert called == ["good"]


async def _keep(tx: Tx, event: Said) -> None:
    await put(tx, event.words)


async def _fail(tx: Tx, event: Said) -> None:
    await put(tx, f"{event.words}, half")
    raise ZeroDivisionError(event.words)


async def test_a_failing_listener_undoes_the_write(db: Db) -> None:
    listening = Db(db.engine, db.vault, listeners={Said: [_keep, _fail]})
    with pytest.raises(ZeroDivisionError):
        async with listening.write(WHO, "thing.say") as tx:
            await put(tx, "said")
            await tx.emit(Said("hello"))
    assert (await things(db), await actions(db)) == ([], [])
    async with listening.write(WHO, "thing.say") as tx:
        await tx.emit("nobody listens to text")


async def test_a_best_effort_listener_that_fails_is_rolled_back_alone_and_on_record(db: Db) -> None:
    listening = Db(db.engine, db.vault, listeners={Said: [_fail, _keep]})
    async with listening.write(WHO, "thing.say") as tx:
        await tx.emit_best_effort(Said("hello"))
    assert (await things(db), listening.listener_failures) == (["hello"], 1)
    assert sorted(await actions(db)) == ["listener.fail", "thing.say"]
    detail = await db.one(str, "SELECT detail FROM audit WHERE action = 'listener.fail'")
    assert msgspec.json.decode(detail or "") == {
        "listener": f"{__name__}._fail", "event": "Said", "fault": "ZeroDivisionError",
    }, "names, no content"  # fmt: skip


async def test_what_a_best_effort_listener_did_is_undone_with_the_write(db: Db) -> None:
    listening = Db(db.engine, db.vault, listeners={Said: [_keep, _fail]})
    with pytest.raises(ZeroDivisionError):
        async with listening.write(WHO, "thing.say") as tx:
            await tx.emit_best_effort(Said("unsaid"))
            raise ZeroDivisionError
    assert (await things(db), await actions(db)) == ([], [])


async def test_deferred_statements_run_in_order_within_their_own_write(db: Db) -> None:
    async def write(id: str) -> None:
        async with db.write(WHO, "thing.make") as tx:
            await tx.defer("INSERT INTO things (id) VALUES (:id)", id=id)
            await tx.defer("UPDATE things SET value = :id WHERE id = :id", id=id)
            if id.endswith("7"):
                raise ZeroDivisionError

    results = await asyncio.gather(*(write(f"{number:02}") for number in range(20)), return_exceptions=True)
    assert [number for number, result in enumerate(results) if result] == [7, 17]
    assert await db.all(str, "SELECT value FROM things ORDER BY id") == [f"{n:02}" for n in range(20) if n % 10 != 7]


async def test_statements_deferred_by_a_failed_listener_do_not_run(db: Db) -> None:
    async def fail(tx: Tx, event: Said) -> None:
        await tx.defer("INSERT INTO things (id) VALUES (:id)", id="of the listener")
        raise ZeroDivisionError

    async with Db(db.engine, db.vault, listeners={Said: [fail]}).write(WHO, "thing.make") as tx:
        await tx.defer("INSERT INTO things (id) VALUES (:id)", id="before")
        await tx.emit_best_effort(Said("hello"))
        await tx.defer("INSERT INTO things (id) VALUES (:id)", id="after")
    assert await things(db) == ["after", "before"]


async def test_a_failing_deferred_statement_fails_its_own_write_only(db: Db) -> None:
    # PostgreSQL has other servers, which may have taken the id: there the write is repeated.
    with pytest.raises((Duplicate, SerializationFailure)):
        async with db.write(WHO, "thing.make") as tx:
            await put(tx, "a")
            await tx.defer("INSERT INTO things (id) VALUES (:id)", id="a")
    async with db.write(WHO, "thing.make") as tx:
        await put(tx, "b")
    assert (await things(db), await actions(db)) == (["b"], ["thing.make"])


async def test_listeners_are_collected_by_event(db: Db) -> None:
    async def keep(tx: Tx, event: Said) -> None:
        await put(tx, event.words)

    module = ModuleType("listening")
    module.__dict__.update(keep=keep)
    located = [(module, On(Said, "keep", "Stores the words."))]
    listening = Db(db.engine, db.vault, listeners=collect_listeners(located))
    async with listening.write(WHO, "thing.say") as tx:
        await tx.emit(Said("hello"))
    assert await things(db) == ["hello"]


async def test_a_listener_is_given_objects_of_the_server_by_their_type(db: Db) -> None:
    async def tell(tx: Tx, event: Said, told: list) -> None:
        told.append(event.words)

    module, told = ModuleType("listening"), list[str]()
    module.__dict__.update(tell=tell)
    located = [(module, On(Said, "tell", "Tells the words."))]
    assert collect_listeners(located) == {}, "the command line has no such objects"
    with pytest.raises(BootError, match="the server has no told"):
        collect_listeners(located, {int: 1})
    listening = Db(db.engine, db.vault, listeners=collect_listeners(located, {list: told}))
    async with listening.write(WHO, "thing.say") as tx:
        await tx.emit_best_effort(Said("hello"))
    assert told == ["hello"]


@pytest.mark.parametrize(
    "outage", [SerializationFailure("again"), StorageFull("database.disk_full"), Overloaded("database.busy")]
)
async def test_an_outage_in_a_best_effort_listener_fails_the_write(db: Db, outage: Exception) -> None:
    async def fail(tx: Tx, event: Said) -> None:
        raise outage

    with pytest.raises(type(outage)):
        async with Db(db.engine, db.vault, listeners={Said: [fail]}).write(WHO, "thing.say") as tx:
            await put(tx, "said")
            await tx.emit_best_effort(Said("hello"))
    assert (await things(db), await actions(db)) == ([], [])


async def test_other_refusals_in_a_best_effort_listener_do_not_fail_the_write(db: Db) -> None:
    async def fail(tx: Tx, event: Said) -> None:
        raise Overloaded("server.outdated")

    async with Db(db.engine, db.vault, listeners={Said: [fail]}).write(WHO, "thing.say") as tx:
        await put(tx, "said")
        await tx.emit_best_effort(Said("hello"))
    assert await things(db) == ["said"]


async def test_a_savepoint_undoes_its_block_alone_with_what_would_follow_the_commit(db: Db) -> None:
    called, told = list[str](), list[str]()
    db.notify = told.append
    async with db.write(WHO, "thing.make") as tx:
        await put(tx, "before")
        tx.notify("first")
        with pytest.raises(ZeroDivisionError):
            async with tx.savepoint():
                await put(tx, "undone")
                await tx.defer("INSERT INTO things (id) VALUES (:id)", id="deferred")
                tx.after_commit(lambda: called.append("undone"))
                tx.notify("second")
                async with tx.savepoint():
                    await put(tx, "inner")
                raise ZeroDivisionError
        async with tx.savepoint():
            await put(tx, "kept")
            tx.notify("second")
    assert (await things(db), called, told) == (["before", "kept"], [], ["first", "second"])


async def test_an_idempotency_key_is_taken_with_the_effect(db: Db) -> None:
    async def once() -> str:
        who = msgspec.structs.replace(WHO, call=Call(claim=IdempotencyClaim("key", b"digest")))
        try:
            async with db.write(who, "thing.make") as tx:
                await put(tx, f"{id(who)}")
        except IdempotencyKeyTaken:
            return "lost"
        return "won"

    assert sorted(await asyncio.gather(*(once() for _ in range(8)))) == ["lost"] * 7 + ["won"]
    assert len(await things(db)) == 1


async def test_a_change_to_a_rights_table_begins_a_new_rights_epoch(db: Db) -> None:
    watching = Db(db.engine, db.vault, rights_tables=frozenset({"things"}))
    elsewhere = Db(db.engine, db.vault, rights_tables=frozenset({"things"}))
    before, seen = await watching.rights_epoch(fresh=False), await elsewhere.rights_epoch(fresh=False)
    async with watching.maintenance(system()) as tx:
        await tx.run("UPDATE instance SET value = 'x' WHERE name = 'canary'")
    assert await watching.rights_epoch(fresh=False) == before
    async with watching.maintenance(system()) as tx:
        await put(tx, "a")
    assert await watching.rights_epoch(fresh=False) != before
    assert await elsewhere.rights_epoch(fresh=True) != seen


async def test_a_write_with_unchanged_rights_begins_no_epoch(db: Db) -> None:
    watching = Db(db.engine, db.vault, rights_tables=frozenset({"things"}))
    before = await watching.rights_epoch(fresh=True)
    async with watching.maintenance(system(), rights_unchanged=True) as tx:
        await put(tx, "a")
    assert await watching.rights_epoch(fresh=True) == before


async def test_a_nested_transaction_raises_instead_of_hanging(db: Db) -> None:
    async with asyncio.timeout(10):
        with pytest.raises(RuntimeError, match="nested transaction"):
            async with db.write(WHO, "thing.put"), db.maintenance(system()):
                pass
        async with db.maintenance(system()) as tx:
            await put(tx, "a")
    assert await things(db) == ["a"]


async def test_the_statement_cache_is_bounded() -> None:
    for count in range(3000):
        number_parameters(f"SELECT {', '.join(f':n{index}' for index in range(count % 50))} -- {count}", "$")
    assert number_parameters.cache_info().currsize <= 1024


# The audit chain


async def test_the_chain_is_sealed_and_every_change_is_detected(db: Db) -> None:
    for number in range(250):
        async with db.write(WHO, f"thing.{number}"):
            pass
    assert await audit.seal(db) == 250
    assert await audit.seal(db) == 0
    assert await audit.verify_chains(db) == []
    for damage, words in {
        "UPDATE audit SET action = 'other' WHERE seq = 100": "row 100 of company o was changed",
        "DELETE FROM audit WHERE seq = 7": "row 7 of company o is missing",
        "UPDATE audit SET hash = '' WHERE seq = 250": "row 250",
    }.items():
        with pytest.raises(ZeroDivisionError):
            async with db.maintenance(system()) as tx:
                await tamper(tx, damage)
                found = await audit.verify_chains(tx)
                raise ZeroDivisionError
        assert len(found) == 1 and words in found[0]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE audit SET action = 'other'",
        "UPDATE audit SET action = 'other', seq = 9, hash = 'x' WHERE seq IS NULL",
        "UPDATE audit SET id = 'x' WHERE seq IS NULL",
        "UPDATE audit SET hash = 'x' WHERE seq IS NULL",
        "UPDATE audit SET seq = 9 WHERE seq = 1",
        "UPDATE audit SET seq = NULL, hash = NULL WHERE seq = 1",
        "UPDATE audit SET target = NULL WHERE seq = 1",
        "DELETE FROM audit WHERE seq IS NULL",
        "DELETE FROM audit",
    ],
)
async def test_audit_rows_cannot_be_changed_by_sql(db: Db, change: str) -> None:
    for sealed in (True, False):
        async with db.write(WHO, "thing.make") as tx:
            tx.target = "it"
        if sealed:
            await audit.seal(db)
    before = await db.all(str, "SELECT id || action || coalesce(hash, '') FROM audit ORDER BY id")
    with pytest.raises(Exception, match="the audit trail cannot be changed"):
        async with db.maintenance(system()) as tx:
            await tx.run(change)
    assert await db.all(str, "SELECT id || action || coalesce(hash, '') FROM audit ORDER BY id") == before
    assert await audit.seal(db) == 1, "sealing still works"
    assert await audit.verify_chains(db) == []


@on_postgres
async def test_the_audit_log_cannot_be_truncated(db: Db) -> None:
    async with db.write(WHO, "thing.make") as tx:
        tx.target = "it"
    with pytest.raises(Exception, match="the audit trail cannot be changed"):
        await db.engine.script("TRUNCATE audit")
    assert await actions(db) == ["thing.make"]


async def test_each_company_has_its_own_chain(db: Db) -> None:
    other = msgspec.structs.replace(WHO, org_id="p")
    for who in (WHO, other, WHO, other):
        async with db.write(who, "thing.make"):
            pass
    await audit.seal(db)
    rows = await db.all(
        audit.SealedRow, "SELECT " + ", ".join(audit.SealedRow.__struct_fields__) + " FROM audit ORDER BY org_id, seq"
    )
    assert [(row.org_id, row.seq) for row in rows] == [("o", 1), ("o", 2), ("p", 1), ("p", 2)]


async def test_concurrent_sealing_seals_each_row_once(db: Db) -> None:
    for _ in range(50):
        async with db.write(WHO, "thing.make"):
            pass
    await asyncio.gather(*(audit.seal(db) for _ in range(4)))
    assert await audit.verify_chains(db) == []


# Migrations


async def test_a_newer_schema_is_refused(db: Db) -> None:
    async with db.maintenance(system()) as tx:
        await tx.run("INSERT INTO migrations (number, name, digest, applied_at) VALUES (9999, 'x', 'x', 'x')")
    with pytest.raises(SchemaError, match="9999"):
        await migrate(db.engine)


async def test_a_changed_first_migration_is_refused(db: Db) -> None:
    async with db.maintenance(system()) as tx:
        await tx.run("UPDATE migrations SET digest = 'other' WHERE number = 1")
    with pytest.raises(SchemaError, match="0001_core"):
        await migrate(db.engine)


async def test_servers_that_start_at_the_same_time_migrate_once(tmp_path: Path, database_url: str) -> None:
    url = database_url or f"sqlite:{tmp_path / 'together.sqlite'}"
    engines = [await connect(url, pool=2) for _ in range(3)]
    applied = await asyncio.gather(*(migrate(engine) for engine in engines))
    for engine in engines:
        await engine.close()
    assert sum(bool(names) for names in applied) == (0 if database_url else 1)  # PostgreSQL copies a migrated template


def test_a_part_of_a_migration_can_be_for_one_database() -> None:
    sql = "CREATE a;\n-- only sqlite: why\nCREATE b;\n-- only postgres\nCREATE c;\n-- on both\nCREATE d;\n-- remark\n"
    assert SQLITE.translate(sql).split() == ["CREATE", "a;", "CREATE", "b;", "CREATE", "d;", "--", "remark"]
    assert POSTGRES.translate(sql).split() == ["CREATE", "a;", "CREATE", "c;", "CREATE", "d;", "--", "remark"]


async def test_an_offloaded_read_takes_parameters_and_times_out(db: Db) -> None:
    async with db.maintenance(system()) as tx:
        await put(tx, "1", "one")
    sql = "SELECT value FROM things WHERE id = :id"
    assert await db.all_offloaded(str, sql, seconds=5, id="1") == ["one"]
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    with pytest.raises(Overloaded):
        await db.all_offloaded(int, endless, seconds=0.2)
    assert await db.all_offloaded(str, sql, seconds=5, id="1") == ["one"]


class Word(msgspec.Struct, frozen=True):
    id: str
    value: str | None


@pytest.mark.parametrize("count", [0, 1, 32, 33])
async def test_rows_are_a_table_however_many_they_are(db: Db, count: int) -> None:
    words = [Word(f"{number:02}", None if number % 2 else "odd: '?'") for number in range(count)]
    async with db.maintenance(system()) as tx:
        rows, values = tx.dialect.table("words", words, id="TEXT", value="TEXT")
        await tx.run(f"INSERT INTO things (id, value) SELECT id, value FROM ({rows}) AS words", **values)
    assert await db.all(Word, "SELECT id, value FROM things ORDER BY id") == words


# PostgreSQL only


def test_named_parameters_become_numbered() -> None:
    assert number_parameters("SELECT :a, CAST(:b AS TEXT), :a::text", "$") == (
        "SELECT $1, CAST($2 AS TEXT), $1::text",
        ("a", "b"),
    )


@on_postgres
async def test_a_read_that_fails_before_its_savepoint_is_set_fails_the_write(db: Db) -> None:
    with pytest.raises(SerializationFailure):
        async with db.maintenance(system()) as tx:
            await put(tx, "a")
            async with tx.savepoint():
                await tx.run("SELECT 1 / 0")
    async with db.maintenance(system()) as tx:
        with pytest.raises(asyncpg.DivisionByZeroError):
            async with tx.savepoint():
                await put(tx, "b")
                await tx.run("SELECT 1 / 0")
        await put(tx, "c")
    assert await things(db) == ["c"]


@on_postgres
async def test_a_deadlock_is_a_serialization_failure(db: Db) -> None:
    async with db.maintenance(system()) as tx:
        await put(tx, "1")
        await put(tx, "2")

    async def crosswise(first: str, second: str) -> None:
        async with db.maintenance(system()) as tx:
            await tx.run("UPDATE things SET value = 'x' WHERE id = :id", id=first)
            await asyncio.sleep(0.2)
            await tx.run("UPDATE things SET value = 'x' WHERE id = :id", id=second)

    results = await asyncio.gather(crosswise("1", "2"), crosswise("2", "1"), return_exceptions=True)
    assert [type(result) for result in results if result] == [SerializationFailure]


@on_postgres
async def test_a_lock_timeout_is_an_overload(db: Db) -> None:
    async with db.maintenance(system()) as tx:
        await put(tx, "1")
    async with db.maintenance(system()) as tx:
        await tx.run("UPDATE things SET value = 'x' WHERE id = '1'")
        with pytest.raises(Overloaded):
            async with Db(db.engine, db.vault).maintenance(system()) as other:
                await other.run("SET LOCAL lock_timeout = '50ms'")
                await other.run("UPDATE things SET value = 'y' WHERE id = '1'")


@on_postgres
async def test_a_migration_waits_for_locks_longer_than_a_request(db: Db) -> None:
    async with db.maintenance(system()) as tx:
        await tx.run("LOCK TABLE things IN ACCESS EXCLUSIVE MODE")
        migrating = asyncio.create_task(db.engine.script("ALTER TABLE things ADD COLUMN later TEXT"))
        await asyncio.sleep(4)  # longer than a request waits for a lock
        assert not migrating.done()
    await migrating


@on_postgres
async def test_a_statement_timeout_is_an_overload(db: Db) -> None:
    with pytest.raises(Overloaded):
        async with db.maintenance(system()) as tx:
            await tx.run("SET LOCAL statement_timeout = '50ms'")
            await tx.run("SELECT pg_sleep(5)")
    assert await db.one(str, "SHOW lock_timeout") == "3s"
    assert await db.one(str, "SHOW statement_timeout") == "15s"


# SQLite only


async def test_a_failed_commit_is_acknowledged_to_no_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Sqlite(tmp_path / "full.sqlite")
    await migrate(engine)
    db = Db(engine, Vault(b"k" * 32))
    async with db.write(WHO, "thing.first"):
        pass

    class Failing:
        """The writer, with a commit that finds the disk full."""

        def __init__(self, real: apsw.Connection) -> None:
            self.real = real

        def __getattr__(self, name: str) -> object:
            return getattr(self.real, name)

        def execute(self, sql: str, *rest: object) -> object:
            if sql == "COMMIT":
                raise apsw.FullError("database or disk is full")
            return self.real.execute(sql, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "_writer", Failing(engine._writer))

    async def write() -> None:
        async with db.write(WHO, "thing.lost"):
            pass

    results = await asyncio.gather(*(write() for _ in range(5)), return_exceptions=True)
    assert [type(result) for result in results] == [StorageFull] * 5
    monkeypatch.undo()
    async with db.write(WHO, "thing.second"):
        pass
    assert await actions(db) == ["thing.first", "thing.second"]
    await db.close()


def sync_level(engine: Sqlite) -> int:
    return int(engine._writer.execute("PRAGMA synchronous").get)


async def test_a_transaction_that_may_be_lost_waits_for_no_disk(tmp_path: Path) -> None:
    engine = Sqlite(tmp_path / "unsynced.db")
    await engine.script("CREATE TABLE things (id TEXT PRIMARY KEY)")
    async with engine.transaction(durable=False) as tx:
        assert sync_level(engine) == NORMAL
        await tx.fetch("INSERT INTO things (id) VALUES ('now')", {})
        await tx.defer("INSERT INTO things (id) VALUES ('deferred')", {})
    assert engine._batch is None
    assert len(await engine.fetch("SELECT id FROM things", {})) == 2
    with pytest.raises(ZeroDivisionError):
        async with engine.transaction(durable=False) as tx:
            await tx.fetch("INSERT INTO things (id) VALUES ('failed')", {})
            raise ZeroDivisionError
    assert len(await engine.fetch("SELECT id FROM things", {})) == 2
    assert sync_level(engine) == FULL
    await engine.close()


async def test_a_transaction_that_may_be_lost_shares_the_commit_of_others(tmp_path: Path) -> None:
    engine = Sqlite(tmp_path / "shared.db")
    await engine.script("CREATE TABLE things (id TEXT PRIMARY KEY)")

    async def insert(id: str, *, durable: bool) -> None:
        async with engine.transaction(durable=durable) as tx:
            assert sync_level(engine) == FULL
            await tx.fetch("INSERT INTO things (id) VALUES (:id)", {"id": id})

    await asyncio.gather(*(insert(str(number), durable=number % 2 == 0) for number in range(6)))
    assert len(await engine.fetch("SELECT id FROM things", {})) == 6
    await engine.close()


async def test_the_first_write_of_a_commit_fails_alone_without_a_savepoint(tmp_path: Path) -> None:
    engine = Sqlite(tmp_path / "first.db")
    await engine.script("CREATE TABLE things (id TEXT PRIMARY KEY)")
    statements: list[str] = []
    engine._writer.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: statements.append(event["sql"]))

    async def insert(id: str) -> None:
        async with engine.transaction() as tx:
            await tx.fetch("INSERT INTO things (id) VALUES (:id)", {"id": id})
            if id.startswith("failed"):
                raise ZeroDivisionError

    await insert("alone")
    assert "SAVEPOINT unit" not in statements
    ids = ("failed first", "second", "failed third", "fourth")
    ends = await asyncio.gather(*map(insert, ids), return_exceptions=True)
    assert [type(end) for end in ends] == [ZeroDivisionError, type(None)] * 2
    assert statements.count("SAVEPOINT unit") == 2, "of the third and the fourth: the second has begun anew"
    assert sorted(row[0] for row in await engine.fetch("SELECT id FROM things", {})) == ["alone", "fourth", "second"]
    await engine.close()


async def test_waiting_writers_share_one_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Sqlite(tmp_path / "batch.sqlite")
    await migrate(engine)
    db = Db(engine, Vault(b"k" * 32))
    batches: list[object] = []
    begin = sqlite_module.Sqlite._begin

    async def counted(self: Sqlite) -> sqlite_module.CommitBatch:
        batches.append(1)
        return await begin(self)

    monkeypatch.setattr(sqlite_module.Sqlite, "_begin", counted)

    async def write() -> None:
        async with db.write(WHO, "thing.make"):
            pass

    await asyncio.gather(*(write() for _ in range(100)))
    assert len(batches) < 10
    assert len(await actions(db)) == 100
    await db.close()


@pytest.mark.both_databases
@pytest.mark.parametrize("cancellations", [1, 2])
async def test_a_statement_off_the_loop_ends_before_its_transaction_is_rolled_back(db: Db, cancellations: int) -> None:
    many = (
        "INSERT INTO login_attempts (subject, failures, resets_at) WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL"
        " SELECT n + 1 FROM numbers WHERE n < :last) SELECT CAST(n AS TEXT), 1, '' FROM numbers"
    )

    async def write(last: int) -> None:
        async with db.maintenance(system()) as tx:
            await tx.run_offloaded(many, last=last)

    writing = asyncio.ensure_future(write(200_000))
    await asyncio.sleep(0.05)
    for _ in range(cancellations):
        writing.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert await db.one(int, "SELECT COUNT(*) FROM login_attempts") == 0
    await write(3)
    assert await db.one(int, "SELECT COUNT(*) FROM login_attempts") == 3
