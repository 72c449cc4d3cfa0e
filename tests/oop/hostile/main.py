"""Runs whatever code the test says: an attacker who has taken over a plugin."""

import json
import os
from typing import Any

from workspace import Call, serve, tool

kept: dict[str, Any] = {}


@tool("attack", "Run code.", code={"type": "string"})
def attack(call: Call, code: str) -> dict[str, Any]:
    space: dict[str, Any] = {"call": call, "kept": kept, "os": os, "json": json, "result": None}
    try:
        exec(code, space)
    except OSError as fault:
        return {"result": type(fault).__name__}
    except Exception as fault:
        return {"result": f"{type(fault).__name__}: {fault}"}
    return {"result": space["result"]}


serve()
