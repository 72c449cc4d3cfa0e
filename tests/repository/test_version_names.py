"""Names of versions: given by those who may write, and kept with the version."""

import pytest

from teamspace.tenancy.schemas import Role
from tests.repository.help import put, share
from tests.support.world import Caller, World


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def names(caller: Caller, object_id: str) -> list[str | None]:
    found = (await caller.get(f"/api/repo-obj/{object_id}")).json()
    return [version["name"] for version in found["versions"]]


@pytest.mark.both_databases
async def test_a_version_has_the_name_that_it_was_given(world: World, ann: Caller) -> None:
    id = (await put(ann, "a.txt"))["id"]
    await put(ann, "a.txt", b"two")
    answer = await ann("PATCH", f"/api/repo-obj/{id}/versions/1", {"name": " Sent to the bank "})
    assert (answer.status_code, answer.json()["name"], answer.json()["number"]) == (200, "Sent to the bank", 1)
    assert await names(ann, id) == [None, "Sent to the bank"]
    await put(ann, "a.txt", b"three")
    assert await names(ann, id) == [None, None, "Sent to the bank"]
    (entry, *_) = (await ann.get("/api/audit")).json()["items"][1:]
    assert entry["action"] == "object.name_version"
    await ann("PATCH", f"/api/repo-obj/{id}/versions/1", {"name": None})
    assert await names(ann, id) == [None, None, None]


async def test_naming_needs_the_right_to_write(world: World, ann: Caller) -> None:
    id = (await put(ann, "a.txt"))["id"]
    bob = await world.person(ann.org, ann.team, Role.MEMBER)
    path = f"/api/repo-obj/{id}/versions/1"
    assert (await bob("PATCH", path, {"name": "x"})).status_code == 404
    await share(ann, id, bob)
    assert (await bob("PATCH", path, {"name": "x"})).status_code == 403
    await share(ann, id, bob, "edit")
    assert (await bob("PATCH", path, {"name": "x"})).status_code == 200


@pytest.mark.parametrize("number", ["2", "0", "-1", "x", "9" * 40])
async def test_only_a_version_that_is_there_has_a_name(ann: Caller, number: str) -> None:
    id = (await put(ann, "a.txt"))["id"]
    assert (await ann("PATCH", f"/api/repo-obj/{id}/versions/{number}", {"name": "x"})).status_code == 404


async def test_a_name_is_one_line_of_a_hundred_characters(ann: Caller) -> None:
    id = (await put(ann, "a.txt"))["id"]
    for name in ("", " ", "a\nb", "x" * 101):
        assert (await ann("PATCH", f"/api/repo-obj/{id}/versions/1", {"name": name})).status_code == 400
