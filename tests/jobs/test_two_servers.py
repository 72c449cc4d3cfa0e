"""Two servers on one PostgreSQL: they share the work, and wake each other's sleepers."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from teamspace import jobs
from teamspace.core.limits import Notifier
from teamspace.executors.domain import workers
from teamspace.settings import Settings
from tests.executors.help import Worker, executor
from tests.jobs.help import ask, ended, unsound
from tests.support.notices import hearing, running
from tests.support.world import Caller, World
from tests.support.world import world as opened

COMPANIES, TEAMS, JOBS = 4, 2, 5
pytestmark = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)


@pytest.fixture
async def pair(settings: Settings) -> AsyncIterator[tuple[World, World]]:
    async with opened(settings) as one, opened(settings) as other, awake(one), awake(other):
        yield one, other


@asynccontextmanager
async def awake(world: World) -> AsyncIterator[None]:
    async with hearing(world.db.engine, world.app.dependencies[Notifier]), running(world.app.queue.run(world.db)):
        yield


async def sweeping(world: World) -> None:
    while True:
        await asyncio.sleep(0.2)
        await jobs.sweep(world.db, world.app.queue)


async def test_what_one_accepts_a_worker_that_waits_at_the_other_is_handed(
    pair: tuple[World, World], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "_POLL", 3600.0)  # only news can wake it
    here, there = pair
    ann = await here.bootstrap()
    made, _ = await executor(here, ann)
    waiting = asyncio.create_task(Worker(there, made["token"]).handed(max_wait=workers.MAX_WAIT))
    await ask(ann, model="llama")
    assert (await waiting)["job"]["attempt"] == 1


async def test_they_share_the_work_and_every_job_ends_once(
    pair: tuple[World, World], caplog: pytest.LogCaptureFixture
) -> None:
    here, there = pair
    people = []
    for _ in range(COMPANIES):
        org, team = await here.company()
        people += [await here.person(org, home) for home in (team, await here.team(org))]
    asked = [(person, await ask(person)) for _ in range(JOBS) for person in people]
    with caplog.at_level(logging.WARNING, logger="teamspace"):
        async with (
            running(here.app.runner.run()), running(there.app.runner.run()), running(sweeping(here)),
            running(sweeping(there)),
        ):  # fmt: skip
            done = [await ended(person, job["id"], seconds=60) for person, job in asked]
    assert {job["state"] for job in done} == {"succeeded"}
    assert {job["attempt"] for job in done} == {1}
    assert await paid(people) == len(asked)
    assert [record.message for record in caplog.records] == []
    assert await unsound(here) == []


async def paid(people: list[Caller]) -> int:
    """How many requests the companies were charged with."""
    reports = [await person.get("/api/usage") for person in {person.org.id: person for person in people}.values()]
    return sum(report.json()["items"][0]["used"] for report in reports)
