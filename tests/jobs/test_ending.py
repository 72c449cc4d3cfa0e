"""Every attempt ends through one function: the job's state, the quota and the kind's `ended` are one commit."""

import asyncio
import logging
import sys

import msgspec
import pytest

from teamspace import jobs
from teamspace.core.db import Tx
from teamspace.core.errors import ExecutorFailed
from teamspace.core.principal import Call, Principal, system
from teamspace.core.tables import JobSpec
from teamspace.jobs import Authority, EndedJob, Failed, JobFault, JobOrigin, Outcome, Succeeded
from teamspace.jobs.domain.ending import MAX_LEASE_EXPIRIES
from teamspace.jobs.schemas import State
from teamspace.quota import Spend
from tests.executors.help import executor
from tests.jobs.help import broken_invariants, claim, get_job, queue, running
from tests.support.world import Caller, World

JOBS = (
    JobSpec("test.paid", "work", "Is metered, and refuses the result `bad`.", callable=True, remote=True,
        estimate="estimate", spent="spent", check="check", ended="ended", max_attempts=1),
)  # fmt: skip
PAID = jobs.local_channel("test.paid")
BROKEN: set[str] = set()
"""Answers whose `ended` fails."""


class Work(msgspec.Struct, frozen=True):
    answer: str
    model: str | None = None


class Answer(msgspec.Struct, frozen=True):
    text: str


async def work(input: Work) -> Answer:
    if input.answer == "fail":
        raise ExecutorFailed("ai.simulated_failure", retryable=False, tokens=30)
    return Answer(input.answer)


def estimate(input: Work) -> Spend:
    return Spend(1, 100)


def spent(result: Answer) -> Spend:
    return Spend(1, 20)


def check(input: Work, result: Answer) -> str | None:
    return "is bad" if result.text == "bad" else None


async def ended(tx: Tx, job: EndedJob, outcome: Outcome) -> None:
    if msgspec.json.decode(job.input, type=Work).answer in BROKEN:
        raise RuntimeError("the kind is broken")


@pytest.fixture
async def ann(world: World) -> Caller:
    BROKEN.clear()
    kinds, faults = jobs.bind([sys.modules[__name__]], {})
    assert not faults
    queue(world).kinds.add(kinds)
    return await world.bootstrap()


async def create(person: Caller, answer: str, **more: str) -> str:
    created = await person.post("/api/jobs", {"kind": "test.paid", "input": {"answer": answer, **more}})
    assert created.status_code == 202, created.text
    id: str = created.json()["id"]
    return id


async def used_tokens(world: World) -> int:
    return (
        await world.db.one(int, "SELECT COALESCE(SUM(tokens), 0) FROM quota_ledger WHERE settled_at IS NOT NULL") or 0
    )


async def wait(world: World, job_id: str) -> State | None:
    return await queue(world).wait_for_end(world.db, job_id, 20)


# Quota


@pytest.mark.parametrize(("answer", "tokens"), [("good", 20), ("bad", 20), ("fail", 30)])
async def test_what_was_paid_for_is_settled_also_if_the_reply_is_refused(
    world: World, ann: Caller, answer: str, tokens: int
) -> None:
    job_id = await create(ann, answer)
    async with running(world):
        state = await wait(world, job_id)
    assert state is (State.SUCCEEDED if answer == "good" else State.FAILED)
    assert await used_tokens(world) == tokens
    if answer == "bad":
        assert (await get_job(ann, job_id))["error"]["code"] == "response_refused"
    assert await broken_invariants(world) == []


async def test_refused_results_of_a_worker_are_settled_when_the_job_ends(world: World, ann: Caller) -> None:
    _, worker = await executor(world, ann, "Remote", model="llama")
    job_id = await create(ann, "x", model="llama")
    claimed = await worker.claim_job(kinds=["test.paid"])
    assert claimed["job"]["id"] == job_id
    for _ in range(2):
        refused = await worker.report("complete", claimed, result={"text": "bad"})
        assert refused.status_code == 422, refused.text
    assert (await worker.report("fail", claimed, error="There is no better answer.")).status_code == 204
    assert (await get_job(ann, job_id))["state"] == "failed"
    assert await used_tokens(world) == 40
    assert await broken_invariants(world) == []


# A kind whose `ended` fails


