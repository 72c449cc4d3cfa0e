"""A template for sandboxed plugins: one tool, which remembers something for each company."""

from typing import Any

from workspace import Call, ToolError, serve, tool


@tool("greet", "Greet somebody, and say how often the company has done so.", name={"type": "string", "maxLength": 100})
def greet(call: Call, name: str) -> dict[str, Any]:
    if not name.strip():
        raise ToolError("Nobody has an empty name.")
    count = (call.ask("kv.get", key="greetings") or 0) + 1
    call.ask("kv.put", key="greetings", value=count)
    return {"greeting": f"Hello, {name}!", "greetings": count, "at": call.ask("clock")["now"]}


serve()
