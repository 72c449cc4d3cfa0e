"""The tools of a server, within limits: what is too large is left out, and named."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import msgspec

from teamspace.core import text
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.mcp.domain.client import naming
from teamspace.mcp.domain.client.sessions import McpSession
from teamspace.mcp.schemas import ToolDefinition
from teamspace.tools import BoundTool, ToolContext, bind_external

MAX_TOOLS, MAX_PAGES = 200, 100
_MAX_NAME = 1000
_SHOWN_NAME = 60

Caller = Callable[[ToolDefinition, dict[str, Any], "ToolCaller"], Awaitable[Any]]


class ToolCaller(msgspec.Struct, frozen=True):
    """Who calls a tool, and for what."""

    db: Db
    who: Principal
    context: ToolContext


class ListedTool(msgspec.Struct, frozen=True):
    definition: ToolDefinition
    bound: BoundTool


class Listing(msgspec.Struct, frozen=True):
    tools: tuple[ListedTool, ...] = ()
    left_out: tuple[str, ...] = ()
    """What was left out, and why."""

    def without(self, names: Iterable[str], why: str) -> "Listing":
        """Return the listing without some tools, by their names in the toolbox."""
        gone = set(names)
        left_out = [f"{name} ({why})" for name in sorted(gone)]
        kept = tuple(tool for tool in self.tools if tool.bound.name not in gone)
        return Listing(kept, (*self.left_out, *left_out))


async def fetch(session: McpSession, source: str, server: str, call: Caller, former: Listing) -> Listing:
    """List the tools of a server; those that are as before are not checked again."""
    definitions, left_out = await _fetch_definitions(session)
    names = naming.to_registry_names(server, [definition.name for definition in definitions])
    known = {tool.bound.name: tool for tool in former.tools}
    tools = list[ListedTool]()
    for name, definition in zip(names, definitions, strict=True):
        before = known.get(name)
        if before is not None and before.definition == definition:
            tools.append(before)
            continue
        try:
            bound = await bind_external(
                source, name, definition.description, definition.schema, _bound(call, definition)
            )
            tools.append(ListedTool(definition, bound))
        except ValueError as fault:
            left_out.append(f"{text.one_line(definition.name, max_length=_SHOWN_NAME)} ({fault})")
    return Listing(tuple(tools), tuple(left_out))


async def _fetch_definitions(session: McpSession) -> tuple[list[ToolDefinition], list[str]]:
    """Return the tools by their names, and what was left out."""
    found, left_out, cursor = dict[str, ToolDefinition](), list[str](), None
    for _ in range(MAX_PAGES):
        page, cursor = await session.list_page(cursor)
        for definition in page:
            if len(definition.name) > _MAX_NAME or definition.name in found:
                left_out.append(
                    f"{text.one_line(definition.name, max_length=_SHOWN_NAME)} (listed twice, or too long a name)"
                )
            else:
                found[definition.name] = definition
        if cursor is None or len(found) > MAX_TOOLS:
            break
    if cursor is not None or len(found) > MAX_TOOLS:
        left_out.append(f"the tools after the first {min(len(found), MAX_TOOLS)}")
    return list(found.values())[:MAX_TOOLS], left_out[:MAX_TOOLS]


def _bound(call: Caller, definition: ToolDefinition) -> Callable[..., Awaitable[Any]]:
    async def handler(db: Db, who: Principal, context: ToolContext, arguments: dict[str, Any]) -> Any:
        return await call(definition, arguments, ToolCaller(db, who, context))

    return handler
