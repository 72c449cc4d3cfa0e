"""The fence of the repository agrees with a model in plain Python, for random data."""

import pytest

from tests.repository.model import check_random_models
from tests.support.world import World


@pytest.mark.parametrize("seed", ["a", "b", "c"])
async def test_reads_lists_and_effective_readers_equal_the_model(world: World, seed: str) -> None:
    assert await check_random_models(world, seed, 3000) >= 3000
