"""What an upload pays for triggers: one read without a match, whatever their number, and nothing for what fired before."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import apsw
import pytest

from teamspace.core.db import Tx
from teamspace.core.db.engine import Params, Row
from teamspace.triggers.schemas import MAX_INPUT, MAX_TRIGGERS
from tests.identity.help import run_sql
from tests.repository.help import put, send
from tests.support.world import Caller, World
from tests.triggers.help import add_trigger, history, publish, reasons

pytestmark = pytest.mark.both_databases

OTHERS = 5_000
_NUMBERS = f"WITH RECURSIVE numbers (n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < {OTHERS})"  # fmt: skip


@pytest.fixture
async def ann(world: World) -> Caller:
    ann = await world.bootstrap()
    await publish(ann)
    await put(ann, "warm.txt")
    return ann


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The statements of transactions."""
    statements: list[str] = []
    fetch = Tx._fetch

    async def record(self: Tx, sql: str, params: Params) -> Any:
        statements.append(sql)
        rows: list[Row] = await fetch(self, sql, params)  # type: ignore[assignment]
        return rows

    with monkeypatch.context() as patch:
        patch.setattr(Tx, "_fetch", record)
        yield statements


def of_triggers(statements: list[str]) -> list[str]:
    return [sql for sql in statements if "trigger" in sql]


