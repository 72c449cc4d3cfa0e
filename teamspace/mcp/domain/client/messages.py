"""Messages of servers, checked before the SDK decodes them: decoding holds the event loop, and each starts a task."""

import asyncio
import re
from collections.abc import AsyncIterable, AsyncIterator
from typing import Any

import msgspec
from msgspec import UNSET

from teamspace.core import json_body, pools
from teamspace.core.egress import EgressFailed, EgressFault
from teamspace.core.errors import Overloaded, RateLimited
from teamspace.core.limits import Rate

MAX_BYTES = 4 * 1024 * 1024
MAX_CONTAINERS, MAX_VALUES = 15_000, 150_000
"""Objects and lists, and all values, in a message."""
MAX_ITEMS = 1000
"""Tools on a page, or parts of a result. The SDK takes ten microseconds for each, also for wrong ones."""
_THREAD_BYTES = 32 * 1024
_AT_ONCE, _PAUSE_SECONDS = 20, 0.01
"""The SDK takes up to a millisecond for a message."""
_REQUESTS_PER_MINUTE, _REQUESTS_AT_ONCE = 60, 20
"""Requests of a server to us. A server that does not read our answers would pile them up."""
_NEWLINE = rb"(?:\r\n|\n|\r(?!\n))"
_EVENT_END = re.compile(_NEWLINE + _NEWLINE)
_LONGEST_END = 4
_RESUMPTION = re.compile(rb"(?:\A|(?<=[\r\n]))(?:id|retry)(?::[^\r\n]*)?" + _NEWLINE)
_REFUSED, _REFUSED_EVENT = b"{}", b"data: {}\n\n"
_DATA = re.compile(rb"(?:\A|(?<=[\r\n]))data: ?([^\r\n]*)")


TOO_LARGE = "the answer is too large"


class BadMessage(Exception):
    """A message must not be decoded; the text says why."""


class BadServer(Exception):
    """Nothing that a server sends should be read any more; the text says why."""


class _Message(msgspec.Struct, frozen=True):
    method: Any = UNSET
    id: Any = UNSET
    result: Any = None

    @property
    def is_request(self) -> bool:
        return self.method is not UNSET and self.id is not UNSET


class Intake:
    """Admits what one server sends, at a limited rate."""

    def __init__(self) -> None:
        self._count = 0
        self._requests = Rate(_REQUESTS_PER_MINUTE, _REQUESTS_AT_ONCE)

    async def admit(self, message: bytes) -> bool:
        """Return whether it is JSON; raise BadMessage if it must not be decoded, or BadServer. Waits if there are many."""
        self._count += 1
        if self._count % _AT_ONCE == 0:
            await asyncio.sleep(_PAUSE_SECONDS)
        decoded = await _examine(message)
        if decoded is not None and decoded.is_request:
            self._count_request()
        return decoded is not None

    def _count_request(self) -> None:
        try:
            self._requests.spend("")
        except RateLimited:
            raise BadServer("it sent too many requests") from None

    async def filter_pieces(self, content_type: str, pieces: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
        """Pass on the body of a response when the messages in it are admitted: event by event, or as a whole.

        Others are replaced by one that the SDK refuses. Ids and retry times of events are removed: with them a server
        could make the SDK reconnect without end.
        """
        is_stream = content_type.lower().startswith("text/event-stream")
        pending = bytearray()
        async for piece in pieces:
            searched = max(0, len(pending) - _LONGEST_END)
            pending += piece
            start = 0
            for end in [found.end() for found in _EVENT_END.finditer(pending, searched)] if is_stream else ():
                yield await self._filter_event(bytes(pending[start:end]))
                start = end
            del pending[:start]
            if len(pending) > MAX_BYTES:
                yield _REFUSED_EVENT if is_stream else _REFUSED
                return
        if pending:
            yield bytes(pending) if await self._is_admitted(bytes(pending)) else _REFUSED

    async def _filter_event(self, event: bytes) -> bytes:
        is_admitted = await self._is_admitted(b"\n".join(_DATA.findall(event)))
        return _RESUMPTION.sub(b"", event) if is_admitted else _REFUSED_EVENT

    async def _is_admitted(self, message: bytes) -> bool:
        try:
            await self.admit(message)
        except BadMessage:
            return False
        except BadServer:
            raise EgressFailed(EgressFault.TOO_MANY_PIECES) from None
        return True


async def _examine(message: bytes) -> _Message | None:
    """Return a message; None if it is not JSON."""
    if len(message) <= _THREAD_BYTES:
        return _decode(message)
    while True:
        try:
            return await pools.TEXT.run(_decode, message)
        except Overloaded:
            await asyncio.sleep(0.5)


def _decode(message: bytes) -> _Message | None:
    if json_body.has_too_many_values(message, MAX_CONTAINERS, MAX_VALUES):
        raise BadMessage(f"{TOO_LARGE}: more than {MAX_CONTAINERS} objects and lists, or {MAX_VALUES} values")
    if json_body.is_too_deep(message):
        raise BadMessage(f"{TOO_LARGE}: nested more than {json_body.MAX_DEPTH} levels deep")
    try:
        decoded = msgspec.json.decode(message, type=_Message)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    result = decoded.result if isinstance(decoded.result, dict) else {}
    for name in ("tools", "content"):
        if isinstance(items := result.get(name), list) and len(items) > MAX_ITEMS:
            raise BadMessage(f"{TOO_LARGE}: more than {MAX_ITEMS} items in {name}")
    return decoded
