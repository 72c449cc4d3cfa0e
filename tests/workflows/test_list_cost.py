"""A page of runs costs the same however many runs other teams and other workflows have."""

import pytest

from teamspace.core.principal import system
from tests.support.rows import NUMBERS, analyze, insert
from tests.support.visited import visited
from tests.support.world import Caller, World

SMALL, LARGE = 500, 25_000
NOISE, FLOOR = 1.3, 100
_ID = "'00000000-0000-7000-8000-' || CAST(100000000000 + n AS TEXT)"
_RUNS = (
    "INSERT INTO runs (id, org_id, team_id, owner_id, slug, version, digest, max_steps, state, steps_used, counts, locale,"
    f" objects, requests, tokens, created_at, finished_at) {NUMBERS} SELECT {_ID}, :org, :team,"
    " :owner, :slug, 1, 'd', 1, :state, 0, '{}', 'en', 1, 0, 0, :now, :now FROM numbers"
)
_DOCUMENTS = (
    f"INSERT INTO run_objects (run_id, object_id, org_id, team_id) {NUMBERS} SELECT {_ID},"
    " 'missing', :org, :team FROM numbers"
)
_SPECS = "INSERT INTO workflow_specs (team_id, digest, org_id, spec) VALUES (:team, 'd', :org, '{}')"
PATHS = ("?", "?slug=rare", "?slug=common", "?state=failed", "?state=succeeded&slug=rare")


async def add(caller: Caller, slug: str, state: str, first: int, last: int) -> None:
    facts = {
        "org": caller.org.id, "team": caller.team.id, "owner": caller.user_id, "slug": slug, "state": state,
        "now": "2026-01-01T00:00:00.000Z", "first": first, "last": last,
    }  # fmt: skip
    await insert(caller.world, (_RUNS, _DOCUMENTS)[: 2 if last - first < 100 else 1], facts)


async def costs(world: World, people: dict[str, Caller]) -> dict[tuple[str, str], int]:
    await analyze(world)
    found = {}
    for name, caller in people.items():
        for path in PATHS:
            async with visited(world) as total:
                answer = await caller.get(f"/api/runs{path}&limit=10")
                cursor = answer.json()["next_cursor"]
                if cursor:
                    answer = await caller.get(f"/api/runs{path}&limit=10&cursor={cursor}")
            assert answer.status_code == 200, answer.text
            found[name, path] = total.count
    return found


@pytest.mark.both_databases
async def test_a_page_costs_the_same_with_many_runs_of_others(world: World) -> None:
    """Those of a small team and of a rare workflow are the oldest, behind all others in the order of ids; another team
    has many of the workflow that is rare in this one."""
    ann = await world.bootstrap()
    member = await world.person(ann.org, ann.team)
    small = await world.person(ann.org, await world.team(ann.org))
    other = await world.join(ann, await world.team(ann.org))
    people = {"admin": ann, "member with nothing": member, "member of a small team": small}
    for caller in (ann, small, other):
        async with world.db.maintenance(system(org_id=ann.org.id)) as tx:
            await tx.run(_SPECS, team=caller.team.id, org=ann.org.id)
    await add(small, "common", "failed", 0, 20)
    await add(ann, "rare", "succeeded", 100, 120)
    await add(ann, "common", "failed", 200, 220)
    await add(ann, "common", "succeeded", 1000, 1000 + SMALL)
    await add(other, "rare", "succeeded", 100_000, 100_000 + SMALL)
    before = await costs(world, people)
    await add(ann, "common", "succeeded", 1001 + SMALL, 1000 + LARGE)
    await add(other, "rare", "succeeded", 100_001 + SMALL, 100_000 + LARGE)
    after = await costs(world, people)
    assert {key: (before[key], cost) for key, cost in after.items() if cost > NOISE * before[key] + FLOOR} == {}
