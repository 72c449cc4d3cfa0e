"""A step costs the same however many items its run has."""

import pytest

from tests.support.visited import visited_by_writes
from tests.support.world import Caller, World
from tests.workflows.help import map_over, ref, run_to_end, spec, workflow_world

SMALL, LARGE = 60, 600
NOISE = 1.5


async def cost_of_an_item(ann: Caller, world: World, count: int) -> float:
    raw = spec(
        f"map-{count}",
        map_over("each", ref("input.items"), "toy_any", **{"with": {"value": ref("item")}}),
        inputs={"items": {"type": "array"}}, max_steps=count,
    )  # fmt: skip
    async with visited_by_writes(world) as total:
        run = await run_to_end(ann, raw, {"items": list(range(count))})
    assert run["state"] == "succeeded", run
    return total.count / count


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_an_item_costs_the_same_in_a_large_map(world: World) -> None:
    async with workflow_world(world) as ann:
        await cost_of_an_item(ann, world, SMALL)
        small, large = await cost_of_an_item(ann, world, SMALL + 1), await cost_of_an_item(ann, world, LARGE)
    assert large < NOISE * small, (small, large)
