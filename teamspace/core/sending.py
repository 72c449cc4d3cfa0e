"""Answers on the wire: headers that every answer carries, JSON, bytes, streams and events."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

from teamspace.core.limits import Stopping
from teamspace.core.replies import Content, Download, Event, Events

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

HEARTBEAT_SECONDS = 15.0
WRITE_STALL_SECONDS = 30.0

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


class Outgoing(msgspec.Struct):
    """An answer, ready to be sent."""

    status: int
    body: bytes | AsyncIterator[bytes] = b""
    content_type: str | None = "application/json"
    headers: dict[str, str] = {}


class Wire:
    """Writes answers for one server: adds what they all carry, and ends streams when the server stops."""

    def __init__(self, stopping: Stopping, *, tls: bool) -> None:
        self._stopping = stopping
        self._always = [(b"strict-transport-security", b"max-age=31536000")] if tls else []

    async def send(self, send: Send, answer: Outgoing, request_id: str, *, head: bool) -> None:
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
            await self._stream(send, body)
        await send({"type": "http.response.body", "body": b""})

    async def _stream(self, send: Send, chunks: AsyncIterator[bytes]) -> None:
        async for chunk in chunks:
            async with asyncio.timeout(WRITE_STALL_SECONDS):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})

    def _headers(self, answer: Outgoing, request_id: str) -> Headers:
        headers = [*_API, *self._always, (b"x-request-id", request_id.encode())]
        if answer.content_type and answer.status not in (204, 304):
            headers.append((b"content-type", answer.content_type.encode()))
        if answer.headers:
            own = [(name.encode(), value.encode("latin-1")) for name, value in answer.headers.items()]
            replaced = {name for name, _ in own}
            headers = [pair for pair in headers if pair[0] not in replaced] + own
        return headers

    def content(self, reply: Content) -> Outgoing:
        return Outgoing(200, reply.body, reply.content_type, reply.headers)

    def download(self, reply: Download) -> Outgoing:
        size = {} if reply.size is None else {"content-length": str(reply.size)}
        return Outgoing(200, reply.chunks, reply.content_type, {**size, **reply.headers})

    def events(self, reply: Events) -> Outgoing:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return Outgoing(200, self._paced(reply.events), "text/event-stream; charset=utf-8", headers)

    async def _paced(self, events: AsyncIterator[Event]) -> AsyncIterator[bytes]:
        """Events as text, a comment when there is silence, and an end when the server stops."""
        stop = asyncio.ensure_future(self._stopping.wait())
        coming = asyncio.ensure_future(anext(events, None))
        try:
            while True:
                await asyncio.wait({stop, coming}, timeout=HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
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


def encoded(event: Event) -> bytes:
    number = b"" if event.id is None else b"id: %d\n" % event.id
    return number + b"event: " + event.name.encode() + b"\ndata: " + msgspec.json.encode(event.data) + b"\n\n"
