"""Query plans: no statement of the queue scans a team's whole backlog or history."""

import re
from typing import Any

import pytest

from teamspace import jobs, quota
from teamspace.core.db.sqlite import SqliteTransaction
from teamspace.core.principal import system
from teamspace.jobs.domain import suspension
from tests.executors.help import executor
from tests.jobs.help import claim, complete, create_job, fail, queue
from tests.support.world import World

WIDE = re.compile(r"SCAN jobs(?! USING COVERING INDEX jobs_running)|INDEX jobs_(team|person)\b")


@pytest.mark.parametrize("database_url", [pytest.param("", id="sqlite")])
async def test_no_statement_scans_the_whole_backlog(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    statements: dict[str, Any] = {}
    fetch = SqliteTransaction.fetch

    async def recorded(session: SqliteTransaction, sql: str, params: Any) -> Any:
        statements[sql] = params
        return await fetch(session, sql, params)

    monkeypatch.setattr(SqliteTransaction, "fetch", recorded)
    ann = await world.bootstrap()
    created, worker = await executor(world, ann)
    for _ in range(4):
        await create_job(ann, model="llama")
    await worker.claim_job()
    for finish in (complete, fail):
        ((_, token),) = await claim(world, 1, (jobs.any_channel("ai.chat"),))
        await finish(world, token)
    await ann.delete(f"/api/executors/{created['id']}")
    await jobs.sweep(world.db, queue(world))
    await jobs.tidy(world.db, queue(world))
    async with world.db.maintenance(system()) as tx:
        await suspension.apply_plan(tx, ann.org.id, quota.Plan.FREE)
        await suspension.withdraw(tx, ann.org.id)
        await suspension.unpark(tx, ann.org.id)
        await suspension.resume(tx, ann.org.id)
    about_jobs = {
        sql: params for sql, params in statements.items() if "jobs" in sql and not sql.startswith("INSERT INTO jobs")
    }
    assert len(about_jobs) > 10
    for sql, params in about_jobs.items():
        plan = [row[3] for row in await world.db.engine.fetch(f"EXPLAIN QUERY PLAN {sql}", params)]
        assert not [step for step in plan if WIDE.search(step)], (sql, plan)