async def test_an_upload_that_matches_nothing_costs_one_read(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    with recorded(monkeypatch) as without:
        await put(ann, "a.txt")
    for number in range(MAX_TRIGGERS):
        await add_trigger(ann, match_prefix=f"x{number}/", input={})
    with recorded(monkeypatch) as with_many:
        await put(ann, "b.txt")
    assert len(of_triggers(without)) == len(of_triggers(with_many)) == 1
    assert len(without) == len(with_many)


async def test_the_cost_of_an_upload_does_not_grow_with_history_or_with_triggers_of_others(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    trigger = await add_trigger(ann)
    await put(ann, "first.txt")
    before = await measure(world, ann, monkeypatch, "a.txt")
    other = await world.person(ann.org, await world.team(ann.org))
    values = {"org": ann.org.id, "team": other.team.id, "author": other.user_id}
    await run_sql(
        world,
        "INSERT INTO doc_triggers (id, org_id, team_id, author_id, workflow_slug, match_prefix, match_types, input,"
        f" fire_on_derived, enabled, created_at, updated_at) {_NUMBERS} SELECT 'x' || CAST(n AS TEXT), :org, :team,"
        " :author, 'file', '', '[]', '{}', TRUE, TRUE, '', '' FROM numbers",
        **values,
    )
    await run_sql(
        world,
        "INSERT INTO trigger_fires (id, trigger_id, org_id, object_id, version_id, number, reason, created_at)"
        f" {_NUMBERS} SELECT '00' || CAST(n AS TEXT), :trigger, :org, 'o', CAST(n AS TEXT), n, 'derived', '' FROM numbers",
        trigger=trigger["id"], org=ann.org.id,
    )  # fmt: skip
    await world.db.engine.script("ANALYZE")
    await put(ann, "second.txt")  # a new member is a change of rights, after which the caller's are read once more
    after = await measure(world, ann, monkeypatch, "b.txt")
    assert (await reasons(ann, trigger))[-2:] == [None, None]
    assert after[0] == before[0]
    assert after[1] <= before[1] * 1.3


async def measure(world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch, key: str) -> tuple[int, int]:
    """The number of an upload's statements, and on SQLite the steps of its virtual machine."""
    steps = 0

    def add(event: dict[str, Any]) -> None:
        nonlocal steps
        steps += event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]

    on_sqlite = world.db.dialect.name == "sqlite"
    writer = world.db.engine._writer if on_sqlite else None  # type: ignore[attr-defined]
    if writer:
        writer.trace_v2(apsw.SQLITE_TRACE_PROFILE, add)
    with recorded(monkeypatch) as statements:
        await put(ann, key)
    if writer:
        writer.trace_v2(0, None)
    return len(statements), steps


async def test_a_page_of_history_costs_the_same_however_long_it_is(world: World, ann: Caller) -> None:
    trigger = await add_trigger(ann)
    await run_sql(
        world,
        "INSERT INTO trigger_fires (id, trigger_id, org_id, object_id, version_id, number, reason, created_at)"
        f" {_NUMBERS} SELECT CAST(10000 + n AS TEXT), :trigger, :org, 'o', CAST(n AS TEXT), n, 'derived', '' FROM numbers",
        trigger=trigger["id"], org=ann.org.id,
    )  # fmt: skip
    await world.db.engine.script("ANALYZE")
    assert len(await history(ann, trigger, "?limit=50")) == 50
    plan = await explain(
        world,
        "SELECT f.id FROM trigger_fires AS f WHERE f.trigger_id = :trigger AND f.id < :before ORDER BY f.id DESC LIMIT 50",
        trigger=trigger["id"], before="~",
    )  # fmt: skip
    assert "trigger_id" in plan.partition("Filter")[0] and not {"Sort", "TEMP"} & set(plan.split()), plan


async def explain(world: World, sql: str, **params: Any) -> str:
    if world.db.dialect.name == "sqlite":
        return "\n".join(str(row[-1]) for row in await world.db.engine.fetch(f"EXPLAIN QUERY PLAN {sql}", params))
    return "\n".join(str(row[0]) for row in await world.db.engine.fetch(f"EXPLAIN {sql}", params))


async def test_the_largest_triggers_all_fire_in_one_upload(world: World, ann: Caller) -> None:
    await publish(ann, "large", object_id="string", text="string")
    for _ in range(MAX_TRIGGERS):
        await add_trigger(ann, "large", input={"text": "x" * (MAX_INPUT - 20)}, match_types=["text/*"] * 20)
    await put(ann, "a.txt")
    items = (await ann.get("/api/doc-triggers?key=b.txt")).json()["items"]
    assert all(item["would_fire"] for item in items)
    assert await world.db.one(int, "SELECT COUNT(*) FROM runs") == MAX_TRIGGERS


async def test_an_upload_costs_hardly_more_statements_with_many_triggers_than_with_one(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add_trigger(ann)
    await put(ann, "first.txt")
    with recorded(monkeypatch) as with_one:
        await put(ann, "a.txt")
    for _ in range(MAX_TRIGGERS - 1):
        await add_trigger(ann)
    with recorded(monkeypatch) as with_many:
        await put(ann, "b.txt")
    assert await world.db.one(int, "SELECT COUNT(*) FROM runs") == 2 + MAX_TRIGGERS
    assert len(with_many) <= len(with_one) + 3


async def test_an_upload_costs_one_more_read_for_each_other_author(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add_trigger(ann)
    await put(ann, "first.txt")
    with recorded(monkeypatch) as with_one:
        await put(ann, "a.txt")
    for _ in range(5):
        await add_trigger(await world.person(ann.org, ann.team))
    with recorded(monkeypatch) as with_many:
        await put(ann, "b.txt")
    assert await world.db.one(int, "SELECT COUNT(*) FROM runs") == 2 + 6
    assert len(with_many) <= len(with_one) + 3 + 2 * 5


async def test_the_counter_of_the_company_is_written_after_the_triggers_have_fired(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uploads of one company wait for it until the commit."""
    await add_trigger(ann)
    with recorded(monkeypatch) as statements:
        await put(ann, "a.txt")
    counted = next(place for place, sql in enumerate(statements) if sql.startswith("INSERT INTO quota_stored"))
    assert not [sql for sql in statements[counted:] if "runs" in sql or "jobs" in sql or "trigger" in sql]


async def test_parallel_uploads_with_as_many_triggers_as_a_team_can_have_all_succeed(world: World, ann: Caller) -> None:
    for _ in range(MAX_TRIGGERS):
        await add_trigger(ann)
    answers = await asyncio.gather(*(send(ann, f"{number}.txt", f"text {number}".encode()) for number in range(8)))
    assert [answer.status_code for answer in answers] == [201] * 8
    assert await world.db.one(int, "SELECT COUNT(*) FROM runs") == 8 * MAX_TRIGGERS
