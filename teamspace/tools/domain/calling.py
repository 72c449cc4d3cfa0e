"""The gate of tools: every call passes the same checks, whoever makes it.

The tool exists and is on for the team; scope, feature and permission allow it; the arguments are valid. Then the call
is recorded in the audit log, the handler runs, and how it ended is recorded too: a call without an end was cut off by
the death of its server. Quotas are not checked here: a handler that calls a model spends them there, once.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import msgspec

from teamspace.core import json_body, plugin_calls, pools, text
from teamspace.core.db import Db, Tx, retry_on_conflict
from teamspace.core.decoding import convert
from teamspace.core.errors import (
    BadRequest,
    FeatureDisabled,
    Forbidden,
    NotFound,
    OutOfScope,
    Refusal,
    TooLarge,
    ToolDisabled,
)
from teamspace.core.permissions import Permission
from teamspace.core.plugin_calls import PluginGuard
from teamspace.core.principal import Principal
from teamspace.tools import store
from teamspace.tools.domain import external, results
from teamspace.tools.domain.binding import BoundTool
from teamspace.tools.schemas import ToolContext, ToolResult, ToolSwitch

MAX_ARGUMENTS = 5 * 1024 * 1024
"""In bytes of JSON: the longest text of a document, if every character of it is escaped, and some room."""
_THREAD_BYTES = 32 * 1024
_MAX_NAME = 64


class Toolbox:
    """All tools, by name."""

    def __init__(self, guard: PluginGuard) -> None:
        self._guard = guard
        self._by_name: dict[str, BoundTool] = {}

    def __iter__(self) -> Iterator[BoundTool]:
        return iter(self._by_name.values())

    def add(self, tools: Iterable[BoundTool]) -> None:
        self._by_name |= {tool.name: tool for tool in tools}

    def replace(self, source: str, tools: Iterable[BoundTool]) -> list[str]:
        """Replace all tools of a source; return the names that another source has, which are left out."""
        kept = {name: tool for name, tool in self._by_name.items() if tool.source != source}
        new = {tool.name: tool for tool in tools}
        self._by_name = new | kept
        return sorted(new.keys() & kept.keys())

    def get(self, name: str) -> BoundTool | None:
        return self._by_name.get(name)

    def find(self, name: str) -> BoundTool:
        if (tool := self.get(name)) is None:
            raise NotFound("tools.none")
        return tool

    async def list_offered(self, db: Db, who: Principal, names: Sequence[str] | None = None) -> list[BoundTool]:
        """Return the tools that `who` may call now, in the order of their names.

        Raises if one of the given names is not a tool, or is one that they may not call.
        """
        switches = {row.tool: row for row in await store.select(db, who.team_id)}
        for index, name in enumerate(names or ()):
            if name not in self._by_name:
                raise BadRequest.at(f"/tools/{index}", "tools.unknown")
            _check(who, self._by_name[name], switches.get(name))
        tools = [self._by_name[name] for name in sorted(set(self._by_name if names is None else names))]
        return [tool for tool in tools if _is_offered(who, tool, switches.get(tool.name))]

    async def call(
        self, db: Db, who: Principal, name: str, arguments: Mapping[str, Any], context: ToolContext
    ) -> ToolResult:
        """Call a tool as `who`; raise a Refusal if it may not be called like this, or if it refuses."""
        tool, parsed = await self.check(db, who, name, arguments, context)
        await _record(db, who, name, context, "admitted")
        async with _recorded_end(db, who, name, context):
            offered = {"db": db, "who": who, "context": context}
            given = {key: offered[key] for key in tool.wants} | tool.provided | tool.to_arguments(parsed)
            return await results.to_result(tool.row, await self._run(tool, given))

    async def check(
        self, db: Db, who: Principal, name: str, arguments: Mapping[str, Any], context: ToolContext
    ) -> tuple[BoundTool, Any]:
        """Return the tool and its parsed arguments; raise a Refusal, and record it, if it may not be called like this."""
        try:
            tool = self.find(name)
            if context.tools is not None and name not in context.tools:
                raise ToolDisabled("tools.not_offered", tool=name)
            await _check_caller(db, who, tool)
            return tool, await _parse(tool, arguments)
        except Refusal as refusal:
            await _record(db, who, name, context, refusal.code)
            raise

    async def _run(self, tool: BoundTool, given: Mapping[str, Any]) -> Any:
        if tool.is_external:
            return await tool.handler(**given)
        run = partial(retry_on_conflict, partial(tool.handler, **given))
        if tool.package.is_plugin:
            seconds = plugin_calls.SLOW_SECONDS if tool.row.slow else None
            return await self._guard.call(tool.source, f"the tool {tool.name}", run, seconds)
        return await run()

    async def refuse(self, db: Db, who: Principal, name: str, context: ToolContext, code: str) -> None:
        """Record a call that is refused before it reaches the gate."""
        await _record(db, who, name, context, code)


async def _check_caller(db: Db, who: Principal, tool: BoundTool) -> None:
    _check(who, tool, await store.find(db, who.team_id, tool.name))


def _is_offered(who: Principal, tool: BoundTool, switch: ToolSwitch | None) -> bool:
    try:
        _check(who, tool, switch)
    except Refusal:
        return False
    return True


def _check(who: Principal, tool: BoundTool, switch: ToolSwitch | None) -> None:
    """Raise unless the tool is on for the team, and scope, feature and permission allow it."""
    if not (switch.enabled if switch else tool.is_shipped):
        raise ToolDisabled("tools.off", tool=tool.name)
    if switch and tool.has_changed_since(switch):
        raise ToolDisabled("tools.changed", tool=tool.name)
    row = tool.row
    if not who.in_scope(row.needs):
        raise OutOfScope("rights.out_of_scope", permission=row.needs)
    if row.feature is not None and row.feature not in who.features:
        raise FeatureDisabled("rights.feature_off", feature=row.feature)
    if isinstance(row.permission, Permission) and not who.has_permission(row.permission):
        raise Forbidden("tools.needs", tool=tool.name, permission=row.permission)


async def _parse(tool: BoundTool, arguments: Mapping[str, Any]) -> Any:
    """Return the arguments as the tool takes them, or raise BadRequest naming the field."""
    try:
        encoded = msgspec.json.encode(arguments)
    except (UnicodeEncodeError, RecursionError):
        raise BadRequest.at("/arguments", "tools.not_json") from None
    if len(encoded) > MAX_ARGUMENTS:
        raise TooLarge("tools.too_large", limit=MAX_ARGUMENTS)
    if len(encoded) > _THREAD_BYTES:
        await pools.TEXT.run(_check_json, encoded)
    else:
        _check_json(encoded)
    if tool.arguments is not None:
        return convert(tool.arguments, arguments, within="/arguments")
    await external.validate(tool, encoded)
    return arguments


def _check_json(encoded: bytes) -> None:
    if json_body.is_too_deep(encoded):
        raise BadRequest.at("/arguments", "tools.too_deep", limit=json_body.MAX_DEPTH)
    if json_body.has_nul(encoded):
        raise BadRequest.at("/arguments", "tools.nul")


@asynccontextmanager
async def _recorded_end(db: Db, who: Principal, name: str, context: ToolContext) -> AsyncIterator[None]:
    """Record how the call ends: `ok`, the code with which its handler refuses, or `failed`."""
    outcome = "failed"
    try:
        yield
        outcome = "ok"
    except Refusal as refusal:
        outcome = refusal.code
        raise
    finally:
        # Also of a company that was suspended meanwhile: it has happened.
        # Nobody learns what a step has returned before its outcome is stored, and then this is durable too.
        durable = context.caller != "workflow"
        async with db.write(_without_key(who, while_suspended=True), "tool.end", durable=durable) as tx:
            _describe(tx, name, context, outcome)


async def _record(db: Db, who: Principal, name: str, context: ToolContext, outcome: str) -> None:
    async with db.write(_without_key(who), "tool.call") as tx:
        _describe(tx, name, context, outcome)


def _without_key(who: Principal, **changes: Any) -> Principal:
    """Return the caller without the request's idempotency key, which belongs to the effect of the tool."""
    return msgspec.structs.replace(who, call=msgspec.structs.replace(who.call, claim=None, **changes))


def _describe(tx: Tx, name: str, context: ToolContext, outcome: str) -> None:
    tx.target = text.one_line(name, max_length=_MAX_NAME)
    tx.detail = {"outcome": outcome, "caller": context.caller}
