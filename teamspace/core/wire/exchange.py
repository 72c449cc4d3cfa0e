"""One request and its response: the two callables that the application gets."""

import asyncio
from collections.abc import MutableMapping, Sequence
from typing import Any, Protocol

from teamspace.core.disconnect import Disconnected
from teamspace.core.wire import heads
from teamspace.core.wire.limits import WireLimits

Message = MutableMapping[str, Any]

_WITHOUT_BODY = frozenset({204, 304})
_BUSY = 503
_COPIED = 16 * 1024
"""Up to here a copy is cheaper than a second buffer; a larger one would be kept for a client that stalls."""


class Carrier(Protocol):
    """The connection, as an exchange sees it."""

    limits: WireLimits

    @property
    def draining(self) -> bool: ...

    def write(self, data: bytes) -> None: ...

    def write_parts(self, parts: list[bytes | memoryview]) -> None: ...

    async def flush(self) -> None: ...

    def want_body(self, exchange: "Exchange") -> None: ...

    def take_body(self) -> None: ...


class Exchange:
    __slots__ = (
        "_carrier",
        "_chunked",
        "_head",
        "_is_read",
        "_left",
        "_may_expect",
        "_omits_body",
        "_pieces",
        "_waiter",
        "body_ended",
        "buffered",
        "finished",
        "gone",
        "is_busy",
        "keep_alive",
        "scope",
        "started",
    )

    def __init__(self, carrier: Carrier, scope: Message, *, keep_alive: bool) -> None:
        self._carrier, self.scope, self.keep_alive = carrier, scope, keep_alive
        self._may_expect = True
        self._pieces: list[bytes] = []
        self.buffered = 0
        """Bytes of the body that arrived and were not read."""
        self.body_ended = False
        """Whether the whole request has arrived."""
        self._is_read = False
        """Whether the application has received the end of the body."""
        self._waiter: asyncio.Future[None] | None = None
        self.gone = False
        """Whether the client disconnected, or the rest of its request is malformed."""
        self.started = self.finished = False
        """Whether the response has begun, and whether all of it was handed to the socket."""
        self.is_busy = False
        """Whether the response says that the server is too busy."""
        self._head = b""
        self._chunked = self._omits_body = False
        self._left: int | None = None
        """Bytes of the response's body that are still to be sent; None if its length was not declared."""

    # For the connection

    def feed(self, piece: bytes) -> None:
        if not self.finished:
            self._pieces.append(piece)
            self.buffered += len(piece)
            self._wake()

    def end_body(self) -> None:
        self.body_ended = True
        self._wake()

    def take_expectation(self) -> bool:
        """Return, once, whether the client waits for `100 Continue` before it sends the body."""
        asks = self._may_expect and self.scope["http_version"] == "1.1"
        self._may_expect = False
        return asks and any(name == b"expect" for name, _ in self.scope["headers"])

    def disconnect(self) -> None:
        self.gone = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def _wait(self) -> None:
        if self._waiter is None or self._waiter.done():
            self._waiter = asyncio.get_running_loop().create_future()
        await self._waiter

    # For the application

    async def receive(self) -> Message:
        """Return the next part of the body, or, after its end, wait until the client disconnects."""
        while not (self._pieces or self.body_ended or self.gone or self.finished):
            self._carrier.want_body(self)
            await self._wait()
        while self._is_read and not (self.gone or self.finished):
            await self._wait()
        if self.gone or self.finished:
            return {"type": "http.disconnect"}
        body = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        self._pieces.clear()
        self.buffered, self._is_read = 0, self.body_ended
        self._carrier.take_body()
        return {"type": "http.request", "body": body, "more_body": not self.body_ended}

    async def send(self, message: Message) -> None:
        """Send the head or a part of the body; wait while the client reads too slowly."""
        if self.gone:
            raise Disconnected
        if message["type"] == "http.response.start":
            self._start(message["status"], message["headers"])
        else:
            await self._send_body(message.get("body", b""), more=message.get("more_body", False))

    def _start(self, status: int, headers: Sequence[tuple[bytes, bytes]]) -> None:
        if self.started:
            raise RuntimeError("the response has already begun")
        self.started, named = True, dict(headers)
        self.is_busy = status == _BUSY and b"retry-after" in named
        if b"connection" in named:  # the application only ever asks to close
            self.keep_alive = False
            headers = [header for header in headers if header[0] != b"connection"]
        if not self.body_ended or self._carrier.draining:
            self.keep_alive = False  # what follows an unread body is no request
        self._head = heads.encode_head(status, headers, self._framing(status, named.get(b"content-length")))

    def _framing(self, status: int, length: bytes | None) -> bytes:
        """Decide how the client knows where the response ends; return the header lines that say so."""
        lines = b""
        is_old = self.scope["http_version"] == "1.0"
        if self.scope["method"] == "HEAD" or status in _WITHOUT_BODY:
            self._omits_body = True
        elif length is not None:
            self._left = int(length)
        elif is_old:
            self.keep_alive = False
        else:
            self._chunked = True
            lines = heads.CHUNKED
        if not self.keep_alive:
            return lines + heads.CLOSE
        return lines + heads.KEEP_ALIVE if is_old else lines

    async def _send_body(self, body: bytes, *, more: bool) -> None:
        if not self.started:
            raise RuntimeError("the response has no head")
        size, end = self._carrier.limits.piece, len(body)
        if end <= size:
            head, framed = self._take_head(), self._frame(body, is_last=not more)
            if head and end > _COPIED:
                self._carrier.write_parts([head, framed])
            else:
                self._carrier.write(head + framed)
            if more:
                await self._flush()
            else:
                self._finish()
            return
        view = memoryview(body)  # a slice of it is no copy, which would be kept for a client that stalls
        for start in range(0, end, size):
            is_last = not more and start + size >= end
            self._carrier.write_parts(
                [self._take_head(), *self._frame_view(view[start : start + size], is_last=is_last)]
            )
            if is_last:
                self._finish()
            else:
                await self._flush()

    def _take_head(self) -> bytes:
        head, self._head = self._head, b""
        return head

    async def _flush(self) -> None:
        await self._carrier.flush()
        if self.gone:
            raise Disconnected

    def _frame(self, piece: bytes, *, is_last: bool) -> bytes:
        if self._omits_body:
            return b""
        if self._chunked:
            chunk = b"%x\r\n%b\r\n" % (len(piece), piece) if piece else b""
            return chunk + heads.LAST_CHUNK if is_last else chunk
        self._count(piece)
        return piece

    def _frame_view(self, piece: memoryview, *, is_last: bool) -> list[bytes | memoryview]:
        if self._omits_body:
            return []
        if self._chunked:
            return [b"%x\r\n" % len(piece), piece, b"\r\n" + heads.LAST_CHUNK if is_last else b"\r\n"]
        self._count(piece)
        return [piece]

    def _count(self, piece: bytes | memoryview) -> None:
        if self._left is not None:
            if len(piece) > self._left:
                raise RuntimeError("the response is longer than its content-length")
            self._left -= len(piece)

    def _finish(self) -> None:
        if self._left:
            # The client still waits for the rest: it must not take the next response for that.
            self.keep_alive = False
        self.finished, self._head = True, b""
        self._pieces.clear()
        self._wake()
