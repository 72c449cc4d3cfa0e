"""The cost of a request depends on what it returns, not on what others have; and the largest conversation is cheap enough."""

from typing import Any

import pytest

from teamspace import conversations
from teamspace.conversations import access, store
from teamspace.conversations.domain import turns
from teamspace.conversations.schemas import CONVERSATIONS, Access
from teamspace.core import clock
from teamspace.core.db import Reads, as_json
from teamspace.core.db.engine import Params, Row
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal, system
from teamspace.sharing import store as sharing
from tests.conversations.help import begin, broken, create, end, principal, say
from tests.cost.help import LIMIT, Call, Costs, cpu_seconds
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases

OTHERS = 10_000


def _numbers(last: int) -> str:
    return f"WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {last}) SELECT"


_NUMBERS = _numbers(OTHERS)
_ID, _TIME = "'x' || CAST(n AS TEXT)", "'2020-01-01T00:00:00.' || CAST(10000 + n AS TEXT)"


async def fill(world: World, owner: Caller, reader: Caller) -> None:
    """Add 10,000 conversations of one person, with two turns each, all shared with another."""
    values = {"org": owner.org.id, "team": owner.team.id, "owner": owner.user_id, "reader": reader.user_id}
    async with world.db.maintenance(system(org_id=owner.org.id)) as tx:
        for sql in (
            "INSERT INTO conversations (id, org_id, team_id, owner_id, title, excerpt, turns, ended, size, characters,"
            f" created_at, updated_at) {_NUMBERS} {_ID}, :org, :team, :owner, 'x', '', 0, 0, 0, 0, '', {_TIME} FROM numbers",
            "INSERT INTO conversation_grants (conversation_id, principal_type, principal_id, org_id, permission, granted_by,"
            f" created_at, updated_at) {_NUMBERS} {_ID}, 'user', :reader, :org, 'notes:read', '', '', {_TIME} FROM numbers",
            *(
                "INSERT INTO conversation_turns (id, conversation_id, org_id, number, parent_id, role, state, size,"
                f" characters, content, created_at) {_NUMBERS} '{role}' || {_ID}, {_ID}, :org, {number}, {parent},"
                f" '{role}', 'done', 0, 0, '\"\"', '' FROM numbers"
                for number, role, parent in ((1, "user", "NULL"), (2, "assistant", f"'user' || {_ID}"))
            ),
            f"INSERT INTO conversation_references (conversation_id, reference, org_id) {_NUMBERS} {_ID}, '{{}}', :org"
            " FROM numbers",
        ):
            await tx.run(sql, **{name: value for name, value in values.items() if f":{name}" in sql})
    await world.db.engine.script("ANALYZE")


class Recorder(Reads):
    """Takes the statements that store functions run, instead of a database."""

    def __init__(self, world: World) -> None:
        self.dialect = world.db.dialect
        self.statements: list[tuple[str, Params]] = []

    async def _fetch(self, sql: str, params: Params) -> list[Row]:
        self.statements.append((sql, params))
        return []

    async def run(self, sql: str, **params: Any) -> None:
        await self._fetch(sql, params)

    run_offloaded = run


async def statements(world: World, who: Principal) -> list[tuple[str, Params]]:
    """The statements of all requests about one conversation or one page."""
    db: Any = Recorder(world)
    read = access.fence(who, Access.READ)
    for fence in (read, access.shared_fence(who)):
        await store.select(db, fence, ("~", "~"), 51)
    for fence in (read, access.fence(who, Access.CONTINUE), access.fence(who, Access.MANAGE)):
        await store.get(db, fence, "x1")
        await store.lock(db, fence, "x1")
        await store.admits(db, fence, "x1")
        await store.delete(db, fence, "x1")
        await sharing.select_readers(db, CONVERSATIONS, fence, "x1")
        await sharing.delete_grant(db, CONVERSATIONS, fence, "x1", "user", who.user_id)
        await store.rename(db, fence, "x1", "y", "")
        await sharing.put_grant(
            db, CONVERSATIONS, fence, "x1", "user", who.user_id, P.NOTES_READ, by="", expires_at=None, now=""
        )
        await sharing.admits(db, CONVERSATIONS, fence, "x1")
    await store.add(db, "x1", turns=2, ended=0, size=1, characters=1, title="", excerpt="", now="")
    await store.lock_of_turn(db, "assistantx1")
    await store.get_for_index(db, "x1")
    await store.lock_for_index(db, "x1", 1)
    await store.select_turns(db, "x1")
    await sharing.select_grants(db, CONVERSATIONS, "x1")
    await store.is_shared(db, "x1")
    await store.select_path(db, read, "assistantx1", 1000)
    await store.select_references(db, read, "x1", 50)
    await store.get_turn(db, "x1", "userx1")
    await store.get_numbered_turn(db, "x1", 2)
    await store.is_being_answered(db, "userx1")
    statements: list[tuple[str, Params]] = db.statements
    return statements


