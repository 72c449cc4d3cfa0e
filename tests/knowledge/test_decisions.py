"""Merges and splits: what people decide about entities, how it is remembered, and how it is undone."""

from typing import Any

import httpx2
import pytest

from teamspace.tenancy.schemas import Role
from tests.knowledge.help import entities, entity, get, learn, names, use
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def merge(caller: Caller, name: str, into: str) -> httpx2.Response:
    ids = {item["name"]: item["id"] for item in await entities(caller)}
    return await caller.post(f"/api/kg/entities/{ids[name]}/merge", {"into": ids[into]})


async def split(caller: Caller, name: str, documents: list[str], as_name: str) -> httpx2.Response:
    whole = await entity(caller, name)
    mentions = [each["id"] for each in whole["mentions"] if each["object_id"] in documents]
    return await caller.post(f"/api/kg/entities/{whole['id']}/split", {"mentions": mentions, "name": as_name})


def described(item: dict[str, Any]) -> tuple[str, int, int]:
    return item["name"], item["documents"], item["mentions"]


async def test_a_merge_is_remembered_for_later_documents_and_undone_by_a_split(ann: Caller) -> None:
    await learn(ann, "One", "Marta Keller met Ida Holm.")
    two = await learn(ann, "Two", "Marta Holm-Keller met Olaf Brandt.")
    before = await entities(ann)
    answer = await merge(ann, "Marta Holm-Keller", "Marta Keller")
    assert (answer.status_code, described(answer.json())) == (200, ("Marta Keller", 2, 2)), answer.text
    assert await names(ann) == ["Ida Holm", "Marta Keller", "Olaf Brandt"]
    marta = await entity(ann, "Marta Keller")
    assert marta["names"] == ["Marta Keller", "Marta Holm-Keller"]
    assert {each["entity"]["name"] for each in marta["relations"]} == {"Ida Holm", "Olaf Brandt"}
    assert [each["entity"]["name"] for each in (await entity(ann, "Olaf Brandt"))["relations"]] == ["Marta Keller"]
    three = await learn(ann, "Three", "Marta Holm-Keller met Ida Holm.")
    assert (await entity(ann, "Marta Keller"))["documents"] == 3
    old = next(item for item in before if item["name"] == "Marta Holm-Keller")
    assert (await get(ann, old["id"]))["id"] == marta["id"], "the old address leads to the merged entity"
    answer = await split(ann, "Marta Keller", [two, three], "Someone else")
    assert (answer.status_code, described(answer.json())) == (200, ("Marta Holm-Keller", 2, 2)), answer.text
    await ann.delete(f"/api/repo-obj/{three}")
    assert await entities(ann) == before


async def test_a_split_of_one_name_is_by_document_and_remembered_for_its_versions(ann: Caller) -> None:
    one = await learn(ann, "One", "John Smith met Ida Holm.")
    two = await learn(ann, "Two", "John Smith met Olaf Brandt.")
    answer = await split(ann, "John Smith", [two], "John Smith (dentist)")
    assert (answer.status_code, described(answer.json())) == (200, ("John Smith (dentist)", 1, 1)), answer.text
    assert await names(ann, type="person") == ["Ida Holm", "John Smith", "John Smith (dentist)", "Olaf Brandt"]
    assert [each["object_id"] for each in (await entity(ann, "John Smith"))["timeline"]] == [one]
    await ann.put(f"/api/documents/{two}", {"body": "John Smith met nobody. Later John Smith met Ida Holm."})
    await use(ann, "kg_extract", object=two)
    dentist = await entity(ann, "John Smith (dentist)")
    assert (len(dentist["mentions"]), [each["entity"]["name"] for each in dentist["relations"]]) == (2, ["Ida Holm"])
    assert await names(ann, q="dentist") == ["John Smith (dentist)"]
    assert (await merge(ann, "John Smith (dentist)", "John Smith")).status_code == 200
    assert described((await entities(ann, q="john"))[0]) == ("John Smith", 2, 3)


async def test_the_name_of_a_merged_entity_is_one_that_the_reader_can_read(ann: Caller, world: World) -> None:
    bob = await world.person(ann.org, ann.team)
    await learn(ann, "Secret", "Project Falcon was begun.")
    await learn(ann, "Open", "Project Sparrow was begun.", "team")
    await merge(ann, "Project Sparrow", "Project Falcon")
    assert await names(ann) == ["Project Falcon"]
    assert await names(bob) == ["Project Sparrow"]
    assert (await entity(bob, "Project Sparrow"))["names"] == ["Project Sparrow"]
    found = (await bob.get("/api/search", params={"q": "falcon", "types": "entity"})).json()["items"]
    assert found == []


async def test_merges_are_of_one_team(ann: Caller, world: World) -> None:
    other = await world.join(ann, await world.team(ann.org), Role.ADMIN)
    await learn(ann, "One", "Marta Keller met Ida Holm.")
    await merge(ann, "Ida Holm", "Marta Keller")
    assert await names(ann) == ["Marta Keller"]
    assert await names(other) == ["Ida Holm", "Marta Keller"], "she owns the document, and the team decides for itself"


async def test_refusals(ann: Caller, world: World) -> None:
    bob = await world.person(ann.org, ann.team, Role.VIEWER)
    one = await learn(ann, "One", "Marta Keller met Ida Holm in Hamburg.", "team")
    ids = {item["name"]: item["id"] for item in await entities(ann)}
    path = f"/api/kg/entities/{ids['Marta Keller']}"
    merged = [
        ({"into": ids["Hamburg"]}, 409), ({"into": "0" * 32}, 404), ({"into": ids["Marta Keller"]}, 409), ({}, 400),
    ]  # fmt: skip
    assert [(await ann.post(f"{path}/merge", body)).status_code for body, _ in merged] == [code for _, code in merged]
    assert (await ann.post(f"/api/kg/entities/{'0' * 32}/merge", {"into": ids["Hamburg"]})).status_code == 404
    assert (await bob.post(f"{path}/merge", {"into": ids["Ida Holm"]})).status_code == 403
    whole = await get(ann, ids["Marta Keller"])
    mentions = [each["id"] for each in whole["mentions"]]
    split_bodies = [
        {"mentions": mentions, "name": "X"}, {"mentions": ["none"], "name": "X"}, {"mentions": mentions, "name": " . "},
        {"mentions": [], "name": "X"},
    ]  # fmt: skip
    assert [(await ann.post(f"{path}/split", body)).status_code for body in split_bodies] == [400] * 4
    assert (
        await ann.post(f"/api/kg/entities/{'0' * 32}/split", {"mentions": mentions, "name": "X"})
    ).status_code == 404
    assert (await bob.post(f"{path}/split", split_bodies[0])).status_code == 403
    assert one
