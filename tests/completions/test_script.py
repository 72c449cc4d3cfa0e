"""Everything a model server can do, through the client: the script of `tests.support.model_server`."""

import json
import time
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from teamspace import completions
from teamspace.completions import (
    CompletionError,
    JsonSchema,
    ModelAnswer,
    ModelEndpoint,
    ModelRequest,
    NamedSchema,
    structured,
)
from teamspace.completions import client as completions_client
from teamspace.core.egress import Egress, NetworkReach, Timeouts
from tests.support.model_server import (
    ModelServer,
    calls,
    cuts,
    endless,
    fails,
    garbage,
    rate_limited,
    says,
    stalls,
    translates,
    writes,
    wrong_type,
)
from tests.support.upstream import Behaviour


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as server:
        yield server


@pytest.fixture
async def egress() -> AsyncIterator[Egress]:
    egress = Egress()
    yield egress
    await egress.aclose()


async def both(egress: Egress, server: ModelServer, step: Behaviour, request: ModelRequest) -> ModelAnswer:
    """Ask for a whole answer and for a streamed one, which are the same, and return it."""
    server.script([step, step])
    endpoint = ModelEndpoint(server.url, NetworkReach.ANY)
    whole = await completions.complete(egress, endpoint, request)
    async with completions.stream(egress, endpoint, request) as events:
        *deltas, streamed = [event async for event in events]
    assert streamed == whole
    assert "".join(one.text for one in deltas if not isinstance(one, ModelAnswer)) == whole.text
    return whole


async def test_text(egress: Egress, server: ModelServer) -> None:
    answer = await both(egress, server, says("Three boats."), ModelRequest("How many?"))
    assert (answer.text, answer.usage.total_tokens, answer.finish_reason) == ("Three boats.", 7, "stop")
    slow = says("One two three", pause=0.05, usage=None, finish="length")
    began = time.monotonic()
    answer = await both(egress, server, slow, ModelRequest("How many?"))
    assert time.monotonic() - began > 0.2
    assert (answer.usage.total_tokens, answer.finish_reason) == (7, "length"), "estimated"


async def test_tool_calls(egress: Egress, server: ModelServer) -> None:
    arguments = {"query": "boats in \"Kiel\" ⛵", "limit": 5}  # fmt: skip
    answer = await both(egress, server, calls(("search", arguments), ("read_note", {"id": "n1"})), ModelRequest("Look"))
    assert [(call.function.name, json.loads(call.function.arguments)) for call in answer.tool_calls] == [
        ("search", arguments), ("read_note", {"id": "n1"}),
    ]  # fmt: skip
    assert (answer.finish_reason, len({call.id for call in answer.tool_calls})) == ("tool_calls", 2)


async def test_images(egress: Egress, server: ModelServer) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    request = msgspec.convert({"prompt": [{"type": "text", "text": "What?"}, image]}, ModelRequest)
    await both(egress, server, says("A boat."), request)
    assert server.images == ["data:image/png;base64,iVBORw0KGgo="] * 2


async def test_structured_output(egress: Egress, server: ModelServer) -> None:
    schema = {"type": "object", "required": ["boats"], "properties": {"boats": {"type": "integer"}}}
    request = ModelRequest("How many?", response_format=JsonSchema(schema=schema))
    server.script([writes({"boats": "three"}), writes({"boats": 3})])
    endpoint = ModelEndpoint(server.url, NetworkReach.ANY)

    async def call(request: ModelRequest) -> ModelAnswer:
        return await completions.complete(egress, endpoint, request)

    answer = await structured.complete(call, request)
    assert (answer.parsed, answer.usage.total_tokens) == ({"boats": 3}, 14)
    first, repair = server.bodies
    assert first["response_format"]["json_schema"] == {"name": "answer", "schema": schema}
    assert "at /boats: the value is not of type" in repair["messages"][-1]["content"]


async def test_translations(egress: Egress, server: ModelServer) -> None:
    task = {"source": "en", "target": "de", "segments": [{"id": "1", "text": "Hello {name}"}], "glossary": []}
    wanted = JsonSchema(NamedSchema({"type": "object"}, "translation"))
    answer = await both(egress, server, translates(), ModelRequest(json.dumps(task), response_format=wanted))
    assert json.loads(answer.text) == {"segments": [{"id": "1", "text": "[de] Hello {name}"}]}


FAULTS: dict[str, tuple[Behaviour, str, bool]] = {
    # step, message, whether the started stream has cost something
    "too many requests": (rate_limited(), "overloaded|too many", False),
    "server error": (fails(500), "failed: Out of memory", False),
    "gateway error": (fails(502), "502", False),
    "another page": (wrong_type(), "valid completion", False),
    "stall": (stalls("Half a"), "did not answer in time", True),
    "cut": (cuts("Half a"), "closed the connection", True),
    "garbage": (garbage("Half a"), "valid completion", True),
    "endless": (endless(), "longer than 1 MiB|did not answer in time", True),
}


@pytest.mark.parametrize(("step", "message", "spent"), FAULTS.values(), ids=FAULTS)
async def test_faults(
    egress: Egress, server: ModelServer, monkeypatch: pytest.MonkeyPatch, step: Behaviour, message: str, spent: bool
) -> None:
    monkeypatch.setattr(completions_client, "_TIMEOUTS", Timeouts(connect=1, read=1, total=5))
    endpoint: Any = ModelEndpoint(server.url, NetworkReach.ANY)
    server.script([step, step])
    with pytest.raises(CompletionError, match=f"(?i){message}"):
        await completions.complete(egress, endpoint, ModelRequest("Hello"))
    with pytest.raises(CompletionError, match=f"(?i){message}") as failed:
        async with completions.stream(egress, endpoint, ModelRequest("Hello")) as events:
            [event async for event in events]
    assert (failed.value.usage is not None) == spent
    server.script([says("Well again.")])
    assert (await completions.complete(egress, endpoint, ModelRequest("Hello"))).text == "Well again."
