"""Asks the server for whatever the test says."""

import os
from typing import Any

from workspace import Call, ask, serve, tool


@tool("ask", "Ask for a capability.", capability={"type": "string"}, params={"type": "object"})
def ask_for(call: Call, capability: str, params: dict[str, Any]) -> dict[str, Any]:
    if capability in ("log", "clock"):
        return {"answer": ask(capability, **params)}
    return {"answer": call.ask(capability, **params)}


@tool("look", "Say what the plugin sees.")
def look(call: Call) -> dict[str, Any]:
    return {"environment": dict(os.environ), "files": sorted(os.listdir()), "pid": os.getpid()}


@tool("end", "End the plugin.")
def end(call: Call) -> None:
    os._exit(1)


serve()