async def test_no_statement_scans_the_rows_of_others(world: World) -> None:
    ann = await world.bootstrap()
    owner, reader, other = [await world.person(ann.org, ann.team) for _ in range(3)]
    await fill(world, owner, reader)
    explain = "EXPLAIN QUERY PLAN" if world.db.dialect.name == "sqlite" else "EXPLAIN"
    tables = (
        "conversations",
        "conversation_turns",
        "conversation_grants",
        "conversation_references",
        "grants",
        "turn",
        "answer",
    )
    for caller in (owner, reader, other):
        for sql, params in await statements(world, principal(caller)):
            rows = await world.db.engine.fetch(f"{explain} {sql}", params)
            plan = [str(row[3] if explain.endswith("PLAN") else row[0]) for row in rows]
            scans = [
                step for step in plan
                if any(f"SCAN {table}" in step or f"Seq Scan on {table}" in step for table in tables)
            ]  # fmt: skip
            assert not scans, (sql, plan)


async def test_a_page_reads_no_more_rows_than_it_returns(world: World) -> None:
    """Measured as the rows that PostgreSQL reads, and as the steps of SQLite's plan that sort."""
    ann = await world.bootstrap()
    owner, reader = [await world.person(ann.org, ann.team) for _ in range(2)]
    await fill(world, owner, reader)
    for caller in (owner, reader):
        for before in (("~", "~"), ("2020-01-01T00:00:00.15000", "x5000")):
            db: Any = Recorder(world)
            for fence in (access.fence(principal(caller), Access.READ), access.shared_fence(principal(caller))):
                await store.select(db, fence, before, 51)
            for sql, params in db.statements:
                if world.db.dialect.name == "sqlite":
                    plan = [str(row[3]) for row in await world.db.engine.fetch(f"EXPLAIN QUERY PLAN {sql}", params)]
                    assert [step for step in plan if "grants USING INDEX" in step or "grants USING COVERING" in step]
                    continue
                plan = [
                    str(row[0]) for row in await world.db.engine.fetch(f"EXPLAIN (ANALYZE, TIMING OFF) {sql}", params)
                ]
                read = [int(float(step.split("rows=")[2].split()[0])) for step in plan if step.count("rows=") > 1]
                assert max(read) <= 2 * 51, plan


async def test_the_largest_conversation_costs_little(world: World) -> None:
    """1,000 turns, 2 MiB, 500 shares and 25,000 references, in the shape that is most expensive."""
    ann = await world.bootstrap()
    id = await create(world, ann)
    await _fill_one(world, ann, id)
    assert await broken(world) == []
    costs, headers = Costs(world), [(b"authorization", f"Bearer {ann.token}".encode())]
    body = [*headers, (b"content-type", b"application/json")]
    path = f"/api/conversations/{id}"
    await costs.measure("show", Call("GET", path, headers=headers))
    await costs.measure("list", Call("GET", "/api/conversations", headers=headers))
    await costs.measure("rename", Call("PATCH", path, headers=body, body=b'{"title": "y"}'))
    asked = as_json({"prompt": "x", "conversation_id": id, "dry_run": True}).encode()
    await costs.measure("estimate", Call("POST", "/api/ai/chat", headers=body, body=asked))
    assert not costs.faults
    begun = await begin(world, ann, id, parent_id=None, prompt="x")
    assert await cpu_seconds(conversations.history(world.db, principal(ann), begun.id)) < LIMIT
    assert await cpu_seconds(end(world, ann, begun.id, "\x01" * 500_000)) < LIMIT
    assert await cpu_seconds(conversations.index(world.db, system(org_id=ann.org.id), id)) < LIMIT
    assert await cpu_seconds(ann.delete(path)) < LIMIT
    assert await broken(world) == []


