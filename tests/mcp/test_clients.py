"""The official client of the Model Context Protocol against a real server, as people with different rights."""

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
