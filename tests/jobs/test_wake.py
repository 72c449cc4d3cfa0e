"""Waiting workers are woken by new jobs. Polling is set to once an hour, so that it cannot hide a lost wake-up."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from teamspace import jobs
from teamspace.completions import ModelRequest
from teamspace.core.principal import Call, Principal
from teamspace.executors.domain import workers
from teamspace.jobs import Authority
from teamspace.jobs.domain import runner
from teamspace.tenancy.schemas import Role
from tests.executors.help import create_job as create_model_job
from tests.executors.help import executor
from tests.jobs.help import create_job, ended, get_job, running
from tests.support.world import Caller, World

HOUR = 3600.0
SOON = 10
"""Seconds. Without polls, a worker that is not woken waits until this times out."""


@pytest.fixture(autouse=True)
async def hourly_polls(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Poll once an hour; the queue promotes new jobs, as in a running server."""
    monkeypatch.setattr(runner, "_POLL", HOUR)
    monkeypatch.setattr(workers, "_POLL", HOUR)
    promoting = asyncio.create_task(world.app.queue.run(world.db))
    yield
    promoting.cancel()


async def let_workers_wait() -> None:
    """Wait until idle workers sleep. A shorter time could hide a fault but never cause one."""
    await asyncio.sleep(0.3)


async def test_the_servers_own_worker_is_woken_by_each_job(world: World) -> None:
    ann = await world.bootstrap()
    async with running(world):
        for _ in range(3):
            await let_workers_wait()
            job = await create_job(ann)
            assert (await ended(ann, job["id"], SOON))["state"] == "succeeded"


async def test_a_long_poll_is_woken_by_a_job(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    poll = asyncio.create_task(worker.claim_job(max_wait=25))
    await let_workers_wait()
    job = await create_model_job(ann)
    assert (await asyncio.wait_for(poll, SOON))["job"]["id"] == job["id"]


async def test_a_long_poll_is_woken_by_a_requeued_job(world: World) -> None:
    ann = await world.bootstrap()
    created, first = await executor(world, ann)
    _, second = await executor(world, ann, name="Another")
    job = await create_model_job(ann)
    claimed = await first.claim_job(max_wait=5)
    poll = asyncio.create_task(second.claim_job(max_wait=25))
    await let_workers_wait()
    retired = await ann.delete(f"/api/executors/{created['id']}")
    assert retired.status_code == 204, retired.text
    assert (await asyncio.wait_for(poll, SOON))["job"]["id"] == job["id"] == claimed["job"]["id"]


async def sweep(world: World) -> None:
    """Sweep as every server does once a second."""
    await jobs.sweep(world.db, world.app.queue)


@pytest.mark.parametrize("limit", [10, None], ids=["raised", "removed"])
async def test_a_changed_quota_frees_the_jobs_it_parked(world: World, limit: int | None) -> None:
    ann = await world.bootstrap()
    await set_request_limit(ann, 1)
    first, second = await create_job(ann), await create_job(ann)
    async with running(world):
        await ended(ann, first["id"], SOON)
        await let_workers_wait()
        assert (await get_job(ann, second["id"]))["waiting"]["reason"] == "quota"
        await set_request_limit(ann, limit)
        await sweep(world)
        assert (await ended(ann, second["id"], SOON))["state"] == "succeeded"


async def test_jobs_of_a_resumed_company_run(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    bob = await world.person(org, team, Role.OWNER)
    async with running(world):
        assert (await ann.post(f"/api/orgs/{org.slug}/suspend")).status_code == 200
        job = await enqueue(world, bob)
        await let_workers_wait()
        assert (await get_job(bob, job))["waiting"]["reason"] == "suspended"
        assert (await ann.post(f"/api/orgs/{org.slug}/resume")).status_code == 200
        await sweep(world)
        assert (await ended(bob, job, SOON))["state"] == "succeeded"


async def set_request_limit(ann: Caller, requests: int | None) -> None:
    draft = {"dimension": "ai.requests", "limit": requests, "window": "day"}
    answer = await ann.post("/api/quota", draft)
    assert answer.status_code == 200, answer.text


async def enqueue(world: World, person: Caller) -> str:
    """Enqueue a job in a suspended company, below HTTP."""
    who = Principal("api", Call(), user_id=person.user_id, org_id=person.org.id, team_id=person.team.id)
    async with world.db.maintenance(who) as tx:
        return await world.app.queue.enqueue(tx, Authority.of(who), "ai.chat", ModelRequest("Hello"))
