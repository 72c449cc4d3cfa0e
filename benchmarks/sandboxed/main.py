"""Counts words, as an MCP server on its standard streams."""

import json
import sys
from typing import Any

TOOL = {
    "name": "word_count",
    "description": "Count the words of a text.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        words = {"words": len(params["arguments"]["text"].split())}
        return {"content": [{"type": "text", "text": json.dumps(words)}], "structuredContent": words}
    return {
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "words", "version": "0.1.0"},
    }


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
