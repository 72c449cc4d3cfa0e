"""Where other people's text reaches a model: Mallory places it, and Bob uses it in good faith."""

import json
import re
import textwrap
from collections.abc import Awaitable, Callable
from html import escape
from itertools import count
from typing import Any

from teamspace.knowledge.schemas import MAX_NAME
from tests.ai.injection import Injection
from tests.ai.stage import Cast, ask, note
from tests.extraction import files
from tests.knowledge.help import use
from tests.repository.help import put
from tests.support.model_server import says
from tests.support.upstream import ReceivedRequest

Shown = dict[str, Any]
GOOD_FAITH = frozenset({"kg_find", "hostile_forecast", "teller_tell", "mcp_scales_read", "mcp_scales_refuse"})
"""Tools that Bob asks for; their results are the hostile text."""
UNSEEN = frozenset({"title", "glossary", "term", "translation", "memory"})
"""Places from which no text reaches a model that can call tools."""
_SUM_UP = {"type": "text", "text": "Sum up."}
_numbers = count()


async def expose(cast: Cast, injection: Injection) -> Shown:
    return await PLACES[injection.place](cast, cast.text(injection))


async def _note(cast: Cast, text: str) -> Shown:
    id = await note(cast.mallory, "Minutes", text, visibility="team")
    return await ask(cast, [_SUM_UP, {"type": "note", "note_id": id}])


async def _note_title(cast: Cast, text: str) -> Shown:
    id = await note(cast.mallory, text, "Nothing.", visibility="team")
    return await ask(cast, [_SUM_UP, {"type": "note", "note_id": id}])


async def _document(cast: Cast, text: str) -> Shown:
    return await _attached(cast, await _written(cast, "Minutes", text))


async def _document_title(cast: Cast, text: str) -> Shown:
    return await _attached(cast, await _written(cast, text, "Nothing."))


async def _written(cast: Cast, title: str, body: str) -> str:
    answer = await cast.mallory.post("/api/documents", {"title": title, "body": body, "visibility": "team"})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


async def _attached(cast: Cast, object_id: str) -> Shown:
    return await ask(cast, [_SUM_UP, {"type": "object", "object_id": object_id}])


async def _file_name(cast: Cast, text: str) -> Shown:
    name = re.sub(r"[^\w@{}:\" .-]", "", text)
    return await _attached(cast, await _uploaded(cast, name, b"Nothing."))


async def _uploaded(cast: Cast, name: str, content: bytes) -> str:
    made = await put(cast.mallory, name, content, query="?visibility=team")
    body = {"principal_type": "user", "principal_id": cast.bob.user_id, "capability": "view"}
    assert (await cast.mallory.post(f"/api/repo-obj/{made['id']}/share", body)).status_code == 200
    return str(made["id"])


def _file(extension: str, build: Callable[[str], bytes]) -> Callable[[Cast, str], Awaitable[Shown]]:
    async def expose(cast: Cast, text: str) -> Shown:
        made = await _uploaded(cast, f"annex{next(_numbers)}.{extension}", build(text))
        await use(cast.mallory, "repo_extract_text", id=made)
        return await _attached(cast, made)

    return expose


def _pdf(text: str) -> bytes:
    """In short lines: what is beyond the edge of a page is not read."""
    lines = textwrap.wrap(re.sub(r"([()\\])", r"\\\1", text), 70, break_on_hyphens=False)
    return files.pdf(") Tj 0 -14 Td (".join(lines))


def _office(build: Callable[[str], bytes]) -> Callable[[str], bytes]:
    return lambda text: build(escape(text, quote=False))


async def _snippet(cast: Cast, text: str) -> Shown:
    await note(cast.mallory, "Zebra", text, visibility="team")
    return await ask(cast, 'Look it up: @@search {"q": "zebra"}@@')


async def _entity(cast: Cast, text: str) -> Shown:
    """The name of an entity, and the sentence about it, as `kg_find` returns them."""
    word = await _learned(cast, text)
    return await ask(cast, f'Who is it? @@kg_find {{"name": "{word}"}}@@')


async def _entity_part(cast: Cast, text: str) -> Shown:
    """The same, attached."""
    word = await _learned(cast, text)
    items = (await cast.bob.get("/api/kg/entities", params={"q": word})).json()["items"]
    return await ask(cast, [_SUM_UP, {"type": "entity", "entity_id": items[0]["id"]}])


