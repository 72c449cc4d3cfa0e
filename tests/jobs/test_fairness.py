"""Fair between teams: whoever has little to do does not wait for those who have much."""

from tests.jobs.fairness import QUIET, waits
from tests.support.world import World


async def test_a_quiet_team_s_job_starts_within_two_completions(world: World) -> None:
    waited = await waits(world, 5000)
    assert len(waited) == QUIET
    assert max(waited) <= 2
