"""The client side: connections to the MCP servers that the operator names, and their tools."""
