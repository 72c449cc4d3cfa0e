"""Sources and derived objects, as far as the caller may see them."""

from typing import Any

import pytest

from tests.identity.help import run_sql
from tests.repository.help import put, share
from tests.support.world import Caller, World

INSERT_DERIVATION = (
    "INSERT INTO object_derivations (object_id, number, source_id, source_number, checked_number, recipe, latest, org_id,"
    " run_id, step, created_at)"
    " VALUES (:object_id, 1, :source_id, 1, 1, '', TRUE, :org_id, :run_id, 'translate', '2030-01-01T00:00:00.000Z')"
)


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def derive(world: World, owner: Caller, source: str, key: str, run_id: str = "run-1") -> str:
    """Insert an object derived from another."""
    created: str = (await put(owner, key))["id"]
    await run_sql(world, INSERT_DERIVATION, object_id=created, source_id=source, org_id=owner.org.id, run_id=run_id)
    return created


async def test_sources_and_derived_objects_are_listed_with_run_and_step(world: World, ann: Caller) -> None:
    source = (await put(ann, "letter.md"))["id"]
    derived = await derive(world, ann, source, "letter.es.md")
    answer = (await ann.get(f"/api/repo-obj/{source}/derivations")).json()
    assert answer["sources"] == []
    (step,) = answer["derived"]
    assert (step["id"], step["key"], step["run_id"], step["step"]) == (derived, "letter.es.md", "run-1", "translate")
    (origin,) = (await ann.get(f"/api/repo-obj/{derived}/derivations")).json()["sources"]
    assert (origin["id"], origin["version"], origin["source_version"]) == (source, 1, 1)
    assert (await ann.get(f"/api/repo-obj/{source}/processing")).json()["runs"] == ["run-1"]


async def test_derived_objects_without_access_are_hidden(world: World, ann: Caller) -> None:
    source = (await put(ann, "letter.md"))["id"]
    derived = await derive(world, ann, source, "letter.es.md", "secret-run")
    bob = await world.person(ann.org, await world.team(ann.org))
    await share(ann, source, bob)
    for path in ("derivations", "processing"):
        answer = await bob.get(f"/api/repo-obj/{source}/{path}")
        assert answer.json()["derived"] == []
        assert "secret-run" not in answer.text and derived not in answer.text


async def test_deleted_objects_are_not_listed(world: World, ann: Caller) -> None:
    source = (await put(ann, "letter.md"))["id"]
    derived = await derive(world, ann, source, "letter.es.md")
    await ann.delete(f"/api/repo-obj/{source}")
    assert (await ann.get(f"/api/repo-obj/{derived}/derivations")).json() == {"sources": [], "derived": []}


async def related(caller: Caller, object_id: str, direction: str) -> dict[str, dict[str, Any]]:
    """Return the sources of an object, or what is derived from it, by key."""
    answer = await caller.get(f"/api/repo-obj/{object_id}/derivations")
    return {item["key"]: item for item in answer.json()[direction]}


def changed(item: dict[str, Any]) -> list[tuple[str, int, int]]:
    return [(each["key"], each["source_version"], each["current_source_version"]) for each in item["changed_sources"]]


async def chain(world: World, ann: Caller, *keys: str) -> list[str]:
    """Put objects, each derived from the one before."""
    ids = [(await put(ann, keys[0]))["id"]]
    for key in keys[1:]:
        ids.append(await derive(world, ann, ids[-1], key))
    return ids


async def test_what_is_made_from_something_stale_is_stale(world: World, ann: Caller) -> None:
    ids = await chain(world, ann, "a.md", "a.md.form", "a.md.form.es", "a.md.form.es.fr")
    assert not (await related(ann, ids[2], "derived"))["a.md.form.es.fr"]["stale"]
    await put(ann, "a.md", b"changed")
    assert (await related(ann, ids[0], "derived"))["a.md.form"]["stale"]
    for above, key in zip(ids[1:], ("a.md.form.es", "a.md.form.es.fr"), strict=False):
        item = (await related(ann, above, "derived"))[key]
        assert (item["stale"], item["source_version"], item["current_source_version"]) == (True, 1, 1)
        assert changed(item) == [("a.md", 1, 2)]
    await put(ann, "a.md.form", b"by hand")
    (source,) = (await related(ann, ids[3], "sources")).values()
    assert changed(source) == [("a.md", 1, 2), ("a.md.form", 1, 2)], "in the order in which they are made"
    (processed,) = (await ann.get(f"/api/repo-obj/{ids[3]}/processing")).json()["sources"]
    assert processed["changes"] is not None, "of what has changed first"


async def test_derivations_are_followed_only_so_far_and_not_in_circles(world: World, ann: Caller) -> None:
    ids = await chain(world, ann, *(f"k{n}" for n in range(20)))
    await run_sql(world, INSERT_DERIVATION, object_id=ids[18], source_id=ids[19], org_id=ann.org.id, run_id="r")
    await put(ann, "k0", b"changed")
    found = {n: (await related(ann, ids[n], "sources"))[f"k{n - 1}"]["stale"] for n in (1, 16, 17, 18)}
    assert found == {1: True, 16: True, 17: False, 18: False}


async def test_sources_that_the_caller_cannot_see_tell_nothing(world: World, ann: Caller) -> None:
    ids = await chain(world, ann, "a", "a.form", "a.form.es")
    bob = await world.person(ann.org, await world.team(ann.org))
    for id in ids[1:]:
        await share(ann, id, bob)
    await put(ann, "a", b"changed")
    assert (await related(ann, ids[1], "derived"))["a.form.es"]["stale"]
    (item,) = (await related(bob, ids[1], "derived")).values()
    assert (item["stale"], item["changed_sources"]) == (False, [])


async def test_an_audience_wider_than_that_of_the_source_is_told_to_who_manages_one(world: World, ann: Caller) -> None:
    async def is_wider(caller: Caller = ann) -> bool | None:
        (item,) = (await related(caller, source, "derived")).values()
        (other,) = (await related(caller, derived, "sources")).values()
        assert other["wider_than_source"] == item["wider_than_source"]
        wider: bool | None = item["wider_than_source"]
        return wider

    async def show(id: str, visibility: str) -> None:
        answer = await ann.post(f"/api/repo-obj/{id}/visibility", {"visibility": visibility})
        assert answer.status_code == 200, answer.text

    source, derived = await chain(world, ann, "a.md", "a.md.es.md")
    bob = await world.person(ann.org, ann.team)
    assert await is_wider() is False
    await show(source, "team")
    await show(derived, "team")
    assert await is_wider() is False and await is_wider(bob) is None
    await share(ann, derived, bob)
    assert await is_wider() is False, "he sees the source as a member"
    await show(source, "private")
    assert await is_wider() is True
    await show(derived, "private")
    assert await is_wider() is True, "by his grant"
    await share(ann, source, bob)
    assert await is_wider() is False and await is_wider(bob) is None
    team = {"principal_type": "team", "principal_id": ann.team.id, "capability": "view"}
    await ann.post(f"/api/repo-obj/{derived}/share", team)
    assert await is_wider() is True
    await ann.post(f"/api/repo-obj/{source}/share", team)
    assert await is_wider() is False


async def test_only_the_object_beside_which_it_stands_limits_who_can_see_it(world: World, ann: Caller) -> None:
    source, _ = await chain(world, ann, "template.docx", "a.form.docx")
    assert (await related(ann, source, "derived"))["a.form.docx"]["wider_than_source"] is None
