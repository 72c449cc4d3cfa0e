"""Answers on the wire: headers that every answer carries, JSON, bytes, streams and events."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from typing import Any

import msgspec

from teamspace.core.departure import Departure, Disconnected
from teamspace.core.limits import Stopping
from teamspace.core.replies import Content, Download, Event, Events

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

HEARTBEAT_SECONDS = 15.0
WRITE_STALL_SECONDS = 30.0
PIECE = 256 * 1024
"""The HTTP server queues about eight pieces for each connection: their size is what a stalled reader costs (3 MiB with
these, 9 MiB with pieces of 1 MiB). Smaller ones cost more time for each byte: 64 KiB 40 % more than 1 MiB, these 14 %."""

_COMMON: Headers = [
    (b"x-api-version", b"1"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]
_API: Headers = [
    *_COMMON,
    (b"cache-control", b"private, no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
]
_USUAL = frozenset(name for name, _ in _API)


class Outgoing(msgspec.Struct):
    """An answer, ready to be sent."""

    status: int
    body: bytes | AsyncIterator[bytes] = b""
    content_type: str | None = "application/json"
    headers: dict[str, str] = {}
    """In place of those that every answer carries; an empty one takes that away."""
    undelivered: Callable[[], Awaitable[None]] | None = None
    """Takes back what was given with this answer; called when the client has gone before it."""

    @property
    def streams(self) -> bool:
        return not isinstance(self.body, bytes)


class Wire:
    """Writes answers for one server: adds what they all carry, and ends streams when the server stops."""

    def __init__(self, stopping: Stopping, *, tls: bool) -> None:
        self._stopping = stopping
        self._always = [(b"strict-transport-security", b"max-age=31536000")] if tls else []

    async def send(
        self, send: Send, answer: Outgoing, request_id: str, *, head: bool, departure: Departure
    ) -> None:  # fmt: skip
        headers = self._headers(answer, request_id)
        body = answer.body
        if isinstance(body, bytes):
            if answer.status not in (204, 304):
                headers.append((b"content-length", b"%d" % len(body)))
            await send({"type": "http.response.start", "status": answer.status, "headers": headers})
            await send({"type": "http.response.body", "body": b"" if head else body})
            return
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        if not head:
            await self._stream(send, body, departure)
        await send({"type": "http.response.body", "body": b""})

    async def _stream(self, send: Send, chunks: AsyncIterator[bytes], departure: Departure) -> None:
        """Nothing more is read once the client has gone; one that takes nothing for long counts as gone."""
        departure.watched()
        now = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(WRITE_STALL_SECONDS) as stall, contextlib.aclosing(chunks):  # type: ignore[type-var]
                async for chunk in chunks:
                    await asyncio.sleep(0)  # what is sent to nobody is taken at once: the report must get its turn
                    for piece in _pieces(chunk):
                        await send({"type": "http.response.body", "body": piece, "more_body": True})
                        if departure.happened:
                            raise Disconnected
                        stall.reschedule(now() + WRITE_STALL_SECONDS)
        except TimeoutError:
            raise Disconnected from None

    def _headers(self, answer: Outgoing, request_id: str) -> Headers:
        headers = [*_API, *self._always, (b"x-request-id", request_id.encode())]
        if answer.content_type and answer.status not in (204, 304):
            headers.append((b"content-type", answer.content_type.encode()))
        if answer.headers:
            own = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers.items()]
            replaced = {name for name, _ in own}
            headers = [pair for pair in headers if pair[0] not in replaced] + [
                pair for pair in own if pair[1] or pair[0] not in _USUAL
            ]
        return headers

    def content(self, reply: Content) -> Outgoing:
        return Outgoing(200, reply.body, reply.content_type, reply.headers)

    def download(self, reply: Download) -> Outgoing:
        size = {} if reply.size is None else {"content-length": str(reply.size)}
        return Outgoing(200, reply.chunks, reply.content_type, {**size, **reply.headers})

    def events(self, reply: Events, departure: Departure) -> Outgoing:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return Outgoing(200, self._paced(reply.events, departure), "text/event-stream; charset=utf-8", headers)

    async def _paced(self, events: AsyncIterator[Event], departure: Departure) -> AsyncIterator[bytes]:
        """Events as text, a comment when there is silence, and an end when the server stops or the client has gone."""
        gone = departure.watched()
        stop = asyncio.ensure_future(self._stopping.wait())
        coming = asyncio.ensure_future(anext(events, None))
        try:
            while True:
                ends: tuple[asyncio.Future[Any], ...] = (stop, gone, coming)
                await asyncio.wait(ends, timeout=HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                if gone.done():
                    return
                if coming.done():
                    event = coming.result()
                    if event is None:
                        return
                    coming = asyncio.ensure_future(anext(events, None))
                    yield encoded(event)
                elif stop.done():
                    return
                else:
                    yield b": still here\n\n"
        finally:
            stop.cancel()
            coming.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await coming
            await events.aclose()  # type: ignore[attr-defined]


def _pieces(chunk: bytes) -> Iterable[bytes]:
    if len(chunk) <= PIECE:
        return (chunk,)
    return (chunk[start : start + PIECE] for start in range(0, len(chunk), PIECE))


def encoded(event: Event) -> bytes:
    number = b"" if event.id is None else b"id: %d\n" % event.id
    return number + b"event: " + event.name.encode() + b"\ndata: " + msgspec.json.encode(event.data) + b"\n\n"
