"""A page of prospects costs the same however many prospects there are, in this team and in others."""

import pytest

from teamspace.core.principal import system
from teamspace.tenancy.schemas import Role
from tests.support.rows import NUMBERS, analyze
from tests.support.visited import visited
from tests.support.world import Caller, World

SMALL, LARGE = 4_000, 20_000
"""With a few hundred, PostgreSQL has other plans than with many, and visits fewer rows."""
NOISE, FLOOR = 1.3, 20
_ID = "'00000000-0000-7000-8000-' || CAST(100000000000 + n AS TEXT)"
_PROSPECTS = (
    "INSERT INTO prospects (id, org_id, team_id, experience_id, version, nonce, email, email_key, answers, signals, level,"
    f" created_at, state, decided_at, verdict, judged) {NUMBERS}"
    f" SELECT {_ID}, :org, :team, 'x', 1, {_ID}, :name || CAST(n AS TEXT), :name || CAST(n AS TEXT), '{{}}', :signals, :level,"
    " :now, :state, CASE WHEN :state = 'captured' THEN NULL ELSE :now END, :verdict, NULL FROM numbers"
)
_SIGNALS = (
    '{"score":0,"doubts":[],"difficulty":1,"solving":null,"age":9.0,"from_prefix":0,"duplicates":0,"similar":0,'
    '"entropy":null,"origin":"","agent":""}'
)
PATHS = (
    "?", "?state=captured", "?state=declined", "?level=blocked", "?level=ok", "?verdict=review", "?verdict=none&state=captured",
    "?q=rare", "?q=rare&state=declined", "?numbers=1",
)  # fmt: skip


async def add(caller: Caller, first: int, count: int, *, name: str = "common", **more: str) -> None:
    kind = {"state": "captured", "level": "ok", "verdict": "none", **more}
    async with caller.world.db.maintenance(system(org_id=caller.org.id)) as tx:
        await tx.run(
            _PROSPECTS, org=caller.org.id, team=caller.team.id, first=first, last=first + count - 1, name=name,
            signals=_SIGNALS, now="2026-01-01T00:00:00.000Z", **kind,
        )  # fmt: skip


async def costs(world: World, people: dict[str, Caller]) -> dict[tuple[str, str], int]:
    await analyze(world)
    found = {}
    for name, caller in people.items():
        for path in PATHS:
            async with visited(world) as total:
                answer = await caller.get(f"/api/beta/prospects{path}&limit=10")
                if cursor := answer.json()["next_cursor"]:
                    answer = await caller.get(f"/api/beta/prospects{path}&limit=10&cursor={cursor}")
            assert answer.status_code == 200, answer.text
            found[name, path] = total.count
    return found


@pytest.mark.both_databases
async def test_a_page_costs_the_same_with_many_prospects(world: World) -> None:
    """What a filter finds is the oldest, behind all others in the order of ids."""
    ann = await world.bootstrap()
    small = await world.person(ann.org, await world.team(ann.org), Role.OWNER)
    people = {"a large team": ann, "a small team": small}
    await add(small, 0, 20, name="rare")
    await add(ann, 100, 20, name="rare", state="declined", level="blocked", verdict="review")
    await add(ann, 1_000, SMALL)
    before = await costs(world, people)
    await add(ann, 1_000 + SMALL, LARGE - SMALL)
    after = await costs(world, people)
    assert {key: (before[key], cost) for key, cost in after.items() if cost > NOISE * before[key] + FLOOR} == {}
