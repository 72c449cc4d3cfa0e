"""The connection to one MCP server: made again whenever it is lost. Its tools stay in the toolbox meanwhile."""

import asyncio
import logging
from contextlib import suppress
from importlib import import_module
from typing import Any

import msgspec

from teamspace import sandbox
from teamspace.core import clock, pools
from teamspace.core.egress import Egress
from teamspace.core.errors import ToolFailed
from teamspace.mcp.domain.client import listing, results
from teamspace.mcp.domain.client.files import ResultFiles
from teamspace.mcp.domain.client.listing import ToolCaller
from teamspace.mcp.domain.client.sessions import McpSession, ServerError, SessionLost, describe
from teamspace.mcp.schemas import ConnectionState, McpReport, McpToolReport, ToolDefinition
from teamspace.settings import McpEntry
from teamspace.tools import Toolbox

CONNECT_SECONDS, LIST_SECONDS, CALL_SECONDS = 30.0, 20.0, 60.0
CHECK_SECONDS = 30.0
"""How often the tools are listed, which shows too that the server answers."""
SHORTEST_DELAY, LONGEST_DELAY = 1.0, 60.0
_PAUSE_SECONDS = 1.0
"""Between two listings, however often a server says that its tools have changed."""
_MAX_CALLS = 16
"""At a time; others wait."""
_MAX_ERROR = 2000
_GENERAL_ERROR = "The server has a problem. Operators see the reason."
log = logging.getLogger("teamspace")


class McpConnection:
    def __init__(self, entry: McpEntry, toolbox: Toolbox, egress: Egress, files: ResultFiles) -> None:
        self._entry, self._toolbox, self._egress, self._files = entry, toolbox, egress, files
        self._source = f"mcp:{entry.name}"
        self._state: ConnectionState = "connecting"
        self._session: McpSession | None = None
        self._protocol: str | None = None
        self._tier: sandbox.Tier | None = None
        self._connected_at: str | None = None
        self._error: str | None = None
        self._listing = listing.Listing()
        self._look = asyncio.Event()
        self._with_handshake = False
        """Whether to begin with the handshake. Some servers end if they are asked first which version they speak."""
        self._slots = asyncio.Semaphore(_MAX_CALLS)

    async def run(self) -> None:
        """Connect, and connect again after every failure, with growing delays."""
        now, delay = asyncio.get_running_loop().time, SHORTEST_DELAY
        while True:
            began = now()
            try:
                await self._connect()
            except Exception as fault:
                self._fail(describe(fault))
            except asyncio.CancelledError:
                if _is_cancelled():
                    raise
                self._fail("the SDK gave up")
            delay = SHORTEST_DELAY if now() - began > LONGEST_DELAY else delay
            await asyncio.sleep(delay)
            delay = min(2 * delay, LONGEST_DELAY)

    def report(self, *, in_full: bool) -> McpReport:
        """Return how it is; the error in full is for operators."""
        tools = [
            McpToolReport(tool.bound.name, tool.definition.title, tool.definition.description)
            for tool in self._listing.tools
        ]
        return McpReport(
            name=self._entry.name, transport=self._entry.transport, state=self._state, protocol=self._protocol,
            sandbox=self._tier, last_error=self._error if in_full or self._error is None else _GENERAL_ERROR,
            connected_at=self._connected_at, tools=tools,
        )  # fmt: skip

    async def _connect(self) -> None:
        """Connect, and stay connected until the connection is lost."""
        if self._entry.transport == "stdio":
            self._tier = await pools.UPKEEP.run(sandbox.find_tier)
        # In a thread, since importing the SDK takes a second.
        sdk = await pools.UPKEEP.run(import_module, "teamspace.mcp.domain.client.session")
        async with (
            asyncio.timeout(CONNECT_SECONDS) as deadline,
            sdk.open_session(self._entry, self._egress, self._look, with_handshake=self._with_handshake) as session,
        ):
            await self._list(session)
            deadline.reschedule(None)
            self._state, self._session = "connected", session
            self._protocol, self._connected_at = session.protocol, clock.stamp()
            log.info("the MCP server %s is connected", self._entry.name)
            try:
                await self._keep(session)
            finally:
                self._session = None

    async def _keep(self, session: McpSession) -> None:
        """List the tools at intervals, and when they may have changed, until that fails."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(CHECK_SECONDS):
                    await self._look.wait()
            await self._list(session)
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _list(self, session: McpSession) -> None:
        self._look.clear()
        async with asyncio.timeout(LIST_SECONDS):
            found = await listing.fetch(session, self._source, self._entry.name, self._call, self._listing)
        taken = self._toolbox.replace(self._source, [tool.bound for tool in found.tools])
        self._listing = found.without(taken, "another source has a tool of this name")
        left_out = "; ".join(self._listing.left_out)
        self._error = f"left out: {left_out}"[:_MAX_ERROR] if left_out else None

    def _fail(self, reason: str) -> None:
        if self._state != "failed" or self._error != reason:
            log.warning("the MCP server %s is not connected: %s", self._entry.name, reason[:_MAX_ERROR])
        if self._connected_at is None:
            self._with_handshake = not self._with_handshake
        self._state, self._error, self._connected_at = "failed", reason[:_MAX_ERROR], None

    async def _call(self, tool: ToolDefinition, arguments: dict[str, Any], caller: ToolCaller) -> Any:
        name = self._entry.name
        try:
            async with asyncio.timeout(CALL_SECONDS), self._slots:
                if self._session is None:
                    raise ToolFailed("mcp.down", server=name)
                result = await self._session.call(tool.name, arguments)
        except TimeoutError:
            self._look.set()
            raise ToolFailed("mcp.timeout", server=name, seconds=int(CALL_SECONDS)) from None
        except SessionLost:
            self._look.set()
            raise ToolFailed("mcp.down", server=name) from None
        except ServerError as fault:
            self._look.set()
            raise ToolFailed("mcp.refused", server=name, message=str(fault)[: results.MAX_MESSAGE]) from None
        if results.shows_parts(result):
            parts = await self._files.keep(caller.db, caller.who, caller.context, name, result.parts)
            result = msgspec.structs.replace(result, parts=parts)
        return results.to_value(name, tool.title or tool.name, result)


def _is_cancelled() -> bool:
    """Whether someone has cancelled this task, and not a library its own work."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
