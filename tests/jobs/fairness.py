"""One busy team, nine quiet ones and one worker: how long do the quiet teams wait?

python -m tests.jobs.fairness --jobs 50000 --database postgres
"""

import argparse
import asyncio
import time

from teamspace.core.ids import new_id
from teamspace.core.principal import system
from teamspace.jobs import Authority, EncodedInput, local_channel, store
from teamspace.jobs.domain import lanes
from teamspace.jobs.schemas import NORMAL, Lane
from teamspace.quota import QuotaAccount, Spend
from tests.jobs.help import claim, complete, create_job
from tests.jobs.model import new_world
from tests.support.world import Caller, World

KIND = "ai.chat"
QUIET = 9
INPUT = EncodedInput('{"prompt":"x"}', Spend(1, 500))
_BATCH = 1000


async def enqueue_many(world: World, person: Caller, jobs: int) -> None:
    """Enqueue `jobs` jobs for one person, a thousand per commit."""
    lane = Lane(person.org.id, person.team.id, KIND)
    authority = Authority(QuotaAccount(person.org.id, person.team.id, person.user_id))
    for start in range(0, jobs, _BATCH):
        async with world.db.maintenance(system()) as tx:
            for _ in range(start, min(start + _BATCH, jobs)):
                await store.insert(
                    tx, new_id(), KIND, authority, channel=local_channel(KIND), model=None, priority=NORMAL, run_at=None,
                    max_attempts=3, input=INPUT, title=None, origin=None, idempotency_key=None, retry_of=None,
                )  # fmt: skip
            await lanes.promote(tx, [lane])


async def measure_waits(world: World, jobs: int) -> list[int]:
    """Return how many jobs were completed before each quiet team's first one started."""
    ann = await world.bootstrap()
    await enqueue_many(world, ann, jobs)
    claimed = await claim(world)
    waited = []
    for _ in range(QUIET):
        member = await world.person(ann.org, await world.team(ann.org))
        mine = (await create_job(member))["id"]
        waited.append(0)
        while claimed[0][0].id != mine:
            await complete(world, claimed[0][1])
            claimed = await claim(world)
            waited[-1] += 1
    return waited


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.jobs.fairness")
    parser.add_argument("--jobs", type=int, default=50_000)
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    options = parser.parse_args()
    async with new_world(options.database) as world:
        began = time.monotonic()
        print(
            f"completed before each started: {await measure_waits(world, options.jobs)}, {time.monotonic() - began:.0f} s"
        )


if __name__ == "__main__":
    asyncio.run(main())
