"""Fair between teams: whoever has little to do does not wait for those who have much."""

from teamspace import jobs, quota
from teamspace.core.principal import system
from teamspace.quota import Dimension, Level, QuotaDraft
from tests.identity.help import Hands, hands
from tests.jobs.fairness import QUIET, pile_up, waits
from tests.jobs.help import ask, claim, complete, queue
from tests.support.moment import stop_clock
from tests.support.world import World

__all__ = ["hands"]


async def test_a_quiet_team_s_job_starts_within_two_completions(world: World) -> None:
    waited = await waits(world, 5000)
    assert len(waited) == QUIET
    assert max(waited) <= 2


async def test_a_slot_that_is_freed_goes_to_the_team_that_waited_for_it(world: World) -> None:
    ann = await world.bootstrap()
    patient = await world.join(ann, await world.team(ann.org))
    async with world.db.maintenance(system()) as tx:
        await quota.set_limit(tx, Level.ORG, ann.org.id, ann.org.id, QuotaDraft(Dimension.CONCURRENCY, 1, None))
    await pile_up(world, ann, 20)
    held = await claim(world)
    mine = (await ask(patient))["id"]
    assert await claim(world, 5) == [], "the only slot is taken: all are parked"
    waited = 0
    while held[0][0].id != mine:
        await complete(world, held[0][1])
        held = await claim(world, 5)
        assert len(held) == 1
        waited += 1
    assert waited <= 2


async def test_what_waited_for_a_quota_has_its_turn_when_the_quota_begins_anew(world: World, hands: Hands) -> None:
    hands.at = 1_800_000_000.0
    await stop_clock(world, hands.at)
    ann = await world.bootstrap()
    patient = await world.join(ann, await world.team(ann.org))
    await pile_up(world, ann, 100)
    for _ in range(60):
        ((_, token),) = await claim(world)
        await complete(world, token)
    limit = {"dimension": "ai.requests", "limit": 1, "window": "hour"}
    assert (await patient.post("/api/quota", limit)).status_code == 200
    mine = [(await ask(patient))["id"] for _ in range(2)]
    while taken := await claim(world, 5):
        for _, token in taken:
            await complete(world, token)
    hands.forward(3600)
    await stop_clock(world, hands.at)
    await pile_up(world, ann, 100)
    held = await claim(world)
    await jobs.sweep(world.db, queue(world))
    waited = 0
    while held[0][0].id != mine[1]:
        await complete(world, held[0][1])
        held = await claim(world)
        waited += 1
    assert waited <= 2