async def _learned(cast: Cast, text: str) -> str:
    word = f"Quagga{next(_numbers)}"
    sentence = f"{word} {text} is here."
    name = f"{word} {text}" if len(text) < MAX_NAME - len(word) else word
    made = await _written(cast, "Animals", sentence)
    found = {"entities": [{"type": "person", "name": name, "quote": sentence}], "relations": []}
    cast.model.script = [says(json.dumps(found))]
    assert (await use(cast.mallory, "kg_extract", object=made))["entities"] == 1
    cast.model.forget()
    return word


async def _shared_conversation(cast: Cast, words: str, title: str) -> Shown:
    made = (await cast.mallory.post("/api/conversations", {"title": title})).json()["id"]
    assert (await cast.mallory.post("/api/ai/chat", {"prompt": words, "conversation_id": made})).status_code == 200
    grant = {"user_id": cast.bob.user_id, "permission": "notes:write"}
    shared = await cast.mallory.post(f"/api/conversations/{made}/share", grant)
    assert shared.status_code < 300, shared.text
    cast.model.forget()
    return await ask(cast, "And then?", conversation_id=made)


async def _conversation(cast: Cast, text: str) -> Shown:
    return await _shared_conversation(cast, text, "Plans")


async def _title(cast: Cast, text: str) -> Shown:
    return await _shared_conversation(cast, "Hello", text)


async def _tool(cast: Cast, text: str) -> Shown:
    return await ask(cast, "How is the weather?")


def _result(call: str) -> Callable[[Cast, str], Awaitable[Shown]]:
    """What a program of others returns. Bob asks for the call."""

    async def expose(cast: Cast, text: str) -> Shown:
        cast.outside.say(text)
        return await ask(cast, f"Find out: @@{call.replace('FILE', str(cast.outside.said))}@@")

    return expose


async def _glossary(cast: Cast, text: str) -> Shown:
    return await _translated(cast, {"term": "harbour", "translation": "Hafen", "note": text}, "The harbour")


async def _term(cast: Cast, text: str) -> Shown:
    return await _translated(cast, {"term": text, "translation": "Hafen"}, f"The {text} is here")


async def _translation(cast: Cast, text: str) -> Shown:
    return await _translated(cast, {"term": "pier", "translation": text}, "The pier")


async def _translated(cast: Cast, term: dict[str, str], text: str) -> Shown:
    answer = await cast.ann.post("/api/glossary", {"target": "de", **term})
    assert answer.status_code < 300, answer.text
    answer = await cast.bob.post("/api/translate", {"text": text, "target": "de"})
    asked = json.loads(cast.server.chat_requests()[-1].body)
    assert "@@create_note" in str(asked), "the model has seen it"
    assert "tools" not in asked
    cast.model.forget()
    return {"steps": [], "text": answer.text, "citations": []}


async def _memory(cast: Cast, text: str) -> Shown:
    """A model that was injected has translated for Mallory: Bob gets the same text, and no model reads it."""
    words, called = {"text": "The ferry leaves.", "target": "de"}, cast.server.chat_requests
    cast.model.script = [_translates_as(text)]
    assert (await cast.mallory.post("/api/translate", words)).status_code == 200
    before = len(called())
    answer = await cast.bob.post("/api/translate", words)
    assert answer.status_code == 200 and answer.json()["text"] == text
    assert len(called()) == before
    return {"steps": [], "text": answer.text, "citations": []}


def _translates_as(text: str) -> Any:
    async def behave(request: ReceivedRequest, writer: Any) -> None:
        task = json.loads(json.loads(request.body)["messages"][-1]["content"])
        segments = [{"id": each["id"], "text": text} for each in task["segments"]]
        await says(json.dumps({"segments": segments}))(request, writer)

    return behave


PLACES: dict[str, Callable[[Cast, str], Awaitable[Shown]]] = {
    "note": _note,
    "note_title": _note_title,
    "document": _document,
    "document_title": _document_title,
    "file_name": _file_name,
    "pdf": _file("pdf", _pdf),
    "docx": _file("docx", _office(files.docx)),
    "xlsx": _file("xlsx", _office(files.xlsx)),
    "pptx": _file("pptx", _office(files.pptx)),
    "odt": _file("odt", _office(files.odt)),
    "snippet": _snippet,
    "entity": _entity,
    "entity_part": _entity_part,
    "conversation": _conversation,
    "title": _title,
    "tool": _tool,
    "plugin": _result("hostile_forecast {}"),
    "sandboxed": _result("teller_tell {}"),
    "mcp": _result('mcp_scales_read {"path": "FILE"}'),
    "mcp_error": _result('mcp_scales_refuse {"path": "FILE"}'),
    "glossary": _glossary,
    "term": _term,
    "translation": _translation,
    "memory": _memory,
}
