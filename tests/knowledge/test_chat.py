"""A prompt that refers to an entity: what documents say about it goes with the prompt, and is cited."""

import re
from typing import Any

import msgspec
import pytest
from httpx2 import Response

from teamspace.ai.domain.attaching import MAX_ENTITIES
from teamspace.settings import Settings
from tests.ai.help import model_world
from tests.conversations.help import create
from tests.cost.help import Call, Costs
from tests.knowledge.help import entities, entity, learn, use, write
from tests.support.model_server import says, writes
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
LARGEST = 500_000
"""Characters of a document."""
STORY = "Nothing yet.\n\nMarta Keller founded Keller Works in\nHamburg. On 2024-03-01 Marta Keller left."


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def ask(caller: Caller, text: str, *ids: str, **more: Any) -> Response:
    prompt = [{"type": "text", "text": text}, *({"type": "entity", "entity_id": id} for id in ids)]
    return await caller.post("/api/ai/chat", {"prompt": prompt, **more})


async def id_of(caller: Caller, name: str) -> str:
    return str((await entity(caller, name))["id"])


async def test_an_answer_about_an_entity_cites_the_documents_that_name_it(ann: Caller) -> None:
    document = await learn(ann, "Story", STORY)
    marta = await id_of(ann, "Marta Keller")
    answer = (await ask(ann, "Who is this?", marta)).json()
    (citation,) = answer["citations"]
    assert (citation["verified"], citation["source"]["id"], citation["source"]["version"]) == (True, document, 1)
    text = (await ann.get(f"/api/repo-obj/{document}/content?as=text&version=1")).text
    assert "Marta Keller" in text[citation["start"] : citation["end"]]
    estimate = (await ask(ann, "Who is this?", marta, dry_run=True)).json()["estimate"]["tokens"]
    assert estimate > (await ask(ann, "Who is this?", dry_run=True)).json()["estimate"]["tokens"] + len(STORY) // 8


async def test_the_model_is_given_every_passage_and_the_relations_as_data(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        ids = []
        for name, said in (("Marta Keller", "founded"), ("Olaf Brandt", "sold")):
            document = await write(ann, name, f"{name} {said} Keller Works.")
            shown = {"quote": f"{name} {said} Keller Works."}
            entities = [{"type": "person", "name": name}, {"type": "organisation", "name": "Keller Works"}]
            relation = {"subject": name, "predicate": said, "object": "Keller Works"}
            server.script([writes({"entities": [each | shown for each in entities], "relations": [relation | shown]})])
            await use(ann, "kg_extract", object=document)
            ids.append(await id_of(ann, name))
        server.script([says('He sold it [^2: "Olaf Brandt sold Keller Works"].')])
        answer = (await ask(ann, "What did they do?", *ids)).json()
        assert [citation["verified"] for citation in answer["citations"]] == [True]
        system, prompt = (message["content"] for message in server.bodies[-1]["messages"])
        assert "entities of a knowledge graph" in system and "cite it as" in system
        assert re.findall(r'<(\w+) id="(\d)"', prompt) == [("entity", "1"), ("entity", "2"), ("source", "1"), ("source", "2")]  # fmt: skip
        assert prompt.endswith("What did they do?\n(Entity 1, Source 1)\n(Entity 2, Source 2)")
        assert '"predicate":"founded"' in prompt and '"predicate":"sold"' in prompt


async def test_only_documents_that_the_caller_can_read_are_told(ann: Caller, world: World) -> None:
    bob = await world.person(ann.org, ann.team)
    stranger = await world.person(*await world.company())
    await learn(ann, "Private", "Marta Keller met Olaf Brandt.")
    shown = await learn(ann, "Team", "Marta Keller met Ida Holm.", "team")
    marta, olaf = await id_of(ann, "Marta Keller"), await id_of(ann, "Olaf Brandt")
    answer = (await ask(bob, "Whom did she meet?", marta)).json()
    assert {citation["source"]["id"] for citation in answer["citations"]} == {shown} and "Olaf" not in str(answer)
    for caller, id in ((bob, olaf), (stranger, marta), (ann, "nobody")):
        for more in ({}, {"dry_run": True}):
            assert (await ask(caller, "Who is this?", id, **more)).status_code == 404
        answered = await caller.post("/api/agent", {"prompt": [{"type": "entity", "entity_id": id}]})
        assert answered.status_code == 404


async def test_an_entity_of_an_earlier_turn_that_is_gone_is_told_as_such(ann: Caller, world: World) -> None:
    document = await learn(ann, "Story", STORY)
    conversation = await create(world, ann, "People")
    first = await ask(ann, "Who is this?", await id_of(ann, "Marta Keller"), conversation_id=conversation)
    assert first.json()["citations"]
    await ann.delete(f"/api/repo-obj/{document}")
    again = await ask(ann, "And what did she found?", conversation_id=conversation)
    assert again.status_code == 200 and again.json()["citations"] == [], again.text


async def test_a_prompt_has_a_limit_of_entities(ann: Caller) -> None:
    refused = await ask(ann, "Who?", *map(str, range(MAX_ENTITIES + 1)))
    assert refused.status_code == 400, refused.text
    assert f"{MAX_ENTITIES} entities" in refused.json()["detail"]


@pytest.mark.sampled(4)
async def test_the_largest_documents_about_the_most_entities_do_not_block_the_loop(ann: Caller, world: World) -> None:
    """The texts of the documents are read outside of the event loop."""
    body = "Marta Keller founded Keller Works in Hamburg. Jonas Weber joined Marta Keller at Weber Foundry.\n\n"
    for number in range(4):
        await learn(ann, f"Story {number}", body * (LARGEST // len(body)))
    ids = [item["id"] for item in await entities(ann)][:MAX_ENTITIES]
    assert len(ids) == MAX_ENTITIES
    prompt = [{"type": "text", "text": "Who are they?"}, *({"type": "entity", "entity_id": id} for id in ids)]
    costs = Costs(world)
    for dry_run in (False, True):
        sent = msgspec.json.encode({"prompt": prompt, "dry_run": dry_run})
        headers = [(b"authorization", f"Bearer {ann.token}".encode()), (b"content-type", b"application/json")]
        assert (
            await costs.measure(f"dry_run {dry_run}", Call("POST", "/api/ai/chat", headers=headers, body=sent)) == 200
        )
    assert costs.faults == []
