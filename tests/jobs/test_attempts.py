"""Handlers in the server itself: heartbeats, requests to stop, jobs that start at once, and kinds that run only once."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from teamspace import jobs
from teamspace.core.db import columns
from teamspace.core.db.postgres import PostgresTransaction
from teamspace.core.errors import QuotaExceeded
from teamspace.core.ids import new_id
from teamspace.core.principal import Call, Principal, system
from teamspace.core.tables import JobSpec
from teamspace.jobs import Authority, JobAttempt, JobContext, Queue, Succeeded
from teamspace.jobs.domain import attempts
from teamspace.quota import Spend
from tests.jobs.help import broken_invariants, claim, get_job, queue, running
from tests.support.world import Caller, World

JOBS = (
    JobSpec("test.wait", "wait", "Waits until it is stopped.", estimate="estimate", spent="spent"),
    JobSpec("test.once", "wait", "Waits, and is never repeated.", estimate="estimate", spent="spent", repeatable=False),
)


class Wait(msgspec.Struct, frozen=True, omit_defaults=True):
    seconds: float = 60
    text: str = ""


class Waited(msgspec.Struct, frozen=True, omit_defaults=True):
    stopped: bool
    text: str = ""


async def wait(input: Wait, work: JobContext) -> Waited:
    try:
        await asyncio.wait_for(work.stop.wait(), input.seconds)
    except TimeoutError:
        return Waited(False)
    return Waited(True, input.text)


ESTIMATED: list[Wait] = []


def estimate(input: Wait) -> Spend:
    ESTIMATED.append(input)
    return Spend(1, 100)


def spent(result: Waited) -> Spend:
    return Spend(1, 20)


@pytest.fixture
async def ann(world: World, monkeypatch: pytest.MonkeyPatch) -> Caller:
    monkeypatch.setattr(attempts, "_BEATS", 0.05)
    kinds, faults = jobs.bind([sys.modules[__name__]], {})
    assert not faults
    queue(world).kinds.add(kinds)
    return await world.bootstrap()


async def start(world: World, ann: Caller, kind: str = "test.wait", seconds: float = 60, text: str = "") -> JobAttempt:
    who = Principal("api", Call(), user_id=ann.user_id, org_id=ann.org.id, team_id=ann.team.id)
    async with world.db.maintenance(who) as tx:
        job, claim = await queue(world).start(
            tx,
            Authority.of(who),
            kind,
            queue(world).encode(kind, Wait(seconds, text)),
            id=new_id(),
            executor_id=jobs.LOCAL,
            lease=attempts.ATTEMPT_LEASE,
        )
    return world.app.attempts.start(world.db, job, claim)


@pytest.mark.both_databases
async def test_a_started_job_is_in_memory_as_its_row_says(world: World, ann: Caller) -> None:
    attempt = await start(world, ann)
    row = await world.db.one(jobs.Job, f"SELECT {columns(jobs.Job)} FROM jobs WHERE id = :id", id=attempt.job.id)
    assert row is not None and row.lease_until
    assert msgspec.structs.replace(row, lease_until=None) == attempt.job
    attempt.stop.set()
    await attempt.task


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_the_rows_of_a_started_job_are_sent_together(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    send = PostgresTransaction._send

    async def count(self: PostgresTransaction, sql: str, params: Any) -> Any:
        sent.append(sql)
        return await send(self, sql, params)

    monkeypatch.setattr(PostgresTransaction, "_send", count)
    attempt = await start(world, ann)
    (rows,) = [sql for sql in sent if "INSERT INTO" in sql]
    assert all(f"INSERT INTO {table}" in rows for table in ("quota_ledger", "jobs", "events"))
    attempt.stop.set()
    await attempt.task


async def test_an_input_that_is_known_is_not_decoded(world: World, ann: Caller) -> None:
    before = await start(world, ann, seconds=0)
    await before.task
    input = Wait(0)
    attempt = world.app.attempts.start(world.db, before.job, before.claim, input=input)
    await attempt.task
    assert attempt.input is input


async def lease_of(world: World, job_id: str) -> str | None:
    return await world.db.one(str, "SELECT lease_until FROM jobs WHERE id = :id", id=job_id)


async def used_tokens(world: World) -> int:
    sql = "SELECT tokens FROM quota_used WHERE per = 'lifetime' AND level = 'team'"
    return await world.db.one(int, sql) or 0


async def test_a_job_starts_at_once_and_its_end_is_stored(world: World, ann: Caller) -> None:
    attempt = await start(world, ann, seconds=0)
    await attempt.task
    job = await get_job(ann, attempt.job.id)
    assert (job["state"], job["result"], job["attempt"]) == ("succeeded", {"stopped": False}, 1)
    assert await used_tokens(world) == 20
    assert await broken_invariants(world) == []
    assert not queue(world)._dirty, "it had no place in a lane, so there is none to fill"


async def test_it_is_refused_if_the_quota_is_used_up(world: World, ann: Caller) -> None:
    await ann.post("/api/quota", {"dimension": "ai.tokens.total", "limit": 99, "window": "day"})
    with pytest.raises(QuotaExceeded):
        await start(world, ann)
    assert await world.db.one(int, "SELECT COUNT(*) FROM jobs") == 0


async def test_one_heartbeat_extends_the_leases_of_all(world: World, ann: Caller) -> None:
    started = [await start(world, ann) for _ in range(3)]
    before = [await lease_of(world, attempt.job.id) for attempt in started]
    await _until(lambda: _all_later(world, started, before))
    for attempt in started:
        attempt.stop.set()
        await attempt.task
    assert world.app.attempts.working == 0


async def _all_later(world: World, started: list[JobAttempt], before: list[str | None]) -> bool:
    now = [await lease_of(world, attempt.job.id) for attempt in started]
    return all(new and old and new > old for new, old in zip(now, before, strict=True))


async def test_a_request_to_stop_from_another_server_arrives_with_the_heartbeat(world: World, ann: Caller) -> None:
    attempt = await start(world, ann)
    async with world.db.maintenance(system()) as tx:
        assert await queue(world).request_stop(tx, attempt.job.id)
    await asyncio.wait_for(attempt.task, 10)
    assert (await get_job(ann, attempt.job.id))["result"] == {"stopped": True}
    async with world.db.maintenance(system()) as tx:
        assert not await queue(world).request_stop(tx, attempt.job.id), "it has ended"


async def test_a_stale_claim_ends_the_handler_and_its_result_is_dropped(world: World, ann: Caller) -> None:
    attempt = await start(world, ann)
    async with world.db.maintenance(system()) as tx:
        await queue(world).return_all_of(tx, jobs.LOCAL)
    await asyncio.wait_for(attempt.task, 10)
    assert attempt.stale and attempt.outcome is None
    assert (await get_job(ann, attempt.job.id))["state"] == "queued"


async def test_heartbeats_continue_after_one_fails(world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    beats = 0
    extend_many = Queue.extend_many

    async def failing_once(*args: object) -> dict[tuple[str, int], bool]:
        nonlocal beats
        beats += 1
        if beats == 1:
            raise RuntimeError("no connection")
        return await extend_many(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(Queue, "extend_many", failing_once)
    attempt = await start(world, ann)

    async def beaten() -> bool:
        return beats > 2

    await _until(beaten)
    attempt.stop.set()
    await attempt.task
    assert (await get_job(ann, attempt.job.id))["state"] == "succeeded"


async def test_a_repeatable_job_runs_again_if_its_server_is_gone(world: World, ann: Caller) -> None:
    job_id = await _lose(world, ann, "test.wait")
    assert (await get_job(ann, job_id))["state"] == "queued"
    async with running(world):
        await _until(lambda: _is_running(world, job_id))
        world.app.attempts.stop(job_id)
        await _until(lambda: _has_ended(world, job_id))
    assert (await get_job(ann, job_id))["result"] == {"stopped": True}
    assert await used_tokens(world) == 20


async def test_a_job_that_runs_only_once_fails_and_is_charged_with_its_estimate(world: World, ann: Caller) -> None:
    job_id = await _lose(world, ann, "test.once")
    job = await get_job(ann, job_id)
    assert (job["state"], job["error"]["code"]) == ("failed", "interrupted")
    assert await used_tokens(world) == 100
    assert await broken_invariants(world) == []


async def test_a_server_that_stops_gives_back_what_can_be_repeated(world: World, ann: Caller) -> None:
    repeatable, once = await start(world, ann), await start(world, ann, "test.once")
    await world.app.attempts.abort(world.db)
    assert (await get_job(ann, repeatable.job.id))["state"] == "queued"
    assert (await get_job(ann, once.job.id))["error"]["code"] == "interrupted"


async def test_a_claim_reserves_what_was_estimated_before(world: World, ann: Caller) -> None:
    """Inputs can be large, and the transaction of a claim is for many jobs."""
    who = Principal("api", Call(), user_id=ann.user_id, org_id=ann.org.id, team_id=ann.team.id)
    async with world.db.maintenance(who) as tx:
        await queue(world).enqueue(tx, Authority.of(who), "test.wait", Wait())
    ESTIMATED.clear()
    ((job, _),) = await claim(world, 1, (jobs.local_channel("test.wait"),))
    assert (job.estimate, ESTIMATED) == (Spend(1, 100), [])
    assert await world.db.one(int, "SELECT tokens FROM quota_ledger WHERE settled_at IS NULL") == 100


async def test_large_jobs_that_end_together_do_not_block_the_loop(world: World, ann: Caller) -> None:
    begun = [await start(world, ann, text="x" * 1_500_000) for _ in range(8)]
    longest, ended = 0.0, False

    async def beat() -> None:
        nonlocal longest
        while not ended:
            before = time.thread_time()
            await asyncio.sleep(0)
            longest = max(longest, time.thread_time() - before)

    beating = asyncio.create_task(beat())
    await asyncio.sleep(2 * attempts._BEATS)
    for attempt in begun:
        attempt.stop.set()
        await asyncio.sleep(0)
    await asyncio.gather(*(attempt.wait() for attempt in begun))
    ended = True
    await beating
    assert all(isinstance(attempt.outcome, Succeeded) for attempt in begun)
    assert longest < 0.1


async def _lose(world: World, ann: Caller, kind: str) -> str:
    """Start a job whose server then dies: its lease expires."""
    who = Principal("api", Call(), user_id=ann.user_id, org_id=ann.org.id, team_id=ann.team.id)
    async with world.db.maintenance(who) as tx:
        job, _ = await queue(world).start(
            tx,
            Authority.of(who),
            kind,
            queue(world).encode(kind, Wait()),
            id=new_id(),
            executor_id=jobs.LOCAL,
            lease=-1,
        )
    await jobs.sweep(world.db, queue(world))
    return job.id


async def _is_running(world: World, job_id: str) -> bool:
    return await world.db.one(str, "SELECT state FROM jobs WHERE id = :id", id=job_id) == "running"


async def _has_ended(world: World, job_id: str) -> bool:
    return await world.db.one(str, "SELECT finished_at FROM jobs WHERE id = :id", id=job_id) is not None


async def _until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(10):
        while True:
            if await condition():
                return
            await asyncio.sleep(0.02)
