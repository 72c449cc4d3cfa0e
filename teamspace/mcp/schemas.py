"""JSON-RPC messages of the Model Context Protocol, the job of a task, and what is known of servers that we connect to."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from teamspace.sandbox import Tier

RpcId = int | Annotated[str, Meta(max_length=200)]


class RpcMessage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request, or a notification if it has no id."""

    jsonrpc: Literal["2.0"]
    method: Annotated[str, Meta(max_length=200)]
    id: RpcId | UnsetType = UNSET
    params: dict[str, Any] = {}


class RpcError(msgspec.Struct, frozen=True, omit_defaults=True):
    code: int
    message: str
    data: dict[str, Any] | None = None


class RpcResult(msgspec.Struct, frozen=True):
    jsonrpc: str
    id: RpcId
    result: dict[str, Any]


class RpcFault(msgspec.Struct, frozen=True):
    jsonrpc: str
    id: RpcId
    error: RpcError


# Tasks


class McpCall(msgspec.Struct, frozen=True):
    """A call of a tool that an MCP client does not wait for."""

    tool: str
    arguments: dict[str, Any]


class McpCallEnd(msgspec.Struct, frozen=True):
    result: dict[str, Any] | None
    """As `tools/call` returns it; None if the client cancelled the call."""


# Workflows


class OfferedTool(msgspec.Struct, frozen=True):
    """A workflow as clients see it."""

    slug: str
    title: str
    description: str
    schema: dict[str, Any]
    """Of its inputs."""


class OfferedRun(msgspec.Struct, frozen=True):
    """A run of a workflow."""

    id: str
    slug: str
    state: str
    json: bytes
    """All that the caller may read of it."""


# Servers that we connect to


class ToolDefinition(msgspec.Struct, frozen=True):
    """A tool as its server describes it."""

    name: str
    title: str
    description: str
    schema: dict[str, Any]


class CallPart(msgspec.Struct, frozen=True):
    """A part of what a tool returns."""

    kind: Literal["text", "image", "audio", "link", "resource"]
    title: str = ""
    text: str = ""
    uri: str | None = None
    content_type: str | None = None
    size: int | None = None
    """Of the bytes; None without any."""
    data: str | None = None
    """The bytes in base64, until they are kept or left out."""
    key: str | None = None
    object_id: str | None = None
    version_id: str | None = None
    """The file in which the bytes are kept."""

    @property
    def is_text(self) -> bool:
        return self.kind == "text" or (self.kind == "resource" and self.size is None)


class CallResult(msgspec.Struct, frozen=True):
    parts: list[CallPart]
    structured: Any = None
    is_error: bool = False


ConnectionState = Literal["connecting", "connected", "failed"]


class McpToolReport(msgspec.Struct, frozen=True):
    name: str
    """Its name in the toolbox, `mcp_<server>_<tool>`."""
    title: str
    description: str


class McpReport(msgspec.Struct, frozen=True):
    """A server that we connect to."""

    name: str
    transport: Literal["stdio", "http"]
    state: ConnectionState
    protocol: str | None
    """The version that is spoken."""
    sandbox: Tier | None
    """What contains a server that is a program."""
    last_error: str | None
    """Why it is not connected, or which tools were left out; the reason is for operators only."""
    connected_at: str | None
    tools: list[McpToolReport]


class McpReports(msgspec.Struct, frozen=True):
    items: list[McpReport]