@pytest.mark.parametrize("repeat", ["\n", "\u200b\n", " x", "a\u0300\u0316", "*_`", "\x01", "\ufdfa"])
async def test_no_prompt_or_answer_blocks_the_loop(world: World, repeat: str) -> None:
    ann = await world.bootstrap()
    hostile = repeat * (1_000_000 // len(repeat.encode()))
    if repeat == "\x01":
        hostile = hostile[: len(hostile) // 6]  # it takes six bytes in a request
    costs = dict[str, float]()
    for name, content in (("text", hostile), ("parts", [{"type": "text", "text": hostile[::50]}] * 50)):
        id = await create(world, ann)
        begun = list[Any]()

        async def begin_one(id: str = id, content: Any = content, begun: list[Any] = begun) -> None:
            begun.append(await begin(world, ann, id, content))

        costs[f"begin with {name}"] = await cpu_seconds(begin_one())
        costs[f"end after {name}"] = await cpu_seconds(end(world, ann, begun[0].id, hostile))
        costs[f"index {name}"] = await cpu_seconds(conversations.index(world.db, system(org_id=ann.org.id), id))
        costs[f"history of {name}"] = await cpu_seconds(conversations.history(world.db, principal(ann), begun[0].id))
    assert {name: cost for name, cost in costs.items() if cost > LIMIT} == {}


async def _fill_one(world: World, ann: Caller, id: str) -> None:
    """A path of 998 turns whose prompts are lists of tiny parts, 500 grants, and 50 references a prompt."""
    first = await say(world, ann, id, [{"type": "text", "text": "x" * 55}] * 50)
    copied = "conversation_id, org_id, role, state, size, characters, content, usage, created_at"
    async with world.db.maintenance(system(org_id=ann.org.id)) as tx:
        parent = first.id
        for number in range(3, 999):
            await tx.run(
                f"INSERT INTO conversation_turns (id, number, parent_id, {copied}) SELECT :new, :number, :parent, {copied}"
                " FROM conversation_turns WHERE conversation_id = :id AND number = :like",
                new=f"turn{number}", number=number, parent=parent, id=id, like=2 - number % 2,
            )  # fmt: skip
            parent = f"turn{number}"
        await tx.run(
            "UPDATE conversations SET turns = 998, ended = 499, size = (SELECT SUM(size) FROM conversation_turns),"
            " characters = (SELECT SUM(characters) FROM conversation_turns)"
        )
        await tx.run(
            f"INSERT INTO conversation_references (conversation_id, reference, org_id) {_numbers(25_000)} :id,"
            """ '{"type":"note","note_id":"' || CAST(n AS TEXT) || '"}', :org FROM numbers""",
            id=id, org=ann.org.id,
        )  # fmt: skip
        for number in range(500):
            await tx.run(
                "INSERT INTO users (id, org_id, username, username_key, display_name, operator, created_at)"
                " VALUES (:id, :org, :id, :id, :id, FALSE, '')", id=f"p{number}", org=ann.org.id,
            )  # fmt: skip
            manageable = access.fence(principal(ann), Access.MANAGE)
            await sharing.put_grant(
                tx, CONVERSATIONS, manageable, id, "user", f"p{number}", P.NOTES_READ, by="", expires_at=None,
                now=clock.stamp(),
            )  # fmt: skip
    assert turns.MAX_SIZE * 0.95 < (await world.db.one(int, "SELECT size FROM conversations") or 0) < turns.MAX_SIZE
