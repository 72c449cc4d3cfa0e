"""Whoever waits for work is woken by it: the polls that would hide a lost wake-up come once an hour here."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from teamspace import jobs
from teamspace.ai.schemas import ChatInput
from teamspace.core.principal import Call, Principal
from teamspace.executors.domain import workers
from teamspace.jobs.domain import runner
from teamspace.tenancy.schemas import Role
from tests.executors.help import ask as ask_elsewhere
from tests.executors.help import executor
from tests.jobs.help import ask, ended, look, running
from tests.support.world import Caller, World

HOUR = 3600.0
SOON = 10
"""Seconds. Without a poll in between, what is not woken waits for ever."""


@pytest.fixture(autouse=True)
async def seldom(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Nobody polls, and the queue promotes what comes in, as in a running server."""
    monkeypatch.setattr(runner, "_POLL", HOUR)
    monkeypatch.setattr(workers, "_POLL", HOUR)
    promoting = asyncio.create_task(world.app.queue.run(world.db))
    yield
    promoting.cancel()


async def asleep() -> None:
    """Long enough that whoever found nothing sleeps. Shorter would make the tests pass too easily, never fail."""
    await asyncio.sleep(0.3)


async def test_the_servers_own_worker_is_woken_by_each_job(world: World) -> None:
    ann = await world.bootstrap()
    async with running(world):
        for _ in range(3):
            await asleep()
            job = await ask(ann)
            assert (await ended(ann, job["id"], SOON))["state"] == "succeeded"


async def test_a_long_poll_is_woken_by_a_job(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann)
    poll = asyncio.create_task(worker.handed(max_wait=25))
    await asleep()
    job = await ask_elsewhere(ann)
    assert (await asyncio.wait_for(poll, SOON))["job"]["id"] == job["id"]


async def test_a_long_poll_is_woken_by_a_job_that_was_put_back(world: World) -> None:
    ann = await world.bootstrap()
    made, first = await executor(world, ann)
    _, second = await executor(world, ann, name="Another")
    job = await ask_elsewhere(ann)
    handed = await first.handed(max_wait=5)
    poll = asyncio.create_task(second.handed(max_wait=25))
    await asleep()
    retired = await ann.delete(f"/api/executors/{made['id']}")
    assert retired.status_code == 204, retired.text
    assert (await asyncio.wait_for(poll, SOON))["job"]["id"] == job["id"] == handed["job"]["id"]


async def swept(world: World) -> None:
    """What every server does once a second."""
    await jobs.sweep(world.db, world.app.queue)


@pytest.mark.parametrize("limit", [10, None], ids=["raised", "removed"])
async def test_a_quota_that_changes_frees_what_it_parked(world: World, limit: int | None) -> None:
    ann = await world.bootstrap()
    await limited(ann, 1)
    first, second = await ask(ann), await ask(ann)
    async with running(world):
        await ended(ann, first["id"], SOON)
        await asleep()
        assert (await look(ann, second["id"]))["waiting"]["reason"] == "quota"
        await limited(ann, limit)
        await swept(world)
        assert (await ended(ann, second["id"], SOON))["state"] == "succeeded"


async def test_a_company_that_is_resumed_has_its_turn(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    bob = await world.person(org, team, Role.OWNER)
    async with running(world):
        assert (await ann.post(f"/api/orgs/{org.slug}/suspend")).status_code == 200
        job = await queued_in(world, bob)
        await asleep()
        assert (await look(bob, job))["waiting"]["reason"] == "suspended"
        assert (await ann.post(f"/api/orgs/{org.slug}/resume")).status_code == 200
        await swept(world)
        assert (await ended(bob, job, SOON))["state"] == "succeeded"


async def limited(ann: Caller, requests: int | None) -> None:
    wish = {"dimension": "ai.requests", "limit": requests, "window": "day"}
    answer = await ann.post("/api/quota", wish)
    assert answer.status_code == 200, answer.text


async def queued_in(world: World, person: Caller) -> str:
    """A job of a suspended company: asked for before, and not let in since."""
    who = Principal("api", Call(), user_id=person.user_id, org_id=person.org.id, team_id=person.team.id)
    async with world.db.maintenance(who) as tx:
        return await world.app.queue.enqueue(tx, who, "ai.chat", ChatInput("Hello"))
