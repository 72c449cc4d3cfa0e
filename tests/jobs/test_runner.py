"""The server's own worker: how many jobs it runs at a time."""

import asyncio
import sys
from collections.abc import Callable

import msgspec
import pytest

from teamspace import jobs
from teamspace.core.principal import Call, Principal
from teamspace.core.tables import JobSpec
from teamspace.jobs import Authority, Queue, Runner
from tests.jobs.help import queue
from tests.support.world import World

JOBS = (JobSpec("test.step", "step", "Ends at once."),)
KIND = JOBS[0].kind
SLOTS = 2


class Step(msgspec.Struct, frozen=True):
    pass


class Steps:
    def __init__(self) -> None:
        self.done = 0


async def step(input: Step, steps: Steps) -> Step:
    steps.done += 1
    return input


async def test_jobs_start_while_results_are_being_stored_up_to_a_limit(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, steps, release = await world.bootstrap(), Steps(), asyncio.Event()
    kinds, faults = jobs.bind([sys.modules[__name__]], {Steps: steps})
    assert not faults
    queue(world).kinds.add(kinds)
    who = Principal("api", Call(), user_id=ann.user_id, org_id=ann.org.id, team_id=ann.team.id)
    async with world.db.maintenance(who) as tx:
        for _ in range(4 * SLOTS):
            await queue(world).enqueue(tx, Authority.of(who), KIND, Step())
    land = Queue.land

    async def slow(*args: object) -> set[tuple[str, int]]:
        await release.wait()
        return await land(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(Queue, "land", slow)
    running = asyncio.create_task(
        Runner(world.db, queue(world), world.app.attempts, world.app.stopping, slots=SLOTS).run()
    )
    await _until(lambda: steps.done == 2 * SLOTS)
    await asyncio.sleep(0.1)
    assert steps.done == 2 * SLOTS
    release.set()
    await _until(lambda: steps.done == 4 * SLOTS)
    world.app.stopping.begin()
    await asyncio.wait_for(running, 10)
    states = await world.db.all(str, "SELECT state FROM jobs")
    assert states == ["succeeded"] * 4 * SLOTS


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while True:
            if condition():
                return
            await asyncio.sleep(0.01)
