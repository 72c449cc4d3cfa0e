"""The Model Context Protocol: a team's tools and texts for other programs' models, and other servers' tools for teams."""

from teamspace.mcp.domain.client.client import McpClient
from teamspace.mcp.domain.running import McpWorkflows
from teamspace.mcp.domain.server import McpServer
from teamspace.mcp.domain.tasks import McpTasks
from teamspace.mcp.schemas import OfferedRun, OfferedTool

__all__ = ["McpClient", "McpServer", "McpTasks", "McpWorkflows", "OfferedRun", "OfferedTool"]
