"""A running plugin: requests to it over its standard streams, as a client of the Model Context Protocol."""

import asyncio
import contextlib
import itertools
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from teamspace import __version__
from teamspace.core import text
from teamspace.oop.domain import limits, messages
from teamspace.oop.schemas import PluginMessage, PluginResult, PluginRpcError, PluginTool, PluginToolPage
from teamspace.sandbox import SandboxedProgram

_WITH_HANDSHAKE, _STATELESS = "2025-11-25", "2026-07-28"
_VERSION, _CLIENT = "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientInfo"
_INFO = {"name": "teamspace", "version": __version__}
_METHOD_NOT_FOUND = -32601


class PluginFailed(Exception):
    """A plugin does not do what a plugin must; it is ended. The message says what, for operators."""


class Ended(Exception):
    """The plugin has ended before it has answered."""


class RequestRefused(Exception):
    """A plugin answers a request with an error."""

    def __init__(self, error: PluginRpcError) -> None:
        super().__init__(error.message[:1000])
        self.code = error.code


class PluginSession:
    def __init__(self, program: SandboxedProgram) -> None:
        self._program = program
        self._ids, self._pending = itertools.count(1), dict[int, asyncio.Future[Any]]()
        self._is_over = False
        self._meta: dict[str, Any] = {}

    @property
    def last_words(self) -> str:
        """The last line that it has written to standard error."""
        lines = self._program.errors
        return text.one_line(lines[-1], max_length=500) if lines else ""

    # Requests

    async def open(self) -> list[PluginTool]:
        """Agree on a version of the protocol; return the plugin's tools."""
        try:
            hello = {"protocolVersion": _WITH_HANDSHAKE, "capabilities": {}, "clientInfo": _INFO}
            await self._request("initialize", hello)
            await self._send({"method": "notifications/initialized"})
        except RequestRefused as refusal:
            if refusal.code != _METHOD_NOT_FOUND:
                raise PluginFailed(f"refuses the handshake: {refusal}") from None
            await self._discover()
        return await self._list_tools()

    async def _discover(self) -> None:
        self._meta = {_VERSION: _STATELESS, _CLIENT: _INFO}
        try:
            await self._request("server/discover", {})
        except RequestRefused as refusal:
            raise PluginFailed(f"refuses the handshake: {refusal}") from None

    async def _list_tools(self) -> list[PluginTool]:
        tools, cursor = list[PluginTool](), None
        while len(tools) < limits.TOOLS:
            try:
                result = await self._request("tools/list", {"cursor": cursor} if cursor else {})
                page = msgspec.convert(result, PluginToolPage)
            except (RequestRefused, msgspec.ValidationError) as fault:
                raise PluginFailed(f"does not list its tools: {fault}") from None
            tools += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        return tools[: limits.TOOLS]

    async def call(self, tool: str, arguments: Mapping[str, Any], meta: Mapping[str, Any]) -> PluginResult:
        """Call a tool; raise RequestRefused or Ended. Cancelled, it tells the plugin."""
        result = await self._request("tools/call", {"name": tool, "arguments": arguments, "_meta": meta})
        try:
            return msgspec.convert(result, PluginResult)
        except msgspec.ValidationError as fault:
            raise PluginFailed(f"sends a result that is none: {fault}") from None

    async def _request(self, method: str, params: Mapping[str, Any]) -> Any:
        if self._is_over:
            raise Ended
        number, answer = next(self._ids), asyncio.get_running_loop().create_future()
        self._pending[number] = answer
        meta = {**self._meta, **params.get("_meta", {})}
        try:
            await self._send({"id": number, "method": method, "params": {**params, "_meta": meta} if meta else params})
            return await answer
        except asyncio.CancelledError:
            self._cancel(number)
            raise
        except (BrokenPipeError, ConnectionResetError):
            raise Ended from None
        finally:
            self._pending.pop(number, None)

    async def _send(self, message: Mapping[str, Any]) -> None:
        line = msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n"
        if len(line) > limits.SENT_BYTES:
            raise RequestRefused(PluginRpcError(0, f"The arguments have more than {limits.SENT_BYTES} bytes."))
        self._program.stdin.write(line)
        await self._program.stdin.drain()

    def _cancel(self, number: int) -> None:
        notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
        with contextlib.suppress(OSError, RuntimeError):
            self._program.stdin.write(msgspec.json.encode(notice) + b"\n")

    # What it sends

    async def read(self) -> None:
        """Read what the plugin sends, until it ends or sends what it must not."""
        try:
            async for message in messages.read(self._program.stdout, limits.RECEIVED_BYTES, self._is_answer):
                await self._receive(message)
        except messages.BadPluginMessage as fault:
            raise PluginFailed(str(fault)) from None

    def _is_answer(self, message: PluginMessage) -> bool:
        """Return whether it answers a request that waits for it; there are only as many as we have made."""
        waiting = self._pending.get(message.id) if isinstance(message.id, int) else None
        return message.method is None and waiting is not None and not waiting.done()

    async def _receive(self, message: PluginMessage) -> None:
        if message.method is not None:
            if message.id is not None:
                await self._answer(message)
            return
        waiting = self._pending.get(message.id) if isinstance(message.id, int) else None
        if waiting is None or waiting.done():
            return
        if message.error is not UNSET:
            waiting.set_exception(RequestRefused(message.error))
        else:
            waiting.set_result(message.result)

    async def _answer(self, request: PluginMessage) -> None:
        """Answer a request on this channel: there is nothing to ask for but a sign of life."""
        with contextlib.suppress(OSError):
            if request.method == "ping":
                await self._send({"id": request.id, "result": {}})
            else:
                error = PluginRpcError(
                    _METHOD_NOT_FOUND, "Method not found; capabilities are asked for on descriptor 3"
                )
                await self._send({"id": request.id, "error": {"code": error.code, "message": error.message}})

    # Its end

    async def wait(self) -> int:
        """Wait for the end of the plugin."""
        return await self._program.wait()

    def end(self) -> None:
        """End all requests: the plugin ends."""
        self._is_over = True
        for answer in self._pending.values():
            if not answer.done():
                answer.set_exception(Ended())
