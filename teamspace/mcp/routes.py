"""The route of the Model Context Protocol (streamable HTTP, without sessions)."""

from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.core.replies import Accepted
from teamspace.core.routing import BEARER, Route
from teamspace.mcp.domain.server import McpServer
from teamspace.mcp.schemas import RpcFault, RpcMessage, RpcResult

# fmt: off
ROUTES = (
    Route("POST", "/mcp", BEARER, None, None, "exchange", "Answer a JSON-RPC request of the Model Context Protocol: the team's tools, and notes and documents as resources, with the caller's rights."),
)
# fmt: on


async def exchange(
    db: Db, who: Principal, body: RpcMessage, server: McpServer
) -> RpcResult | RpcFault | Accepted[None]:
    answer = await server.answer(db, who, body)
    return Accepted(None) if answer is None else answer
