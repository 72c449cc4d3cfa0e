"""Long polls of workers: disconnects, retired executors, and how many polls may be open."""

import asyncio
from functools import partial
from typing import Any

import pytest

from teamspace import jobs
from teamspace.core.limits import KeyedConcurrencyLimit
from teamspace.executors import store
from teamspace.jobs import Queue
from teamspace.tenancy.schemas import OrgRole, Role
from tests.executors.help import Worker, create_job, executor
from tests.identity.help import refusal
from tests.jobs.help import broken_invariants, get_job, queue, result
from tests.support.leaving import LeavingClient
from tests.support.world import Caller, World


def open_poll(world: World, worker: Worker, **request: Any) -> LeavingClient:
    return LeavingClient(world, worker.token, "/api/workers/claim", {"kinds": ["ai.chat"], **request})


async def job_counts(world: World, job_id: str) -> tuple[str, int, int]:
    """Return the job's state, its remaining attempts and its lease expiries."""
    state = await world.db.one(str, "SELECT state FROM jobs WHERE id = :id", id=job_id) or ""
    left = await world.db.one(int, "SELECT max_attempts - attempt FROM jobs WHERE id = :id", id=job_id) or 0
    lease_expiries = await world.db.one(int, "SELECT lease_expiries FROM jobs WHERE id = :id", id=job_id) or 0
    return state, left, lease_expiries


async def wait_for_polls(world: World, polls: int = 1) -> None:
    """Wait until so many polls are open. Each counts for its token and for its company."""
    async with asyncio.timeout(10):
        while True:
            if queue(world).wake._shares._own._taken.total() == 2 * polls:
                return
            await asyncio.sleep(0.01)