async def test_a_job_whose_kind_fails_does_not_cost_the_others_their_results(
    world: World, ann: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    BROKEN.add("broken")
    ids = [await create(ann, answer) for answer in ("broken", "good", "fine")]
    claimed = await claim(world, 3, (PAID,))
    outcomes = [(job, held, Succeeded(Answer(msgspec.json.decode(job.input)["answer"]))) for job, held in claimed]
    with caplog.at_level(logging.CRITICAL):
        await world.app.attempts.write_batch(world.db, outcomes)
    states = [(await get_job(ann, id))["state"] for id in ids]
    assert states == ["running", "succeeded", "succeeded"], "the first runs again when its lease expires"


async def test_of_two_attempts_in_one_batch_the_valid_one_counts(world: World, ann: Caller) -> None:
    job_id = await create(ann, "good")
    ((lost, stale),) = await claim(world, 1, (PAID,))
    async with world.db.maintenance(system()) as tx:
        await tx.run("UPDATE jobs SET lease_until = moment(0)")
    await jobs.sweep(world.db, queue(world))
    await queue(world).promote(world.db)
    ((job, valid),) = await claim(world, 1, (PAID,))
    late = Failed(JobFault("Too late.", "late", retryable=False))
    written = await world.app.attempts.write_batch(
        world.db, [(job, valid, Succeeded(Answer("good"))), (lost, stale, late)]
    )
    assert written == {valid.key}
    assert (await get_job(ann, job_id))["state"] == "succeeded"


async def test_a_lost_job_ends_although_its_kind_fails(
    world: World, ann: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    BROKEN.add("broken")
    job_id = await create(ann, "broken")
    for _ in range(MAX_LEASE_EXPIRIES):
        assert await claim(world, 1, (PAID,))
        async with world.db.maintenance(system()) as tx:
            await tx.run("UPDATE jobs SET lease_until = moment(0)")
        with caplog.at_level(logging.CRITICAL):
            await jobs.sweep(world.db, queue(world))
            await queue(world).promote(world.db)
    job = await get_job(ann, job_id)
    assert (job["state"], job["error"]["code"]) == ("failed", "lost")
    assert await broken_invariants(world) == []


# Origin


async def test_there_is_one_job_per_item_of_a_run(world: World, ann: Caller) -> None:
    async def enqueue(item: int) -> str:
        async with world.db.maintenance(system()) as tx:
            origin = JobOrigin("run", "step", item)
            return await queue(world).enqueue(tx, _authority(ann), "test.paid", Work("x"), origin=origin)

    ids = await asyncio.gather(*(enqueue(item % 3) for item in range(12)))
    assert len(set(ids)) == 3
    assert await world.db.one(int, "SELECT COUNT(*) FROM jobs") == 3


async def test_a_repeated_idempotency_key_gives_the_same_job_also_from_the_archive(world: World, ann: Caller) -> None:
    async def enqueue(person: Caller) -> str:
        async with world.db.maintenance(system()) as tx:
            return await queue(world).enqueue(tx, _authority(person), "test.paid", Work("x"), idempotency_key="key")

    first = await enqueue(ann)
    other_org, other_team = await world.company()
    assert await enqueue(await world.person(other_org, other_team)) != first, "keys belong to a team"
    assert (await ann.post(f"/api/jobs/{first}/cancel")).status_code == 200
    async with world.db.maintenance(system()) as tx:
        await tx.run("UPDATE jobs SET finished_at = moment(-9999999) WHERE id = :id", id=first)
    await jobs.tidy(world.db, queue(world))
    assert await world.db.one(str, "SELECT id FROM job_archive") == first
    assert await enqueue(ann) == first


def _authority(person: Caller) -> Authority:
    who = Principal("api", Call(), user_id=person.user_id, org_id=person.org.id, team_id=person.team.id)
    return Authority.of(who)


# Waiting


async def test_a_wait_returns_when_the_job_ends_or_the_time_is_up(world: World, ann: Caller) -> None:
    job_id = await create(ann, "good")
    assert await queue(world).wait_for_end(world.db, job_id, 0) is None
    waiting = asyncio.create_task(wait(world, job_id))
    await asyncio.sleep(0.01)
    ((_, held),) = await claim(world, 1, (PAID,))
    assert await queue(world).finish_many(world.db, [(held, Succeeded(Answer("good")))])
    assert await asyncio.wait_for(waiting, 1.5) is State.SUCCEEDED, "before the poll"
    assert await wait(world, job_id) is State.SUCCEEDED


async def test_a_wait_goes_on_while_the_server_stops(world: World, ann: Caller) -> None:
    waiting = asyncio.create_task(wait(world, await create(ann, "good")))
    await asyncio.sleep(0.01)
    ((_, held),) = await claim(world, 1, (PAID,))
    world.app.stopping.begin()
    await asyncio.sleep(0.1)
    assert not waiting.done()
    assert await queue(world).finish_many(world.db, [(held, Succeeded(Answer("good")))])
    assert await asyncio.wait_for(waiting, 1.5) is State.SUCCEEDED
