"""The function of the tools benchmark, served by FastMCP. Runs in an environment in which FastMCP is installed."""

import sys

from fastmcp import FastMCP  # type: ignore[import-not-found]

server = FastMCP("words")


@server.tool  # type: ignore[untyped-decorator]
async def word_count(text: str) -> dict[str, int]:
    """Count the words of a text."""
    return {"words": len(text.split())}


server.run(
    transport="http", host="127.0.0.1", port=int(sys.argv[1]), path="/mcp", stateless_http=True, json_response=True,
    log_level="error", show_banner=False,
)  # fmt: skip
