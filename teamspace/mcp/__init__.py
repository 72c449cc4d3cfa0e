"""The Model Context Protocol: a team's tools, notes and documents for other programs' models."""

from teamspace.mcp.domain.server import McpServer

__all__ = ["McpServer"]
