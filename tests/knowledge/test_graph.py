"""What people see of the knowledge graph, over HTTP."""

import pytest

from teamspace.tenancy.schemas import OrgRole
from tests.identity.help import run_sql
from tests.knowledge.help import entities, entity, learn, names, use, write
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
STORY = "Marta Keller founded Keller Works in Hamburg. On 2024-03-01 Marta Keller left."


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def test_extraction_finds_entities_with_the_sentences_that_name_them(ann: Caller) -> None:
    document = await write(ann, "Story", STORY)
    assert await use(ann, "kg_list_unextracted") == [document]
    found = await use(ann, "kg_extract", object=document)
    assert found == {"version": 1, "entities": 4, "mentions": 5, "relations": 2, "dropped": 0, "unread": 0}
    assert await use(ann, "kg_list_unextracted") == []
    assert [(item["type"], item["name"], item["mentions"]) for item in await entities(ann)] == [
        ("event", "2024-03-01", 1),
        ("place", "Hamburg", 1),
        ("organisation", "Keller Works", 1),
        ("person", "Marta Keller", 2),
    ]
    marta = await entity(ann, "Marta Keller")
    assert [mention["quote"] for mention in marta["mentions"]] == [
        "Marta Keller founded Keller Works in Hamburg.", "On 2024-03-01 Marta Keller left.",
    ]  # fmt: skip
    text = (await ann.get(f"/api/repo-obj/{document}/content")).text
    assert [text[mention["start"] : mention["end"]] for mention in marta["mentions"]] == [
        mention["quote"] for mention in marta["mentions"]
    ]
    relations = [(each["direction"], each["predicate"], each["entity"]["name"]) for each in marta["relations"]]
    assert relations == [("out", "founded", "Keller Works")]


async def test_only_what_readable_documents_say_is_shown(ann: Caller, world: World) -> None:
    bob = await world.person(ann.org, ann.team)
    await learn(ann, "Private", "Marta Keller met Olaf Brandt.")
    await learn(ann, "Team", "MARTA KELLER met Ida Holm.", "team")
    assert await names(bob) == ["Ida Holm", "MARTA KELLER"]
    marta = await entity(bob, "MARTA KELLER")
    assert (marta["documents"], [each["entity"]["name"] for each in marta["relations"]]) == (1, ["Ida Holm"])
    (olaf,) = [item for item in await entities(ann) if item["name"] == "Olaf Brandt"]
    assert (await bob.get(f"/api/kg/entities/{olaf['id']}")).status_code == 404


async def test_showing_a_document_does_not_write_the_entries_of_its_grantees(ann: Caller, world: World) -> None:
    """There can be 500 of them, with 100 names each."""
    bob = await world.person(ann.org, ann.team)
    document = await learn(ann, "Private", "Marta Keller met Olaf Brandt.")
    await ann.post(f"/api/repo-obj/{document}/share", {"user_id": bob.user_id})
    await run_sql(world, "UPDATE kg_entries SET type = 'untouched' WHERE audience LIKE 'user-grant:%'")
    for visibility in ("team", "private"):
        await ann.post(f"/api/repo-obj/{document}/visibility", {"visibility": visibility})
        types = await world.db.all(str, "SELECT type FROM kg_entries WHERE audience LIKE 'user-grant:%'")
        assert types == ["untouched", "untouched"]
    await run_sql(world, "UPDATE kg_entries SET type = 'person'")


async def test_shares_and_visibility_are_felt_at_once(ann: Caller, world: World) -> None:
    bob = await world.person(ann.org, ann.team)
    document = await learn(ann, "Private", "Marta Keller met Olaf Brandt.")
    assert await names(bob) == []
    await ann.post(f"/api/repo-obj/{document}/share", {"user_id": bob.user_id})
    assert await names(bob) == ["Marta Keller", "Olaf Brandt"]
    await ann.post(f"/api/repo-obj/{document}/unshare", {"user_id": bob.user_id})
    assert await names(bob) == []
    await ann.post(f"/api/repo-obj/{document}/visibility", {"visibility": "team"})
    assert await names(bob) == ["Marta Keller", "Olaf Brandt"]
    await ann.delete(f"/api/repo-obj/{document}")
    assert await names(bob) == await names(ann) == []


async def test_an_overwritten_document_is_outdated_until_it_is_extracted(ann: Caller) -> None:
    document = await learn(ann, "Draft", "Marta Keller wrote it.")
    answer = await ann.put(f"/api/documents/{document}", {"body": "Olaf Brandt wrote it."})
    assert answer.status_code == 200, answer.text
    assert [each["outdated"] for each in (await entity(ann, "Marta Keller"))["timeline"]] == [True]
    assert await use(ann, "kg_list_unextracted") == [document]
    await use(ann, "kg_extract", object=document)
    assert await names(ann) == ["Olaf Brandt"]


async def test_lists_are_filtered_by_type_and_by_words(ann: Caller) -> None:
    await learn(ann, "Story", STORY)
    assert await names(ann, type="person") == ["Marta Keller"]
    assert await names(ann, q="keller") == ["Keller Works", "Marta Keller"]
    assert await names(ann, q="kel wor") == []
    assert await names(ann, q="marta kel") == ["Marta Keller"]
    assert await names(ann, q="keller", type="organisation") == ["Keller Works"]
    assert await names(ann, limit=1) == await names(ann)


async def test_entities_are_found_by_search_with_a_sentence(ann: Caller, world: World) -> None:
    bob = await world.person(ann.org, ann.team)
    await learn(ann, "Story", STORY)
    (item,) = (await ann.get("/api/search", params={"q": "marta", "types": "entity"})).json()["items"]
    assert (item["type"], item["title"]) == ("entity", "Marta Keller")
    assert item["snippet"] == "<mark>Marta</mark> Keller founded Keller Works in Hamburg."
    assert (await bob.get("/api/search", params={"q": "marta", "types": "entity"})).json()["items"] == []


async def test_an_auditor_of_the_company_sees_what_teams_share(ann: Caller, world: World) -> None:
    other = await world.team(ann.org)
    reader = await world.person(ann.org, other, org_role=OrgRole.READER)
    await learn(ann, "Private", "Marta Keller met Olaf Brandt.")
    await learn(ann, "Team", "Marta Keller met Ida Holm.", "team")
    assert await names(reader) == []
    assert await names(reader, scope="org") == ["Ida Holm", "Marta Keller"]
    bob = await world.person(ann.org, other)
    assert (await bob.get("/api/kg/entities", params={"scope": "org"})).status_code == 403
