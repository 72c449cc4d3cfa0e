"""MCP servers over HTTP that mean harm: egress rules hold, and nothing is without end."""

import asyncio
import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from teamspace.mcp.domain.client import connection
from teamspace.settings import McpEntry, Settings
from tests.mcp.help import connected, loop_watched, wait_until, world_with
from tests.support.upstream import ReceivedRequest, Upstream

pytestmark = pytest.mark.by_turns
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\n%s\r\n"


@pytest.fixture(autouse=True)
def short_times(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    import_module("teamspace.mcp.domain.client.session")
    for name, seconds in (
        ("CONNECT_SECONDS", 4.0),
        ("LIST_SECONDS", 3.0),
        ("CHECK_SECONDS", 0.5),
        ("SHORTEST_DELAY", 0.5),
    ):
        monkeypatch.setattr(connection, name, seconds)
    yield


class HttpServer:
    """Answers the protocol; `mode` says what it does instead."""

    def __init__(self, mode: str = "") -> None:
        self.mode = mode
        self.streams = 0

    async def __call__(self, request: ReceivedRequest, writer: asyncio.StreamWriter) -> None:
        message: dict[str, Any] = json.loads(request.body) if request.body else {}
        if request.method == "GET":
            await self._open_stream(writer)
        elif "id" not in message:
            await _send(writer, b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n")
        elif self.mode == "redirect":
            await _send(writer, b"HTTP/1.1 307 Moved\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n")
        elif message["method"] == "tools/list" and self.mode.startswith("endless"):
            await self._send_without_end(writer)
        else:
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], **_answer(message["method"])}).encode()
            length = b"content-length: %d\r\nmcp-session-id: 7\r\n" % len(body)
            await _send(writer, HEAD % (b"application/json", length) + body)

    async def _open_stream(self, writer: asyncio.StreamWriter) -> None:
        """Ask to come back at once, again and again."""
        self.streams += 1
        await _send(writer, HEAD % (b"text/event-stream", b"connection: close\r\n") + b"id: 1\nretry: 0\ndata: \n\n")
        writer.close()

    async def _send_without_end(self, writer: asyncio.StreamWriter) -> None:
        piece = {
            "endless line": b"x" * 65_536,
            "endless events": b'data: {"jsonrpc": "2.0", "method": "notifications/progress"}\n\n' * 100,
            "endless requests": b'data: {"jsonrpc": "2.0", "id": 1, "method": "ping"}\n\n' * 100,
        }[self.mode]
        writer.write(HEAD % (b"text/event-stream", b"connection: close\r\n"))
        while not writer.is_closing():
            writer.write(piece)
            await writer.drain()


def _answer(method: str) -> dict[str, Any]:
    if method == "initialize":
        info = {"name": "test", "version": "1"}
        return {"result": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}}
    if method == "tools/list":
        return {"result": {"tools": [{"name": "weigh", "inputSchema": {"type": "object"}}]}}
    return {"error": {"code": -32601, "message": "Method not found"}}


async def _send(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()


async def test_a_server_in_a_private_network_is_not_called(settings: Settings, sqlite_template: Path) -> None:
    async with Upstream(HttpServer()) as upstream:
        entry = McpEntry(name="scales", url=upstream.url)
        async with world_with(settings, sqlite_template, entry) as (_, ann):
            failed = await wait_until(ann, lambda server: server["state"] == "failed")
            assert failed["last_error"] == "The server cannot be reached."
        assert upstream.connections == 0


async def test_a_listed_server_is_called(settings: Settings, sqlite_template: Path) -> None:
    async with Upstream(HttpServer()) as upstream:
        entry = McpEntry(name="scales", url=upstream.url)
        async with world_with(settings, sqlite_template, entry, egress_allow=frozenset({upstream.address})) as (_, ann):
            server = await connected(ann)
            assert (server["transport"], server["protocol"]) == ("http", "2025-06-18")


async def test_a_stream_that_ends_at_once_is_not_opened_without_end(settings: Settings, sqlite_template: Path) -> None:
    behaviour = HttpServer()
    async with Upstream(behaviour) as upstream:
        entry = McpEntry(name="scales", url=upstream.url, headers={"x-key": "secret"})
        async with world_with(settings, sqlite_template, entry, egress_allow=frozenset({upstream.address})) as (_, ann):
            await connected(ann)
            await asyncio.sleep(2.5)
        assert 1 <= behaviour.streams <= 5
        assert all(request.headers["x-key"] == "secret" for request in upstream.requests)
        assert not any("last-event-id" in request.headers for request in upstream.requests)


@pytest.mark.parametrize("mode", ["redirect", "endless line", "endless events", "endless requests"])
async def test_a_hostile_server_is_not_connected_and_holds_nothing(
    settings: Settings, sqlite_template: Path, mode: str
) -> None:
    async with Upstream(HttpServer(mode)) as upstream:
        entry = McpEntry(name="scales", url=upstream.url)
        allowed = frozenset({upstream.address})
        async with world_with(settings, sqlite_template, entry, egress_allow=allowed) as (_, ann), loop_watched():
            failed = await wait_until(ann, lambda server: server["state"] == "failed")
            assert failed["tools"] == [] and failed["last_error"]
