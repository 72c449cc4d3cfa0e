"""What a page of the graph costs depends on its size, not on how much the company knows or on what others can read."""

import pytest

from benchmarks.knowledge import REQUESTS, add_names, counting, fill
from tests.support.world import Caller, World

SMALL, LARGE = 12_000, 48_000
"""Mentions. The small graph has more documents than are counted of an entity."""
NAMES = 10_000
"""So many that reading them all would be more work for PostgreSQL than using the index."""
NOISE, FLOOR = 1.3, 1000
"""For database pages, and documents that happen to have the same names."""

Costs = dict[tuple[str, str], dict[str, int]]


@pytest.mark.both_databases
async def test_a_page_costs_the_same_however_much_there_is(world: World) -> None:
    owner = await world.bootstrap()
    member, holder = [await world.person(owner.org, owner.team) for _ in range(2)]
    people = {"owner": owner, "member": member, "holder of grants": holder}
    people["stranger"] = await world.person(owner.org, await world.team(owner.org))
    await fill(world, owner, holder, SMALL)
    small = await measure(world, people)
    await fill(world, owner, holder, LARGE, before=SMALL)
    await add_names(world, owner, LARGE // 10, NAMES)
    large = await measure(world, people)
    grown = {
        (request, sql): (small[request][sql], cost)
        for request, costs in large.items()
        for sql, cost in costs.items()
        if cost > NOISE * small[request].get(sql, cost) + FLOOR
    }
    assert not grown


async def measure(world: World, people: dict[str, Caller]) -> Costs:
    """What each statement of each request visits."""
    if world.db.dialect.name == "postgres":
        await world.db.engine.script("ANALYZE")
    rare = await world.db.one(str, "SELECT substr(name, 8) FROM kg_names WHERE id = 'n10000100'") or ""
    costs: Costs = {}
    for who, caller in people.items():
        for name, path in REQUESTS.items():
            answer = await caller.get(path.format(rare=rare))
            async with counting(world) as work:
                await caller.get(path.format(rare=rare))
            assert answer.status_code in (200, 404), answer.text
            costs[who, name] = {sql: visits for sql, _, visits in work.statements}
    return costs
