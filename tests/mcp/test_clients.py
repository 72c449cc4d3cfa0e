"""The official client of the Model Context Protocol against a real server, as people with different rights."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from tests.support.served import Served
from tests.support.world import PASSWORD

if TYPE_CHECKING:
    from mcp.client.client import Client

pytestmark = pytest.mark.by_turns


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server, with the tokens of an owner and of a viewer."""
    with Served({"SERVICE_DATA": str(tmp_path_factory.mktemp("mcp"))}) as served:
        ann = served.call("POST", "/api/bootstrap", {"username": "ann", "password": PASSWORD})["token"]
        bob = served.call("POST", "/api/members", {"username": "bob", "role": "viewer"}, token=ann)["token"]
        served.call("POST", "/api/notes", {"title": "Private", "body": "Of Ann alone"}, token=ann)
        served.call("POST", "/api/documents", {"title": "Plan", "body": "For all", "visibility": "team"}, token=ann)
        yield served, {"ann": ann, "bob": bob}


def _mcp_error() -> type[Exception]:
    from mcp.shared.exceptions import MCPError  # noqa: PLC0415

    return MCPError


@asynccontextmanager
async def connect(people: Any, name: str, mode: str = "auto") -> "AsyncIterator[Client]":
    from mcp.client.client import Client  # noqa: PLC0415 - takes a second
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

    served, tokens = people
    headers = {"authorization": f"Bearer {tokens[name]}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(f"{served.url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize(("mode", "version"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
async def test_both_generations_of_the_protocol_are_spoken(people: Any, mode: str, version: str) -> None:
    async with connect(people, "ann", mode) as client:
        assert client.protocol_version == version
        assert client.server_info is not None and client.server_info.name == "teamspace"
        counted = await client.call_tool("word_count", {"text": "one two"})
        assert (counted.structured_content, counted.is_error) == ({"words": 2}, False)
        made = await client.call_tool("create_document", {"title": "Made", "body": "By a model"})
        (link,) = [part for part in made.content if part.type == "resource_link"]
        (read,) = (await client.read_resource(link.uri)).contents
        assert getattr(read, "text", "").strip().endswith("By a model")


async def test_each_person_sees_what_they_may(people: Any) -> None:
    async with connect(people, "ann") as ann, connect(people, "bob") as bob:
        assert "create_note" in {tool.name for tool in (await ann.list_tools()).tools}
        offered = {tool.name for tool in (await bob.list_tools()).tools}
        assert "search" in offered and "create_note" not in offered
        refused = await bob.call_tool("create_note", {"title": "No"})
        assert refused.is_error and "notes:write" in getattr(refused.content[0], "text", "")
        private = await _uri(ann, "Private")
        assert await _uri(ann, "Plan") == await _uri(bob, "Plan")
        with pytest.raises(StopAsyncIteration):
            await _uri(bob, "Private")
        with pytest.raises(_mcp_error(), match="no such resource"):
            await bob.read_resource(private)


async def test_bad_requests_are_told_apart(people: Any) -> None:
    async with connect(people, "ann") as client:
        with pytest.raises(_mcp_error(), match="Unknown tool: nothing"):
            await client.call_tool("nothing", {})
        wrong = await client.call_tool("word_count", {"words": 7})
        assert wrong.is_error and "/arguments" in getattr(wrong.content[0], "text", "")
        with pytest.raises(_mcp_error()):
            await client.list_resources(cursor="made-up")
        for uri in ("teamspace://notes/..", "file:///etc/passwd", "teamspace://tokens/1"):
            with pytest.raises(_mcp_error(), match="no such resource"):
                await client.read_resource(uri)


async def _uri(client: "Client", title: str) -> str:
    """Return the URI of the first resource with a title."""
    return await anext(uri async for name, uri in _resources(client) if name == title)


async def _resources(client: "Client") -> AsyncIterator[tuple[str, str]]:
    page = await client.list_resources()
    while True:
        for resource in page.resources:
            yield resource.name, str(resource.uri)
        if page.next_cursor is None:
            return
        page = await client.list_resources(cursor=page.next_cursor)


SPEC = {
    "slug": "count-words", "title": "Count words", "start": "count", "max_steps": 5,
    "inputs": {"text": {"type": "string", "description": "What to count"}},
    "steps": [{"id": "count", "kind": "tool", "tool": "word_count", "with": {"text": {"$ref": "input.text"}}}],
}  # fmt: skip


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_workflow_is_a_tool_that_starts_a_run(people: Any, mode: str) -> None:
    served, tokens = people
    served.call("POST", "/api/workflows", SPEC, token=tokens["ann"])
    async with connect(people, "ann", mode) as client:
        (tool,) = [tool for tool in (await client.list_tools()).tools if tool.name == "run_count-words"]
        assert tool.input_schema == {
            "type": "object", "properties": {"text": {"type": "string", "description": "What to count"}},
            "required": ["text"], "additionalProperties": False,
        }  # fmt: skip
        wrong = await client.call_tool("run_count-words", {"text": 7})
        assert wrong.is_error and "/input/text" in getattr(wrong.content[0], "text", "")
        begun = await client.call_tool("run_count-words", {"text": "one two three"})
        assert begun.structured_content and not begun.is_error
        run_id = begun.structured_content["run_id"]
        async with asyncio.timeout(30):
            while True:
                found = await client.call_tool("run_get_state", {"run_id": run_id})
                assert found.structured_content and not found.is_error, found
                if found.structured_content["state"] != "running":
                    break
                await asyncio.sleep(0.05)
        assert found.structured_content["steps"][0]["output"] == {"result": {"words": 3}}
        (link,) = [part for part in begun.content if part.type == "resource_link"]
        (read,) = (await client.read_resource(link.uri)).contents
        assert json.loads(getattr(read, "text", ""))["id"] == run_id
        with pytest.raises(_mcp_error(), match="Unknown tool: run_nothing"):
            await client.call_tool("run_nothing", {})
        missing = await client.call_tool("run_get_state", {"run_id": "nothing"})
        assert missing.is_error


async def test_workflows_are_offered_only_to_those_who_may_run_them(people: Any) -> None:
    served, tokens = people
    served.call("POST", "/api/workflows", SPEC, token=tokens["ann"])
    async with connect(people, "ann") as ann, connect(people, "bob") as bob:
        offered = {tool.name for tool in (await bob.list_tools()).tools}
        assert "run_count-words" not in offered
        refused = await bob.call_tool("run_count-words", {"text": "one"})
        assert refused.is_error and "workflows:run" in getattr(refused.content[0], "text", "")
        served.call("POST", "/api/features/workflows", {"enabled": False}, token=tokens["ann"])
        try:
            assert not [tool.name for tool in (await ann.list_tools()).tools if tool.name.startswith("run_")]
            off = await ann.call_tool("run_count-words", {"text": "one"})
            assert off.is_error and "feature" in getattr(off.content[0], "text", "")
        finally:
            served.call("POST", "/api/features/workflows", {"enabled": True}, token=tokens["ann"])
