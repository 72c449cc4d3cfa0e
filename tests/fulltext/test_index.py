"""Texts come and go with the transactions of what they are of."""

import asyncio
from functools import partial

import pytest

from teamspace import fulltext
from teamspace.core.db import persistently
from teamspace.core.principal import system
from teamspace.fulltext.domain import index
from tests.support.world import World


async def put(world: World, org_id: str, ref: str) -> None:
    async with world.db.upkeep(system()) as tx:
        await fulltext.put(tx, "note", ref, org_id, title=f"title of {ref}")


async def drop(world: World, ref: str) -> None:
    async with world.db.upkeep(system()) as tx:
        await fulltext.drop(tx, "note", ref)


async def titles(world: World) -> list[str]:
    return await world.db.all(str, "SELECT title FROM texts ORDER BY title")


async def test_the_last_of_those_who_write_together_decides(world: World) -> None:
    org_id = (await world.bootstrap()).org.id
    await asyncio.gather(put(world, org_id, "a"), put(world, org_id, "b"))
    if world.db.dialect.name == "sqlite":  # here those who come together share a commit, in the order of their coming
        await asyncio.gather(put(world, org_id, "c"), drop(world, "c"), drop(world, "a"), put(world, org_id, "a"))
        assert await titles(world) == ["title of a", "title of b"]
    await asyncio.gather(drop(world, "a"), drop(world, "b"))
    assert await titles(world) == []


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_a_number_that_another_server_took_is_not_taken_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    org_id = (await world.bootstrap()).org.id
    numbers = iter([1, 1, 2])
    monkeypatch.setattr(index._numbers, "next", lambda: next(numbers))
    for ref in ("a", "b"):
        await persistently(partial(put, world, org_id, ref))
    assert await titles(world) == ["title of a", "title of b"]
    assert list(numbers) == []


def test_numbers_always_rise() -> None:
    made = [index._numbers.next() for _ in range(10_000)]
    assert made == sorted(set(made))