async def test_a_worker_that_disconnects_while_polling_claims_nothing(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    poll = open_poll(world, worker, max_wait=30)
    await wait_for_polls(world)
    poll.gone.set()
    await asyncio.wait_for(poll.task, 10)
    job = await create_job(ann)
    assert await job_counts(world, job["id"]) == ("queued", 3, 0)
    assert (await worker.claim_job())["job"] == {**(await worker_view(ann, job["id"])), "attempt": 1}


async def worker_view(ann: Caller, job_id: str) -> dict[str, Any]:
    shown = await get_job(ann, job_id)
    return {name: shown[name] for name in ("id", "kind", "input", "model")}


async def test_an_undelivered_claim_does_not_count_as_a_lease_expiry(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    job = await create_job(ann)
    claim, polls = Queue.claim, list[LeavingClient]()

    async def claim_then_disconnect(*args: Any, **options: Any) -> Any:
        taken = await claim(*args, **options)
        if taken:
            polls[-1].gone.set()
            await asyncio.sleep(0.05)
        return taken

    with monkeypatch.context() as patched:
        patched.setattr(Queue, "claim", claim_then_disconnect)
        for _ in range(4):  # more often than a lease may expire
            polls.append(open_poll(world, worker, max_wait=1))
            await asyncio.wait_for(polls[-1].task, 10)
            assert polls[-1].sent == []
            assert await job_counts(world, job["id"]) == ("queued", 3, 0)
    usage = {row["dimension"]: row for row in (await ann.get("/api/usage")).json()["items"]}
    assert usage["ai.concurrency"]["reserved"] == 0
    claimed = await worker.claim_job()
    assert (claimed["job"]["id"], claimed["job"]["attempt"]) == (job["id"], 5)
    assert (await worker.report("complete", claimed, result=result())).status_code == 204
    assert await broken_invariants(world) == []


async def test_an_open_poll_of_a_retired_executor_gets_no_job(world: World) -> None:
    ann = await world.bootstrap()
    created, worker = await executor(world, ann)
    waiting = asyncio.create_task(worker.claim(max_wait=30))
    await wait_for_polls(world)
    assert (await ann.delete(f"/api/executors/{created['id']}")).status_code == 204
    job = await create_job(ann, input={"prompt": "x", "executor": "local"})
    queue(world).notify([jobs.any_channel("ai.chat"), jobs.executor_channel("ai.chat", created["id"])])
    assert refusal(await asyncio.wait_for(waiting, 10)) == (401, "unauthenticated")
    assert await job_counts(world, job["id"]) == ("queued", 3, 0)
    assert await broken_invariants(world) == []


async def test_a_claim_notices_that_its_executor_was_just_retired(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The executor is read before it is retired, so the claim itself must check again."""
    ann = await world.bootstrap()
    created, worker = await executor(world, ann)
    await executor(world, ann, "Other")
    job = await create_job(ann)
    claim = Queue.claim

    async def retire_then_claim(*args: Any, **options: Any) -> Any:
        monkeypatch.setattr(Queue, "claim", claim)
        assert (await ann.delete(f"/api/executors/{created['id']}")).status_code == 204
        return await claim(*args, **options)

    monkeypatch.setattr(Queue, "claim", retire_then_claim)
    assert refusal(await worker.claim()) == (401, "unauthenticated")
    assert await job_counts(world, job["id"]) == ("queued", 3, 0)
    assert await broken_invariants(world) == []


async def test_a_server_claims_nothing_for_a_retired_push_executor(world: World) -> None:
    """The list of executors is cached for a moment, so the claim checks again."""
    ann = await world.bootstrap()
    created, _ = await executor(world, ann)
    job, channel = await create_job(ann), jobs.any_channel("ai.chat")
    await queue(world).register_channels(world.db, [channel], "")
    assert (await ann.delete(f"/api/executors/{created['id']}")).status_code == 204
    still = partial(store.is_active, id=created["id"])
    assert not await queue(world).claim(world.db, [channel], count=1, executor_id=created["id"], still_valid=still)
    assert await job_counts(world, job["id"]) == ("queued", 3, 0)
    assert await broken_invariants(world) == []


@pytest.mark.parametrize("verb", ["heartbeat", "complete", "fail"])
async def test_another_executor_cannot_use_a_claim_token(world: World, verb: str) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann, "One")
    _, other = await executor(world, ann, "Other")
    job = await create_job(ann)
    claimed = await worker.claim_job()
    bodies: dict[str, dict[str, Any]] = {"complete": {"result": result()}, "fail": {"error": "no"}}
    more = bodies.get(verb, {})
    assert refusal(await other.report(verb, claimed, **more)) == (409, "stale_claim")
    assert (await get_job(ann, job["id"]))["state"] == "running"
    assert (await worker.report(verb, claimed, **more)).status_code in (200, 204)
    if verb == "complete":
        assert refusal(await other.report(verb, claimed, **more)) == (409, "stale_claim")
        assert (await worker.report(verb, claimed, **more)).status_code == 204, "the owner can repeat it"


async def test_open_polls_are_limited_per_token_and_per_company(world: World) -> None:
    ann = await world.bootstrap()
    queue(world).wake._shares = KeyedConcurrencyLimit("busy.waiting_by", token=1, company=2)
    org, team = await world.company()
    org_admin = await world.person(org, team, Role.ADMIN, org_role=OrgRole.ADMIN)
    workers = [(await executor(world, org_admin, name, "/api/org/executors"))[1] for name in ("One", "Two", "Three")]
    _, other_company = await executor(world, ann)
    polls = [open_poll(world, worker, max_wait=30) for worker in workers[:2]]
    await wait_for_polls(world, 2)
    for worker in (workers[0], workers[2]):
        refused = await worker.claim(max_wait=30)
        assert refusal(refused) == (429, "rate_limited")
        assert refused.headers["retry-after"]
        assert (await worker.claim()).status_code == 204, "claims that do not wait are not counted"
    polls.append(open_poll(world, other_company, max_wait=30))
    await wait_for_polls(world, 3)
    for poll in polls:
        poll.gone.set()
        await asyncio.wait_for(poll.task, 10)
    assert not queue(world).wake._shares._own._taken
