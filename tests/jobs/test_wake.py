"""Whoever waits for work is woken by it: the polls that would hide a lost wake-up come once an hour here."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from teamspace.executors.domain import workers
from teamspace.jobs.domain import runner
from tests.executors.help import executor
from tests.jobs.help import ask, ended, running
from tests.support.world import World

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
    job = await ask(ann)
    assert (await asyncio.wait_for(poll, SOON))["job"]["id"] == job["id"]


async def test_a_long_poll_is_woken_by_a_job_that_was_put_back(world: World) -> None:
    ann = await world.bootstrap()
    made, first = await executor(world, ann)
    _, second = await executor(world, ann, name="Another")
    job = await ask(ann)
    handed = await first.handed(max_wait=5)
    poll = asyncio.create_task(second.handed(max_wait=25))
    await asleep()
    retired = await ann.delete(f"/api/executors/{made['id']}")
    assert retired.status_code == 204, retired.text
    assert (await asyncio.wait_for(poll, SOON))["job"]["id"] == job["id"] == handed["job"]["id"]
