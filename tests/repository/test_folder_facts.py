"""How many items a folder has, and when one of them changed last."""

from typing import Any

import pytest

from teamspace.repository.domain import finding
from tests.repository.help import put, share
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def facts(caller: Caller, query: str = "") -> dict[str, Any]:
    answer = await caller.get(f"/api/repo?prefix=&delimiter=/&facts=1{query}")
    assert answer.status_code == 200, answer.text
    return {
        each["folder"]: (each["items"], each["is_complete"], each["updated_at"])
        for each in answer.json()["folder_facts"]
    }


async def test_items_are_counted_with_subfolders_as_far_as_they_can_be_read(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team)
    await put(ann, "a/1.txt")
    await put(ann, "a/deep/2.txt")
    hidden, last = await put(ann, "b/1.txt"), await put(ann, "a/deep/3.txt", query="?visibility=team")
    assert await facts(ann) == {"a/": (3, True, last["updated_at"]), "b/": (1, True, hidden["updated_at"])}
    assert await facts(bob) == {"a/": (1, True, last["updated_at"])}
    shared = await share(ann, hidden["id"], bob)
    assert shared["items"]
    assert (await facts(bob))["b/"] == (1, True, hidden["updated_at"])
    assert (await ann.get("/api/repo?prefix=&delimiter=/")).json()["folder_facts"] is None


async def test_a_large_folder_is_counted_up_to_a_limit(ann: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "MAX_COUNTED", 2)
    for number in range(3):
        await put(ann, f"a/{number}.txt")
    assert await facts(ann) == {"a/": (2, False, None)}


async def test_a_folder_that_a_token_sees_in_part_has_no_facts(world: World, ann: Caller) -> None:
    await put(ann, "a/b/1.txt")
    await put(ann, "c/1.txt")
    limited = await world.token(ann, scope=["files:read:a/b/", "files:read:c/"])
    assert set(await facts(limited)) == {"c/"}
