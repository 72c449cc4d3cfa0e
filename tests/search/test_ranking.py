"""Ranking by the index alone and checking only the best gives the same pages as checking everything."""

from typing import Any

import pytest

from teamspace import fulltext
from teamspace.core.db import Clause, Fence
from teamspace.search import domain, store
from teamspace.search.schemas import Hit, Kind
from teamspace.tenancy.schemas import Role
from tests.support.world import Caller, World

QUERY = fulltext.parse_query("word")
START = (store.POINTS + 1, "")


async def fill(caller: Caller, count: int, **more: Any) -> None:
    """Write notes, some of which have equal scores."""
    for number in range(count):
        draft = {"title": f"Note {number}", "body": "word " * (number % 4 + 1), **more}
        assert (await caller.post("/api/notes", draft)).status_code == 201


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


def fences(caller: Caller) -> dict[Kind, Fence]:
    return {"note": Fence("notes", (Clause("notes.owner_id = :user_id"),), {"user_id": caller.user_id})}


async def pages(world: World, caller: Caller, size: int, find: Any) -> list[list[Hit]]:
    """Return all pages, each below the last hit of the one before."""
    found: list[list[Hit]] = []
    below = START
    while page := await find(world.db, QUERY, fences(caller), caller.org.id, below, size):
        found.append(page)
        below = (page[-1].points, page[-1].id)
    return found


async def _all_checked(db: Any, query: Any, fences: Any, org_id: str, below: Any, limit: int) -> list[Hit]:
    return await store.select(db, query, fences, org_id, below=below, limit=limit)


@pytest.mark.parametrize("batch", [1, 3, 64])
async def test_pages_are_the_same_whatever_is_checked_at_once(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    bob = await world.person(ann.org, ann.team, Role.MEMBER)
    for caller in (ann, bob):
        await fill(caller, 9)
    monkeypatch.setattr(domain, "_BATCH", batch)
    for size in (1, 4, 20):
        expected = await pages(world, ann, size, _all_checked)
        assert await pages(world, ann, size, domain._find) == expected
        assert sum(map(len, expected)) == 9


async def test_a_caller_who_can_read_few_of_the_best_gets_all_of_theirs(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = await world.person(ann.org, ann.team, Role.MEMBER)
    await fill(ann, 12)
    await fill(bob, 1)
    monkeypatch.setattr(domain, "_BATCH", 1)
    monkeypatch.setattr(domain, "_MAX_BATCHES", 1)
    assert [len(page) for page in await pages(world, bob, 5, domain._find)] == [1]


async def test_more_matches_than_are_ranked_are_all_checked(
    world: World, ann: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(ann, 6)
    monkeypatch.setattr(store, "MAX_RANKED", 4)
    assert await store.rank(world.db, QUERY, ["note"], ann.org.id) is None
    assert len((await ann.get("/api/search?q=word")).json()["items"]) == 4


async def test_the_index_ranks_only_texts_of_the_company(world: World, ann: Caller, database_url: str) -> None:
    org, team = await world.company()
    await fill(await world.person(org, team, Role.MEMBER), 3)
    await fill(ann, 2)
    matches = await store.rank(world.db, QUERY, ["note"], ann.org.id)
    if database_url:
        assert matches is None  # PostgreSQL reads the rows for their scores anyway
        return
    assert matches is not None
    assert len(matches) == 2
