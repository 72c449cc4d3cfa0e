"""Two servers on one PostgreSQL: they share the work and wake each other's waiting workers."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from teamspace import jobs
from teamspace.core.limits import Notifier
from teamspace.executors.domain import workers
from teamspace.jobs.domain import queue
from teamspace.jobs.schemas import State
from teamspace.settings import Settings
from tests.executors.help import Worker, executor
from tests.jobs.help import broken_invariants, create_job, ended
from tests.support.notices import relaying, running
from tests.support.world import Caller, World
from tests.support.world import world as open_world

COMPANIES, TEAMS, JOBS = 4, 2, 5
pytestmark = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)


@pytest.fixture
async def pair(settings: Settings) -> AsyncIterator[tuple[World, World]]:
    async with open_world(settings) as one, open_world(settings) as other, promoting(one), promoting(other):
        yield one, other


@asynccontextmanager
async def promoting(world: World) -> AsyncIterator[None]:
    async with relaying(world.db.engine, world.app.dependencies[Notifier]), running(world.app.queue.run(world.db)):
        yield


async def sweeping(world: World) -> None:
    while True:
        await asyncio.sleep(0.2)
        await jobs.sweep(world.db, world.app.queue)


async def test_a_job_created_on_one_server_wakes_a_worker_polling_the_other(
    pair: tuple[World, World], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_POLL", 3600.0)  # only a notification can wake it
    here, there = pair
    ann = await here.bootstrap()
    created, _ = await executor(here, ann)
    waiting = asyncio.create_task(Worker(there, created["token"]).claim_job(max_wait=workers.MAX_WAIT))
    await create_job(ann, model="llama")
    assert (await waiting)["job"]["attempt"] == 1


async def test_two_servers_share_the_work_and_every_job_ends_once(
    pair: tuple[World, World], caplog: pytest.LogCaptureFixture
) -> None:
    here, there = pair
    people = []
    for _ in range(COMPANIES):
        org, team = await here.company()
        people += [await here.person(org, home) for home in (team, await here.team(org))]
    created = [(person, await create_job(person)) for _ in range(JOBS) for person in people]
    with caplog.at_level(logging.WARNING, logger="teamspace"):
        async with (
            running(here.app.runner.run()), running(there.app.runner.run()), running(sweeping(here)),
            running(sweeping(there)),
        ):  # fmt: skip
            done = [await ended(person, job["id"], seconds=60) for person, job in created]
    assert {job["state"] for job in done} == {"succeeded"}
    assert {job["attempt"] for job in done} == {1}
    assert await count_charged_requests(people) == len(created)
    assert [record.message for record in caplog.records] == []
    assert await broken_invariants(here) == []


async def count_charged_requests(people: list[Caller]) -> int:
    """Return how many requests the companies were charged for."""
    reports = [await person.get("/api/usage") for person in {person.org.id: person for person in people}.values()]
    return sum(report.json()["items"][0]["used"] for report in reports)


async def test_a_wait_on_one_server_ends_with_a_job_that_the_other_ends(
    pair: tuple[World, World], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "_POLL", 3600.0)  # only a notification can wake it
    here, there = pair
    ann = await here.bootstrap()
    job_id = (await create_job(ann))["id"]
    waiting = asyncio.create_task(there.app.queue.wait_for_end(there.db, job_id, 30))
    await asyncio.sleep(0.1)
    assert (await ann.post(f"/api/jobs/{job_id}/cancel")).status_code == 200
    assert await asyncio.wait_for(waiting, 10) is State.CANCELLED
