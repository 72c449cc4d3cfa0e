"""All MCP servers that the operator names. Every process of a server connects to them for itself."""

import asyncio

from teamspace.blobs import BlobStore
from teamspace.core.egress import Egress
from teamspace.core.principal import Principal
from teamspace.jobs import Queue
from teamspace.mcp.domain.client.connection import McpConnection
from teamspace.mcp.domain.client.files import ResultFiles
from teamspace.mcp.schemas import McpReport
from teamspace.settings import Settings
from teamspace.tools import Toolbox


class McpClient:
    def __init__(
        self, settings: Settings, toolbox: Toolbox, egress: Egress, files: BlobStore, queue: Queue
    ) -> None:  # fmt: skip
        kept = ResultFiles(files, queue)
        self._connections = [McpConnection(entry, toolbox, egress, kept) for entry in settings.mcp_servers]

    async def run(self) -> None:
        """Stay connected to all servers."""
        await asyncio.gather(*(connection.run() for connection in self._connections))

    def report(self, who: Principal) -> list[McpReport]:
        return [connection.report(in_full=who.operator) for connection in self._connections]
