"""How long jobs are kept after their end."""

import pytest

from teamspace import jobs
from teamspace.core import clock
from teamspace.core.principal import system
from teamspace.jobs import JobOrigin
from tests.jobs.help import broken_invariants, queue
from tests.support.rows import NUMBERS, analyze, insert
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
DAYS = 90
_ARCHIVED = (
    "INSERT INTO job_archive (id, org_id, team_id, user_id, kind, run_id, step, item, state, priority, run_at, attempt,"
    f" max_attempts, input, result, created_at, finished_at) {NUMBERS} SELECT :name || CAST(n AS TEXT), :org, :team, :user,"
    " :kind, :name, 'answer', n, 'succeeded', 0, :at, 1, 1, '{}', '{}', :at, :at FROM numbers"
)


async def archive(world: World, ann: Caller, name: str, kind: str, days: float, count: int = 1) -> None:
    """Fill the archive with jobs that ended so many days ago."""
    facts = {
        "org": ann.org.id, "team": ann.team.id, "user": ann.user_id, "name": name, "kind": kind, "first": 1, "last": count,
        "at": clock.ago(days * clock.DAY),
    }  # fmt: skip
    await insert(world, (_ARCHIVED,), facts)


async def test_old_jobs_are_deleted_and_steps_of_workflows_are_kept(world: World) -> None:
    ann = await world.bootstrap()
    await archive(world, ann, "old", "ai.chat", DAYS + 0.1, 25)
    await archive(world, ann, "young", "ai.chat", DAYS - 0.1)
    await archive(world, ann, "step", "workflow.step", 10 * DAYS)
    await jobs.delete_old(world.db, DAYS)
    assert await world.db.all(str, "SELECT id FROM job_archive ORDER BY id") == ["step1", "young1"]
    assert (await ann.get("/api/jobs/old1")).status_code == 404
    assert (await ann.get("/api/jobs/young1")).status_code == 200
    assert {job["id"] for job in (await ann.get("/api/jobs")).json()["items"]} == {"step1", "young1"}
    assert await broken_invariants(world) == []


async def test_jobs_that_follow_each_other_go_on_when_the_earlier_ones_are_deleted(world: World) -> None:
    ann = await world.bootstrap()
    await archive(world, ann, "asked", "ai.chat", DAYS + 1, 3)
    async with world.db.maintenance(system()) as tx:
        assert await queue(world).next_of(tx, "asked", "answer") == JobOrigin("asked", "answer", 4)
    await jobs.delete_old(world.db, DAYS)
    async with world.db.maintenance(system()) as tx:
        assert await queue(world).next_of(tx, "asked", "answer") == JobOrigin("asked", "answer")


async def test_old_jobs_are_found_by_an_index_however_many_steps_are_older(world: World) -> None:
    ann = await world.bootstrap()
    await archive(world, ann, "step", "workflow.step", 10 * DAYS, 5_000)
    await archive(world, ann, "old", "ai.chat", DAYS + 1, 5)
    await analyze(world)
    explain = "EXPLAIN QUERY PLAN" if world.db.dialect.name == "sqlite" else "EXPLAIN"
    sql = (
        "SELECT id FROM job_archive WHERE kind <> 'workflow.step' AND finished_at < moment(:since) ORDER BY finished_at"
        " LIMIT :limit"
    )
    plan = await world.db.engine.fetch(f"{explain} {sql}", {"since": -DAYS * clock.DAY, "limit": 10})
    assert "job_archive_ended" in str(plan), plan
