"""The queue and the quota ledger behave like a plain Python model under random steps."""

import pytest

from tests.jobs.model import run_segment
from tests.support.world import World

STEPS = 300
EXPECTED_STEPS = {
    "create ready", "create scheduled", "claim_local claimed", "claim_remote claimed", "heartbeat accepted", "heartbeat stale",
    "complete accepted", "complete stale", "complete_again accepted", "fail postponed", "fail stale", "sweep expired",
    "limit team", "plan free",
}  # fmt: skip


@pytest.mark.processes
async def test_a_random_walk_agrees_with_the_model(world: World) -> None:
    walk = await run_segment(world, "1", range(STEPS))
    assert set(walk.outcomes) >= EXPECTED_STEPS, "the walk covered too few outcomes"
