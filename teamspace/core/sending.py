"""Sends responses: common headers, JSON, bytes, streams and server-sent events."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, MutableMapping, Sequence
from typing import Any

import msgspec

from teamspace.core.disconnect import Disconnected, DisconnectWatch
from teamspace.core.limits import Stopping
from teamspace.core.replies import Content, Download, EventStream, Feed, Payer, ServerSentEvent

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

HEARTBEAT_SECONDS = 15.0
PING = b": ping\n\n"
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
_ENCODER = msgspec.json.Encoder()
_DEFAULT_NAMES = frozenset(name for name, _ in _API)


class Response(msgspec.Struct):
    """A response that is ready to be sent."""

    status: int
    body: bytes | AsyncGenerator[bytes, None] = b""
    content_type: str | None = "application/json"
    headers: dict[str, str] = {}
    """Override the common headers; an empty value removes one."""
    stays_open: bool = False
    """Whether it is a feed, which does not count as a download."""
    on_undelivered: Callable[[], Awaitable[None]] | None = None
    """Undoes what the response hands out; called if the client disconnects before it is sent."""
    sent: int = 0
    """How many bytes of the body were sent."""
    payer: Payer | None = None
    """Whose traffic it is, if the request has no credential."""

    @property
    def streams(self) -> bool:
        return not isinstance(self.body, bytes)


class ResponseWriter:
    """Sends responses: adds the common headers, and ends streams when the server stops."""

    def __init__(self, stopping: Stopping, *, tls: bool) -> None:
        self._stopping = stopping
        self._common: Headers = [*_API, (b"strict-transport-security", b"max-age=31536000")] if tls else _API
        self._replaceable = frozenset(dict(self._common)) | {b"x-request-id", b"content-type"}

    async def send(
        self, send: Send, response: Response, request_id: str, *, head: bool, disconnect: DisconnectWatch
    ) -> None:  # fmt: skip
        headers = self._headers(response, request_id)
        body = response.body
        if isinstance(body, bytes):
            if response.status not in (204, 304):
                headers.append((b"content-length", b"%d" % len(body)))
            await send({"type": "http.response.start", "status": response.status, "headers": headers})
            await send({"type": "http.response.body", "body": b"" if head else body})
            response.sent = 0 if head else len(body)
            return
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        if not head:
            await self._stream(send, response, body, disconnect)
        await send({"type": "http.response.body", "body": b""})

    async def _stream(
        self, send: Send, response: Response, chunks: AsyncGenerator[bytes, None], disconnect: DisconnectWatch
    ) -> None:
        """Send chunks as fast as the client reads; the server disconnects one that reads nothing for too long."""
        async with contextlib.aclosing(chunks):
            if not response.stays_open:
                async for chunk in chunks:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                    response.sent += len(chunk)
                return
            await self._follow(send, response, chunks, disconnect)

    async def _follow(
        self, send: Send, response: Response, chunks: AsyncGenerator[bytes, None], disconnect: DisconnectWatch
    ) -> None:
        """Send what a feed yields until the client disconnects or the server stops: both end the wait for a chunk."""
        gone, is_reading = disconnect.watch(), True

        def end(_: object = None) -> None:
            if is_reading and not reading.expired():
                reading.reschedule(0)

        try:
            async with asyncio.timeout(None) as reading:
                with self._stopping.signal.calling(end):
                    gone.add_done_callback(end)
                    async for chunk in chunks:
                        await send({"type": "http.response.body", "body": chunk, "more_body": True})
                        response.sent += len(chunk)
        except TimeoutError:
            if not reading.expired():
                raise
            if gone.done():
                raise Disconnected from None
        finally:
            is_reading = False
            gone.remove_done_callback(end)

    def _headers(self, response: Response, request_id: str) -> Headers:
        headers = [*self._common, (b"x-request-id", request_id.encode())]
        if response.content_type and response.status not in (204, 304):
            headers.append((b"content-type", response.content_type.encode()))
        if not response.headers:
            return headers
        own = {name.encode(): value.encode("latin-1") for name, value in response.headers.items()}
        if own.keys().isdisjoint(self._replaceable):
            return [*headers, *own.items()]
        return [pair for pair in headers if pair[0] not in own] + [
            pair for pair in own.items() if pair[1] or pair[0] not in _DEFAULT_NAMES
        ]

    def content(self, reply: Content) -> Response:
        return Response(reply.status, reply.body, reply.content_type, reply.headers, payer=reply.payer)

    def download(self, reply: Download) -> Response:
        size = {} if reply.size is None else {"content-length": str(reply.size)}
        stays_open = isinstance(reply, Feed)
        return Response(200, reply.chunks, reply.content_type, {**size, **reply.headers}, stays_open, payer=reply.payer)

    def events(self, reply: EventStream) -> Response:
        headers = {"x-accel-buffering": "no"}
        chunks = _encode_events(reply.batches)
        return Response(200, chunks, "text/event-stream", headers, stays_open=True)


async def _encode_events(batches: AsyncGenerator[Sequence[ServerSentEvent], None]) -> AsyncGenerator[bytes, None]:
    """Encode events that are ready together as one chunk, and a comment when there was none for a while."""
    now = asyncio.get_running_loop().time
    sent_at = now()
    async with contextlib.aclosing(batches):
        async for batch in batches:
            if batch:
                yield b"".join([encode_event(event) for event in batch])
            elif now() - sent_at < HEARTBEAT_SECONDS:
                continue
            else:
                yield PING
            sent_at = now()


def encode_event(event: ServerSentEvent) -> bytes:
    id = f"id: {event.id}\n" if event.id else ""
    name = f"event: {event.name}\n" if event.name else ""
    return b"%bdata: %b\n\n" % ((id + name).encode(), _ENCODER.encode(event.data))
