"""Routes of the sample plugin."""

from typing import Any

import msgspec

from teamspace.core.db import Db
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.core.routing import BEARER, Route
from teamspace.tools import Toolbox, ToolContext

ROUTES = (
    Route("GET", "/api/x/sample/greeting/:name", BEARER, Permission.CHAT_USE, None, "greet", "Greet somebody."),
    Route("POST", "/api/x/sample/call/:tool", BEARER, Permission.CHAT_USE, None, "call", "Call a tool."),
)


class Greeting(msgspec.Struct, frozen=True):
    text: str


class Arguments(msgspec.Struct, frozen=True):
    arguments: dict[str, Any] = {}


async def greet(who: Principal, name: str) -> Greeting:
    return Greeting(f"Hello {name}, from {who.username}")


async def call(db: Db, who: Principal, toolbox: Toolbox, tool: str, body: Arguments) -> dict[str, Any]:
    result = await toolbox.call(db, who, tool, body.arguments, ToolContext("plugin"))
    return {"value": result.value, "shown": result.shown}
