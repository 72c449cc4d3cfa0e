"""The queue and the ledger do what plain Python says, whatever happens in whatever order."""

from tests.jobs.model import stretch
from tests.support.world import World

STEPS = 300
MET = {
    "ask ready", "ask scheduled", "claim_here handed", "claim_afar handed", "beat landed", "beat stale",
    "complete landed", "complete stale", "complete_again landed", "fail postponed", "fail stale", "sweep lapsed",
    "limit team", "plan free",
}  # fmt: skip


async def test_a_random_walk_goes_where_the_model_goes(world: World) -> None:
    walk = await stretch(world, "1", range(STEPS))
    assert set(walk.happened) >= MET, "a walk that meets less proves little"
