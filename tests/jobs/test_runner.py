"""The server's own worker: how much it takes on at a time."""

import asyncio
import sys
from collections.abc import Callable

import msgspec
import pytest

from teamspace import jobs
from teamspace.core.principal import Call, Principal
from teamspace.core.tables import JobSpec
from teamspace.jobs import Queue, Runner
from tests.jobs.help import queue
from tests.support.world import World

JOBS = (JobSpec("test.step", "step", "Done at once."),)
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


async def test_the_next_begin_while_results_are_on_their_way_to_the_disk_but_not_without_end(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, steps, open = await world.bootstrap(), Steps(), asyncio.Event()
    kinds, faults = jobs.bind([sys.modules[__name__]], {Steps: steps})
    assert not faults
    queue(world).kinds.add(kinds)
    who = Principal("api", Call(), user_id=ann.user_id, org_id=ann.org.id, team_id=ann.team.id)
    async with world.db.maintenance(who) as tx:
        for _ in range(4 * SLOTS):
            await queue(world).enqueue(tx, who, KIND, Step())
    land = Queue.complete_many

    async def slow(*given: object) -> set[str]:
        await open.wait()
        return await land(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(Queue, "complete_many", slow)
    running = asyncio.create_task(Runner(world.db, queue(world), world.app.stopping, slots=SLOTS).run())
    await _until(lambda: steps.done == 2 * SLOTS)
    await asyncio.sleep(0.1)
    assert steps.done == 2 * SLOTS
    open.set()
    await _until(lambda: steps.done == 4 * SLOTS)
    world.app.stopping.begin()
    await asyncio.wait_for(running, 10)
    states = await world.db.all(str, "SELECT state FROM jobs")
    assert states == ["succeeded"] * 4 * SLOTS


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while True:
            if holds():
                return
            await asyncio.sleep(0.01)
