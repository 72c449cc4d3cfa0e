"""The tools for notes, documents and search."""

import asyncio
import sys
from typing import Any

import msgspec
import pytest

from teamspace import tenancy, tools
from teamspace.core import errors
from teamspace.core.principal import Call, Principal
from teamspace.tenancy.schemas import Role
from teamspace.tools import ToolContext
from teamspace.tools.domain import passages
from teamspace.tools.domain.results import MAX_SHOWN
from tests.extraction import files
from tests.identity.help import broken
from tests.repository.help import put, share
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def principal(caller: Caller) -> Principal:
    return await tenancy.act_for(caller.world.db, Call(), caller.user_id, caller.team.id)


async def call(caller: Caller, tool: str, key: str = "", **arguments: Any) -> tools.ToolResult:
    context = ToolContext("agent", key)
    return await caller.world.app.toolbox.call(caller.world.db, await principal(caller), tool, arguments, context)


async def read(caller: Caller, document: str, **arguments: Any) -> dict[str, Any]:
    value: dict[str, Any] = (await call(caller, "read_document", document=document, **arguments)).value
    return value


# Read


async def test_a_document_is_read_by_id_or_key_in_any_version(ann: Caller) -> None:
    document = (await ann.post("/api/documents", {"title": "Harbour plan", "body": "Ships"})).json()
    await ann.put(f"/api/documents/{document['id']}", {"body": "Ferries"})
    newest = await read(ann, document["id"])
    assert newest == await read(ann, document["key"])
    versions = (await ann.get(f"/api/repo-obj/{document['id']}")).json()["versions"]
    assert newest == {
        "object_id": document["id"], "version": 2, "version_id": versions[0]["id"], "title": "Harbour plan",
        "start": 0, "end": 7, "total": 7, "text": "Ferries",
    }  # fmt: skip
    first = await read(ann, document["id"], version=1)
    assert (first["text"], first["version_id"]) == ("Ships", versions[1]["id"])


async def test_a_file_is_read_by_its_text(ann: Caller) -> None:
    await put(ann, "report.pdf", files.pdf("The harbour seal"), content_type="application/pdf")
    found = await read(ann, "report.pdf")  # at once: no job has extracted it yet
    assert (found["title"], found["text"].strip()) == ("report.pdf", "The harbour seal")


@pytest.mark.parametrize("repeat", ["word ", "\n", "漢字", "\U0001f600", '"\\'])
async def test_a_model_can_page_through_a_long_text(ann: Caller, repeat: str) -> None:
    body = "".join(f"{number}{repeat}" for number in range(6_000))
    document = (await ann.post("/api/documents", {"title": "Long", "body": body})).json()["id"]
    seen, start = "", 0
    while start < len(body):
        result = await call(ann, "read_document", document=document, start=start)
        assert len(result.shown.encode()) <= MAX_SHOWN and "[cut:" not in result.shown
        passage = result.value
        assert passage["total"] == len(body) and 0 < len(passage["text"]) <= 12_000
        assert (passage["start"], passage["end"]) == (start, start + len(passage["text"]))
        seen, start = seen + passage["text"], passage["end"]
    assert seen == body
    beyond = await read(ann, document, start=len(body) + 7)
    assert (beyond["start"], beyond["end"], beyond["text"]) == (len(body), len(body), "")


async def test_a_passage_is_found_by_its_words(ann: Caller) -> None:
    body = "filler " * 10_000 + "The GREAT  Harbour of Zürich" + " filler" * 10_000 + " a great yacht in the harbour"
    document = (await ann.post("/api/documents", {"title": "Long", "body": body})).json()["id"]
    phrase = await read(ann, document, find="harbour of zürich", length=300)
    assert "Harbour of Zürich" in phrase["text"] and len(phrase["text"]) == 300
    apart = await read(ann, document, find="yacht great harbour", length=300)
    assert "yacht in the harbour" in apart["text"]
    later = await read(ann, document, find="harbour", start=phrase["end"])
    assert later["start"] > phrase["end"] and "yacht" in later["text"]
    with pytest.raises(errors.NotFound, match="does not contain"):
        await read(ann, document, find="lighthouse")
    note = (await ann.post("/api/notes", {"title": "Long", "body": body})).json()["id"]
    found = (await call(ann, "read_note", id=note, find="yacht", length=300)).value
    assert "yacht" in found["body"] and (found["total"], found["version"]) == (len(body), 1)


def test_lower_case_keeps_every_character_in_its_place() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    assert all(len(passages.lower(character)) == 1 for character in every)
    assert len(passages.lower(every)) == len(every)


