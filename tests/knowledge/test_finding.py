"""The tool `kg_find`: what documents say about a name, as passages that an agent can cite."""

import json
from typing import Any

import pytest

from teamspace.core.errors import ResponseRefused
from teamspace.knowledge.domain import finding
from teamspace.settings import Settings
from tests.ai.help import model_world
from tests.jobs.help import broken_invariants
from tests.knowledge.help import learn, use, write
from tests.support.model_server import calls, says
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
STORY = "Nothing yet.\n\nMarta Keller founded Keller Works in\nHamburg. On 2024-03-01 Marta Keller left."


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def find(caller: Caller, name: str, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = await use(caller, "kg_find", name=name, **more)
    return found


async def ask(caller: Caller, prompt: str) -> dict[str, Any]:
    answer = await caller.post("/api/agent", {"prompt": prompt})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def test_passages_are_the_text_of_the_version_at_their_span(ann: Caller) -> None:
    document = await learn(ann, "Story", STORY)
    found = await find(ann, "marta KELLER")
    (marta,) = found["entities"]
    assert (marta["name"], marta["type"], marta["documents"]) == ("Marta Keller", "person", 1)
    assert [(each["subject"], each["predicate"], each["object"]) for each in marta["relations"]] == [
        ("Marta Keller", "founded", "Keller Works")
    ]
    text = (await ann.get(f"/api/repo-obj/{document}/content?as=text")).text
    assert len(found["passages"]) == 2
    for passage in found["passages"]:
        assert (passage["object_id"], passage["version"], passage["total"]) == (document, 1, len(text))
        assert passage["quote"] == text[passage["start"] : passage["end"]] and "Marta Keller" in passage["quote"]


async def test_the_entity_of_that_name_comes_first_however_many_have_its_words(ann: Caller) -> None:
    await learn(ann, "Many", " ".join(f"Ada{letter} Smith met Smith." for letter in "abcdefgh"))
    found = [entity["name"] for entity in (await find(ann, "smith", limit=3))["entities"]]
    assert found[0] == "Smith" and len(found) == 3
    assert (await find(ann, "Nobody"))["entities"] == (await find(ann, "!!!"))["entities"] == []
    assert [each["type"] for each in (await find(ann, "smith", type="place"))["entities"]] == []


async def test_everything_is_from_documents_that_the_caller_can_read(ann: Caller, world: World) -> None:
    bob = await world.person(ann.org, ann.team)
    secret = await learn(ann, "Private", "Marta Keller met Olaf Brandt.")
    shown = await learn(ann, "Team", "MARTA KELLER met Ida Holm.", "team")
    found = await find(bob, "Marta Keller")
    assert [(each["name"], each["documents"]) for each in found["entities"]] == [("MARTA KELLER", 1)]
    assert {passage["object_id"] for passage in found["passages"]} == {shown}
    assert "Olaf" not in str(found) and secret not in str(found)
    assert await find(bob, "Olaf Brandt") == {"entities": [], "passages": []}


async def test_there_are_as_many_documents_and_passages_as_a_model_can_use(ann: Caller) -> None:
    sentences = "".join(f"Marta Keller met Ida Holm{'m' * n} in Rome. " for n in range(30))
    for number in range(6):
        await learn(ann, f"Story {number}", sentences)
    found = await find(ann, "Marta Keller", limit=finding.MAX_FOUND)
    assert len(found["passages"]) == 20 and len({each["object_id"] for each in found["passages"]}) <= 8


async def test_the_simulated_model_answers_about_a_person_with_a_citation(ann: Caller, world: World) -> None:
    document = await learn(ann, "Story", STORY)
    answer = await ask(ann, "Who founded Keller Works? Use kg_find: Keller Works")
    assert [step["tool"] for step in answer["steps"]] == ["kg_find"]
    (citation,) = answer["citations"]
    assert (citation["verified"], citation["source"]["id"], citation["source"]["version"]) == (True, document, 1)
    text = (await ann.get(f"/api/repo-obj/{document}/content?as=text&version=1")).text
    cited = text[citation["start"] : citation["end"]]
    assert cited.split() == citation["quote"].split() and "Keller Works" in cited, "it opens the passage"
    assert await broken_invariants(world) == []


async def test_words_of_each_passage_of_a_document_can_be_cited_and_no_others(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        document = await write(ann, "Story", STORY)
        said = [
            {"type": "person", "name": "Marta Keller", "quote": quote}
            for quote in ("Marta Keller founded Keller Works in Hamburg.", "On 2024-03-01 Marta Keller left.")
        ]
        server.script(
            [
                says(json.dumps({"entities": said, "relations": []})),
                calls(("kg_find", {"name": "Marta Keller"})),
                says(
                    'She founded it [^1: "founded Keller Works"], left [^1: "Marta Keller left"] and won [^1: "won all"].'
                ),
            ]
        )
        await use(ann, "kg_extract", object=document)
        answer = await ask(ann, "Who is Marta Keller?")
        assert [(each["verified"], each.get("reason")) for each in answer["citations"]] == [
            (True, None), (True, None), (False, "not_found"),
        ]  # fmt: skip
        told = server.bodies[-1]["messages"][-1]["content"]
        assert told.count('<source id="1"') == 2 and '"name":"Marta Keller"' in told


async def test_a_reply_that_is_refused_is_recorded_like_any_change(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        document = await write(ann, "Story", STORY)
        server.script([says("no"), says("no")])
        events = await world.db.one(int, "SELECT COUNT(*) FROM events WHERE subject_id = :id", id=document) or 0
        with pytest.raises(ResponseRefused):
            await use(ann, "kg_extract", object=document)
        assert await use(ann, "kg_list_unextracted") == []
        rows = (await ann.get("/api/audit?action=knowledge.extract")).json()["items"]
        assert [(row["target"], row["detail"]) for row in rows] == [(document, {"version": 1, "refused": True})]
        assert await world.db.one(int, "SELECT COUNT(*) FROM events WHERE subject_id = :id", id=document) == events + 1
