"""Two servers on one PostgreSQL that end the last two items of a map at the same moment: exactly one begins what follows."""

import asyncio

import msgspec
import pytest

from teamspace import jobs
from teamspace.core.principal import system
from teamspace.jobs import Succeeded
from teamspace.settings import Settings
from teamspace.workflows.domain import advancing
from teamspace.workflows.schemas import StepResult
from tests.support.world import world as open_world
from tests.workflows.help import add_toys, broken_invariants, call, get_run, map_over, publish, ref, spec, start, states

pytestmark = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
DONE = Succeeded(StepResult(msgspec.Raw(b"2")))


async def test_the_last_two_items_advance_a_run_once(settings: Settings) -> None:
    async with open_world(settings) as one, open_world(settings) as other:
        add_toys(one)
        ann = await one.bootstrap()
        raw = spec(
            "race",
            map_over("each", [1, 2], "toy_double", **{"with": {"number": ref("item")}}),
            call("end", "toy_range", **{"with": {"below": 0}}),
        )
        await publish(ann, raw)
        for _ in range(10):
            run = await start(ann, "race")
            claimed = list[tuple[jobs.Job, jobs.JobClaim]]()
            async with asyncio.timeout(15):
                while len(claimed) < 2:
                    claimed += await one.app.queue.claim(
                        one.db, [jobs.local_channel(advancing.KIND)], count=2, executor_id=jobs.LOCAL
                    )
            first, second = (claim for _, claim in claimed)
            # Both have written their outcome before either commits.
            async with one.db.maintenance(system()) as tx:
                await one.app.queue.finish(tx, first, DONE)
                waiting = asyncio.create_task(other.app.queue.finish_many(other.db, [(second, DONE)]))
                await asyncio.sleep(0.05)
                assert not waiting.done(), "the second server waits for the run"
            await waiting
            found = await get_run(ann, run["id"])
            assert states(found) == {"each": "succeeded", "end": "running"}
            assert found["steps_used"] == 3
            async with one.db.maintenance(system()) as tx:
                await one.app.queue.cancel_run(tx, run["id"])
                running = await advancing.lock(tx, run["id"])
                assert running is not None
                await advancing.cancel(tx, one.app.queue, running)
        assert await broken_invariants(one) == []
