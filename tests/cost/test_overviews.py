"""What a list around a person, a text or a team costs does not depend on how much there is, for any caller."""

import pytest

from tests.support.overviews import REQUESTS, Crowd, fill, gather, send, shelve
from tests.support.visited import visited
from tests.support.world import World

SMALL, LARGE = 2_000, 10_000
NOISE, FLOOR = 1.3, {"sqlite": 400, "postgres": 2_000}
"""For database pages. PostgreSQL reads small tables as a whole."""
SUCCEED = {
    "owner": {*REQUESTS} - {"thumbnail"},
    "member with grants": {*REQUESTS} - {"thumbnail", "public links of the team"},
    "member with nothing": {*REQUESTS}
    - {"thumbnail", "references to a note", "presence", "public links", "public links of the team"},
    "guest": {*REQUESTS}
    - {
        "thumbnail",
        "references to a note",
        "presence",
        "public links",
        "public links of the team",
        "what a chat would cost",
    },
}
"""Who gets an answer: nobody reads a thumbnail, since the files have none."""


@pytest.mark.both_databases
async def test_a_request_costs_the_same_however_much_there_is(world: World) -> None:
    crowd = await gather(world)
    await fill(world, crowd, 0, SMALL)
    await shelve(world, crowd)
    small = await measure(world, crowd)
    await fill(world, crowd, SMALL, LARGE)
    large = await measure(world, crowd)
    most = {name: NOISE * cost + FLOOR[world.db.dialect.name] for name, cost in small.items()}
    grown = {name: (small[name], cost) for name, cost in large.items() if cost > most[name]}
    assert not grown


async def measure(world: World, crowd: Crowd) -> dict[tuple[str, str], int]:
    """What each request of each caller visits in the database."""
    costs = {}
    for who, caller in crowd.callers.items():
        for name, request in REQUESTS.items():
            assert (await send(caller, request) == 200) is (name in SUCCEED[who]), (who, name)
            async with visited(world) as total:
                await send(caller, request)
            costs[who, name] = total.count
    return costs