async def test_a_grant_suffices_to_read(world: World, ann: Caller) -> None:
    """A guest's role has neither permission."""
    guest = await world.person(ann.org, await world.team(ann.org), Role.MEMBER)
    blank = msgspec.structs.replace(await principal(guest), permissions=frozenset())
    toolbox, context = world.app.toolbox, ToolContext("agent")
    document = await put(ann, "a.txt", b"words", content_type="text/plain")
    note = (await ann.post("/api/notes", {"title": "A", "body": "words"})).json()["id"]
    for tool, arguments in (("read_document", {"document": document["id"]}), ("read_note", {"id": note})):
        with pytest.raises(errors.NotFound):
            await toolbox.call(world.db, blank, tool, arguments, context)
    await share(ann, document["id"], guest)
    await ann.post(f"/api/notes/{note}/share", {"user_id": guest.user_id, "permission": "notes:read"})
    read = await toolbox.call(world.db, blank, "read_document", {"document": document["id"]}, context)
    assert read.value["text"] == "words"
    assert (await toolbox.call(world.db, blank, "read_note", {"id": note}, context)).value["body"] == "words"
    with pytest.raises(errors.NotFound):
        await toolbox.call(world.db, blank, "read_document", {"document": "a.txt"}, context)


async def test_a_strangers_document_is_not_found(world: World, ann: Caller) -> None:
    document = await put(ann, "a.txt", b"words", content_type="text/plain")
    for stranger in (await world.person(ann.org, ann.team), await world.person(*await world.company(), Role.OWNER)):
        for name in (document["id"], "a.txt", "nothing"):
            with pytest.raises(errors.NotFound) as refusal:
                await read(stranger, name)
            assert refusal.value.key == "request.not_found"


async def test_search_names_the_version(ann: Caller) -> None:
    document = (await ann.post("/api/documents", {"title": "Harbour", "body": "Ships"})).json()["id"]
    await ann.put(f"/api/documents/{document}", {"body": "Ferries"})
    note = (await ann.post("/api/notes", {"title": "Harbour", "body": "Ships"})).json()["id"]
    found = (await call(ann, "search", q="harbour")).value
    assert {(hit["id"], hit["title"], hit["version"]) for hit in found} == {
        (document, "Harbour", 2), (note, "Harbour", 1)
    }  # fmt: skip
    assert all(hit["snippet"] for hit in found)


# Create


async def test_a_created_document_is_an_artifact(world: World, ann: Caller) -> None:
    result = await call(ann, "create_document", title="Harbour plan", body="Ships", visibility="team")
    shown = (await ann.get(f"/api/repo-obj/{result.value['object_id']}")).json()
    assert result.is_artifact and result.value == {
        "kind": "document", "title": "Harbour plan", "summary": "documents/harbour-plan.md",
        "content_type": "text/markdown", "object_id": shown["id"], "version_id": shown["versions"][0]["id"],
        "key": "documents/harbour-plan.md", "version": 1,
    }  # fmt: skip
    assert result.shown == f"[document] Harbour plan: documents/harbour-plan.md (object {shown['id']})"
    assert (shown["owner"], shown["visibility"]) == (ann.user_id, "team")
    assert await broken(world) == []


async def test_a_created_note_is_an_artifact(ann: Caller) -> None:
    result = await call(ann, "create_note", title="Harbour", body="Ships", tags=["sea"])
    note = (await ann.get(f"/api/notes/{result.value['note_id']}")).json()
    assert (note["title"], note["body"], note["tags"], note["visibility"]) == ("Harbour", "Ships", ["sea"], "private")
    assert result.shown == f"[text] Harbour: note {note['id']}"


@pytest.mark.parametrize("tool", ["create_note", "create_document"])
async def test_a_repeated_call_creates_nothing_twice(world: World, ann: Caller, tool: str) -> None:
    first = await call(ann, tool, "run-1/2", title="Once", body="a")
    again = await call(ann, tool, "run-1/2", title="Once", body="a")
    at_once = await asyncio.gather(*(call(ann, tool, "run-1/3", title="Twice", body="b") for _ in range(4)))
    other = await call(ann, tool, "run-1/4", title="Once", body="a")
    anew = await call(ann, tool, title="Once", body="a")
    assert first.value == again.value
    assert len({str(result.value) for result in at_once}) == 1
    assert len({str(result.value) for result in (first, at_once[0], other, anew)}) == 4
    table = "notes" if tool == "create_note" else "objects"
    assert await world.db.one(int, f"SELECT COUNT(*) FROM {table}") == 4
    bob = await world.person(ann.org, ann.team)
    assert (await call(bob, tool, "run-1/2", title="Once", body="a")).value != first.value, (
        "the key is the person's own"
    )


async def test_a_repeat_after_the_thing_was_deleted_does_not_create_it_again(world: World, ann: Caller) -> None:
    first = await call(ann, "create_note", "run-1/2", title="Once")
    await ann.delete(f"/api/notes/{first.value['note_id']}")
    with pytest.raises(errors.NotFound):
        await call(ann, "create_note", "run-1/2", title="Once")
