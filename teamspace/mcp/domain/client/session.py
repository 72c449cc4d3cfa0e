"""A session with an MCP server, over the official SDK.

Importing the SDK takes a second, so this module is imported when the first server is connected.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any

import anyio
from mcp import types
from mcp.client.client import Client
from mcp.client.session import IncomingMessage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CONNECTION_CLOSED, PARSE_ERROR
from pydantic import ValidationError

from teamspace import __version__
from teamspace.core import text
from teamspace.core.egress import INSTANCE, Egress, NetworkReach, Timeouts
from teamspace.core.egress.transport import create_client
from teamspace.mcp.domain.client import programs
from teamspace.mcp.domain.client.messages import MAX_BYTES, TOO_LARGE, Intake
from teamspace.mcp.domain.client.sessions import McpSession, ServerError, SessionLost, describe
from teamspace.mcp.domain.client.stdio import pipe_streams
from teamspace.mcp.schemas import CallPart, CallResult, ToolDefinition
from teamspace.settings import McpEntry

_TIMEOUTS = Timeouts(read=90, total=3600)
"""Callers wait less. A stream of notifications ends, and is opened again."""
_MAX_TITLE = 200
_MAX_STREAM = 64 * 1024 * 1024
_CLOSED = "Connection closed"
_PARSE_ERROR = f"{TOO_LARGE}, or does not follow the protocol"
_INFO = types.Implementation(name="teamspace", title="Teamspace", version=__version__)

Connect = Callable[[Any], Client]

for _name in ("mcp", "httpx2"):
    # A server must not be able to fill our log.
    logging.getLogger(_name).setLevel(logging.CRITICAL)


@asynccontextmanager
async def open_session(
    entry: McpEntry, egress: Egress, look: asyncio.Event, *, with_handshake: bool
) -> AsyncIterator[McpSession]:
    """Connect to a server, at once with the handshake of old versions, or after asking which ones it speaks.

    `look` is set when its tools may have changed, or when the connection has ended.
    """
    connect = partial(_connect, look=look, mode="legacy" if with_handshake else "auto")
    opener = _open_http(entry, egress, connect) if entry.url else _open_program(entry, connect, look)
    async with opener as session:
        yield session


@asynccontextmanager
async def _open_http(entry: McpEntry, egress: Egress, connect: Connect) -> AsyncIterator[McpSession]:
    assert entry.url
    transport = egress.transport(
        NetworkReach.LISTED, INSTANCE, timeouts=_TIMEOUTS, max_bytes=_MAX_STREAM, filtered=Intake().filter_pieces
    )
    client = create_client(transport, entry.headers)
    streams = streamable_http_client(entry.url, http_client=client, max_sse_event_size=MAX_BYTES)
    async with client, connect(streams) as connected:
        yield _SdkSession(connected)


@asynccontextmanager
async def _open_program(entry: McpEntry, connect: Connect, look: asyncio.Event) -> AsyncIterator[McpSession]:
    async with programs.run(entry) as program:
        try:
            async with connect(pipe_streams(program, Intake(), look)) as connected:
                yield _SdkSession(connected)
        except Exception as fault:
            raise SessionLost(await program.explain(describe(fault))) from fault


def _connect(streams: Any, *, look: asyncio.Event, mode: str) -> Client:
    async def hear(message: IncomingMessage) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            look.set()

    return Client(streams, message_handler=hear, client_info=_INFO, cache=None, mode=mode)


class _SdkSession:
    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def protocol(self) -> str:
        return self._client.protocol_version

    async def list_page(self, cursor: str | None) -> tuple[list[ToolDefinition], str | None]:
        with _named_faults():
            page = await self._client.session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        return [_to_definition(tool) for tool in page.tools], page.next_cursor

    async def call(self, tool: str, arguments: dict[str, Any]) -> CallResult:
        # Not `call_tool`: it checks the result against the server's schema in Python, which can take minutes.
        request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=arguments))
        with _named_faults():
            result = await self._client.session.send_request(request, types.CallToolResult)
        parts = [_to_part(block) for block in result.content]
        return CallResult(parts, result.structured_content, is_error=result.is_error)


@contextmanager
def _named_faults() -> Iterator[None]:
    try:
        yield
    except MCPError as fault:
        # Servers use the code of the SDK's own error for theirs, too.
        if fault.code == CONNECTION_CLOSED and fault.message == _CLOSED:
            raise SessionLost(_CLOSED) from None
        raise ServerError(_PARSE_ERROR if fault.code == PARSE_ERROR else fault.message) from None
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        raise SessionLost(_CLOSED) from None
    except (ValidationError, RuntimeError):
        raise ServerError(_PARSE_ERROR) from None


def _to_definition(tool: types.Tool) -> ToolDefinition:
    title = tool.title or (tool.annotations.title if tool.annotations else None) or ""
    shown = text.one_line(title, max_length=_MAX_TITLE)
    return ToolDefinition(tool.name, shown, tool.description or "", tool.input_schema)


def _to_part(block: types.ContentBlock) -> CallPart:
    match block:
        case types.TextContent():
            return CallPart("text", text=block.text)
        case types.ImageContent() | types.AudioContent():
            return CallPart(
                block.type, content_type=block.mime_type, size=_decoded_size(block.data), data=block.data
            )  # fmt: skip
        case types.ResourceLink():
            title = block.title or block.name
            return CallPart(
                "link", title=title, text=block.description or "", uri=block.uri, content_type=block.mime_type
            )
        case types.EmbeddedResource():
            return _to_resource(block.resource)


def _to_resource(resource: types.TextResourceContents | types.BlobResourceContents) -> CallPart:
    if isinstance(resource, types.TextResourceContents):
        return CallPart("resource", text=resource.text, uri=resource.uri, content_type=resource.mime_type)
    size = _decoded_size(resource.blob)
    return CallPart("resource", uri=resource.uri, content_type=resource.mime_type, size=size, data=resource.blob)


def _decoded_size(base64: str) -> int:
    return len(base64.rstrip("=")) * 3 // 4
