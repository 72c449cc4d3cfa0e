"""The Model Context Protocol (streamable HTTP, without sessions), and the servers that we connect to."""

from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.core.replies import Accepted
from teamspace.core.routing import BEARER, Route
from teamspace.mcp.domain.client.client import McpClient
from teamspace.mcp.domain.server import McpServer
from teamspace.mcp.schemas import McpReports, RpcFault, RpcMessage, RpcResult

# fmt: off
ROUTES = (
    Route("POST", "/mcp",     BEARER, None, None, "exchange", "Answer a JSON-RPC request of the Model Context Protocol: the team's tools and workflows, and notes and documents as resources, with the caller's rights."),
    Route("GET",  "/api/mcp", BEARER, None, None, "listing", "List the MCP servers whose tools teams can turn on: their state, and what they offer."),
)
# fmt: on


async def exchange(
    db: Db, who: Principal, body: RpcMessage, server: McpServer
) -> RpcResult | RpcFault | Accepted[None]:
    answer = await server.answer(db, who, body)
    return Accepted(None) if answer is None else answer


async def listing(who: Principal, client: McpClient) -> McpReports:
    return McpReports(client.report(who))
