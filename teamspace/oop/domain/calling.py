"""Calls the tools of a running plugin, each with a ticket and a deadline."""

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec

from teamspace.core.db import Db
from teamspace.core.errors import ToolFailed, UserError
from teamspace.core.principal import Principal
from teamspace.oop.domain import limits
from teamspace.oop.domain.session import Ended, PluginFailed, PluginSession, RequestRefused
from teamspace.oop.domain.tickets import Tickets
from teamspace.oop.schemas import PluginResult
from teamspace.tools import ToolContext

TICKET, DEADLINE = "teamspace/ticket", "teamspace/seconds"
"""In the `_meta` of a call: the ticket for capabilities, and how long the call may take."""


class PluginCalls:
    """The calls of one start of a plugin."""

    def __init__(self, plugin: str, session: PluginSession, tickets: Tickets) -> None:
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Ends with PluginFailed if a call shows that the plugin has to be ended."""
        self._plugin, self._session, self._tickets = plugin, session, tickets
        self._slots = asyncio.Semaphore(limits.CALLS)
        self._underway = set[asyncio.Task[PluginResult]]()

    def handler(self, tool: str) -> Any:
        """Return the function that the toolbox calls."""

        async def handle(db: Db, who: Principal, context: ToolContext, arguments: Mapping[str, Any]) -> Any:
            return await self._call(who, tool, arguments)

        return handle

    async def _call(self, who: Principal, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Call a tool. A caller who goes away ends the ticket; the plugin still has to answer in time."""
        # The request's idempotency key is not for what the plugin writes.
        caller = msgspec.structs.replace(who, call=msgspec.structs.replace(who.call, claim=None))
        with self._tickets.issue(caller, limits.CALL_SECONDS) as ticket:
            task = asyncio.create_task(self._finish_in_time(tool, arguments, ticket))
            self._underway.add(task)
            task.add_done_callback(self._forget)
            result = await asyncio.shield(task)
        if result.is_error:
            raise UserError(_text_of(result) or "The plugin gives no reason.")
        return result.structured if result.structured is not None else _text_of(result)

    def _forget(self, task: asyncio.Task[PluginResult]) -> None:
        self._underway.discard(task)
        if not task.cancelled():
            task.exception()  # its caller may have gone away

    async def _finish_in_time(self, tool: str, arguments: Mapping[str, Any], ticket: str) -> PluginResult:
        try:
            async with asyncio.timeout(limits.CALL_SECONDS), self._slots:
                return await self._session.call(tool, arguments, {TICKET: ticket, DEADLINE: limits.CALL_SECONDS})
        except TimeoutError:
            self._fail(f"did not answer a call of {tool} within {limits.CALL_SECONDS:g} seconds")
            raise ToolFailed("oop.timeout", plugin=self._plugin, seconds=int(limits.CALL_SECONDS)) from None
        except PluginFailed as fault:
            self._fail(str(fault))
            raise ToolFailed("oop.ended", plugin=self._plugin) from None
        except Ended:
            raise ToolFailed("oop.ended", plugin=self._plugin) from None
        except RequestRefused as refusal:
            raise ToolFailed("oop.answer", plugin=self._plugin, message=str(refusal)) from None

    def _fail(self, reason: str) -> None:
        if not self.failed.done():
            self.failed.set_exception(PluginFailed(reason))


def _text_of(result: PluginResult) -> str:
    blocks = (block.text if block.type == "text" else f"[{block.type[:40]} left out]" for block in result.content)
    return "\n".join(blocks)
