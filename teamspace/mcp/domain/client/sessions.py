"""What the rest of the client knows of a session, without importing the SDK."""

from typing import Any, Protocol

from teamspace.mcp.schemas import CallResult, ToolDefinition


class SessionLost(Exception):
    """The connection has ended, or the server does not answer."""


class ServerError(Exception):
    """The server answers a request with an error; the text is its own."""


class McpSession(Protocol):
    @property
    def protocol(self) -> str:
        """The version that is spoken."""
        ...

    async def list_page(self, cursor: str | None) -> tuple[list[ToolDefinition], str | None]:
        """Return a page of the server's tools, and where the next one begins."""
        ...

    async def call(self, tool: str, arguments: dict[str, Any]) -> CallResult:
        """Call a tool, without a time limit."""
        ...


def describe(fault: BaseException) -> str:
    """Return why a session failed, in one line."""
    while isinstance(fault, BaseExceptionGroup) and fault.exceptions:
        fault = fault.exceptions[0]
    if isinstance(fault, TimeoutError):
        return "it did not answer in time"
    return " ".join(str(fault).split()) or type(fault).__name__
