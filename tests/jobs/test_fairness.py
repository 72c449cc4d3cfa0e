"""Teams with few jobs do not wait for teams with many."""

from teamspace import jobs, quota
from teamspace.core.principal import system
from teamspace.quota import Dimension, Level, QuotaDraft
from tests.identity.help import Hands, hands
from tests.jobs.fairness import QUIET, enqueue_many, measure_waits
from tests.jobs.help import claim, complete, create_job, queue
from tests.support.moment import stop_clock
from tests.support.world import World

__all__ = ["hands"]


async def test_a_quiet_team_s_job_starts_within_two_completions(world: World) -> None:
    waited = await measure_waits(world, 5000)
    assert len(waited) == QUIET
    assert max(waited) <= 2


async def test_a_freed_slot_goes_to_the_team_that_waited_for_it(world: World) -> None:
    ann = await world.bootstrap()
    waiting_member = await world.join(ann, await world.team(ann.org))
    async with world.db.maintenance(system()) as tx:
        await quota.set_limit(tx, Level.ORG, ann.org.id, ann.org.id, QuotaDraft(Dimension.CONCURRENCY, 1, None))
    await enqueue_many(world, ann, 20)
    claimed = await claim(world)
    mine = (await create_job(waiting_member))["id"]
    assert await claim(world, 5) == [], "the only slot is taken: all are parked"
    waited = 0
    while claimed[0][0].id != mine:
        await complete(world, claimed[0][1])
        claimed = await claim(world, 5)
        assert len(claimed) == 1
        waited += 1
    assert waited <= 2


async def test_a_job_parked_for_a_quota_gets_its_turn_when_the_window_resets(world: World, hands: Hands) -> None:
    hands.at = 1_800_000_000.0
    await stop_clock(world, hands.at)
    ann = await world.bootstrap()
    waiting_member = await world.join(ann, await world.team(ann.org))
    await enqueue_many(world, ann, 100)
    for _ in range(60):
        ((_, token),) = await claim(world)
        await complete(world, token)
    limit = {"dimension": "ai.requests", "limit": 1, "window": "hour"}
    assert (await waiting_member.post("/api/quota", limit)).status_code == 200
    mine = [(await create_job(waiting_member))["id"] for _ in range(2)]
    while taken := await claim(world, 5):
        for _, token in taken:
            await complete(world, token)
    hands.forward(3600)
    await stop_clock(world, hands.at)
    await enqueue_many(world, ann, 100)
    claimed = await claim(world)
    await jobs.sweep(world.db, queue(world))
    waited = 0
    while claimed[0][0].id != mine[1]:
        await complete(world, claimed[0][1])
        claimed = await claim(world)
        waited += 1
    assert waited <= 2
