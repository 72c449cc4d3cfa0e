"""What a sandboxed plugin in Python needs: tools over standard streams, capabilities over descriptor 3.

Copy this file into your plugin. It needs no packages.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

_TOOLS: dict[str, tuple[dict[str, Any], Callable[..., Any]]] = {}
_CHANNEL = 3


class Refused(Exception):
    """The server refuses a capability, or what was asked with it."""


class ToolError(Exception):
    """The caller has asked for something that the tool cannot do; the text is for them."""


class Call:
    """A running call of a tool. What is asked through it is asked in the name of the caller."""

    def __init__(self, ticket: str) -> None:
        self._ticket = ticket

    def ask(self, capability: str, **params: Any) -> Any:
        """Ask the server, such as `call.ask("kv.get", key="greeted")`; raise Refused with its reason."""
        return ask(capability, ticket=self._ticket, **params)


def ask(capability: str, **params: Any) -> Any:
    """Ask the server outside of a call: only for `log` and `clock`."""
    _write(_CHANNEL, {"jsonrpc": "2.0", "id": 1, "method": capability, "params": params})
    answer = json.loads(_channel.readline())
    if "error" in answer:
        raise Refused(answer["error"]["message"])
    return answer.get("result")


def tool(
    name: str, description: str, /, **properties: dict[str, Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a tool. `properties` are the JSON schemas of its arguments, all of which are required."""
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        _TOOLS[name] = ({"name": name, "description": description, "inputSchema": schema}, function)
        return function

    return declare


def serve() -> None:
    """Answer requests until the server closes the connection."""
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if "id" in request:
            _write(
                1, {"jsonrpc": "2.0", "id": request["id"], **_answer(request["method"], request.get("params") or {})}
            )


def _answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        info = {"name": "sandboxed-plugin", "version": "0.1.0"}
        return {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}}
    if method == "ping":
        return {"result": {}}
    if method == "tools/list":
        return {"result": {"tools": [description for description, _ in _TOOLS.values()]}}
    if method == "tools/call" and params["name"] in _TOOLS:
        return {"result": _run(_TOOLS[params["name"]][1], params)}
    return {"error": {"code": -32601, "message": f"Method not found: {method}"}}


def _run(function: Callable[..., Any], params: dict[str, Any]) -> dict[str, Any]:
    call = Call(params.get("_meta", {}).get("teamspace/ticket", ""))
    try:
        result = function(call, **params.get("arguments") or {})
    except (Refused, ToolError) as fault:
        return {"content": [{"type": "text", "text": str(fault)}], "isError": True}
    text = result if isinstance(result, str) else json.dumps(result)
    structured = {"structuredContent": result} if isinstance(result, dict) else {}
    return {"content": [{"type": "text", "text": text}], **structured}


def _write(descriptor: int, message: dict[str, Any]) -> None:
    line = json.dumps(message).encode() + b"\n"
    while line:
        line = line[os.write(descriptor, line) :]


_channel = os.fdopen(_CHANNEL, "rb")
