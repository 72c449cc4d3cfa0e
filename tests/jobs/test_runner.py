"""The server's own worker: how many jobs it runs at a time, and what becomes of a handler that breaks."""

import asyncio
import sys
from collections.abc import Callable

import msgspec
import pytest

from teamspace import jobs
from teamspace.core.principal import Call, Principal
from teamspace.core.tables import JobSpec
from teamspace.jobs import Authority, Queue, Runner
from tests.jobs.help import ended as has_ended
from tests.jobs.help import queue, running
from tests.support.world import World

JOBS = (
    JobSpec("test.step", "step", "Ends at once."),
    JobSpec("test.broken", "break_down", "Fails in its own way.", max_attempts=1),
)
KIND, BROKEN = (row.kind for row in JOBS)
SLOTS = 2


class Step(msgspec.Struct, frozen=True):
    pass


class Steps:
    def __init__(self) -> None:
        self.done = 0


async def step(input: Step, steps: Steps) -> Step:
    steps.done += 1
    return input


class Broken(msgspec.Struct, frozen=True):
    error: str


async def break_down(input: Broken) -> Step:
    raise {"bug": ZeroDivisionError("division by zero"), "exit": SystemExit(3)}[input.error]


@pytest.mark.parametrize("error", ["bug", "exit"])
async def test_a_handler_that_breaks_fails_its_job_and_is_logged(
    world: World, error: str, caplog: pytest.LogCaptureFixture
) -> None:
    ann = await world.bootstrap()
    who = Principal("api", Call(), user_id=ann.user_id, org_id=ann.org.id, team_id=ann.team.id)
    queue(world).kinds.add(jobs.bind([sys.modules[__name__]], {Steps: Steps()})[0])
    async with world.db.maintenance(who) as tx:
        job_id = await queue(world).enqueue(tx, Authority.of(who), BROKEN, Broken(error))
    async with running(world):
        ended = await has_ended(ann, job_id)
    assert (ended["state"], ended["error"]["code"]) == ("failed", "internal_error")
    assert f"job {job_id} of kind {BROKEN} failed" in caplog.text


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
    runner = asyncio.create_task(
        Runner(world.db, queue(world), world.app.attempts, world.app.stopping, slots=SLOTS).run()
    )
    await _until(lambda: steps.done == 2 * SLOTS)
    await asyncio.sleep(0.1)
    assert steps.done == 2 * SLOTS
    release.set()
    await _until(lambda: steps.done == 4 * SLOTS)
    world.app.stopping.begin()
    await asyncio.wait_for(runner, 10)
    states = await world.db.all(str, "SELECT state FROM jobs")
    assert states == ["succeeded"] * 4 * SLOTS


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while True:
            if condition():
                return
            await asyncio.sleep(0.01)
