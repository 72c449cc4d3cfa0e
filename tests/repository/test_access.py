"""The fence against a plain model: whatever the world looks like, SQL and thirty lines of Python agree."""

import pytest

from tests.repository.model import walk
from tests.support.world import World


@pytest.mark.parametrize("seed", ["a", "b", "c"])
async def test_reads_lists_and_explanations_equal_the_model(world: World, seed: str) -> None:
    assert await walk(world, seed, 3000) >= 3000
