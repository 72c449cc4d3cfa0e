"""One connection that speaks HTTP/1.1, one request at a time."""

import asyncio
import select
import ssl
from typing import Self, cast

from teamspace.core.egress.bodies import Body, body_of
from teamspace.core.egress.heads import ResponseHead, read_head, write_head
from teamspace.core.egress.requests import ConnectionBroken, NoConnection, OutgoingRequest
from teamspace.core.egress.urls import Destination

_MAX_HEAD = 100 * 1024
_HEAD_END = b"\r\n\r\n"
_SWITCHED, _FINAL = 101, 200
"""Statuses. Those below the second announce another response."""
_MAX_BUFFERED = 64 * 1024
"""Bytes that may wait for their reader. Beyond that, the server must wait."""


class Http1Connection(asyncio.Protocol):
    """A connection. If anything goes wrong in a method, close it."""

    def __init__(self) -> None:
        self._method = ""
        self._keeps_alive = False
        self._body: Body
        self._received: list[bytes] = []
        self._size = 0
        self._is_idle, self._is_paused, self._has_ended = True, False, False
        self._fault: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._gives_up_at = 0.0

    @classmethod
    async def open(
        cls, address: str, port: int, certificates: ssl.SSLContext | None, host: str, seconds: float
    ) -> Self:
        """Connect; with certificates, use TLS and check that the server's is for `host`. Raises NoConnection."""
        loop = asyncio.get_running_loop()
        server_hostname = host if certificates else None
        try:
            async with asyncio.timeout(seconds):
                _, connection = await loop.create_connection(
                    cls, address, port, ssl=certificates, server_hostname=server_hostname
                )
        except OSError as fault:  # also timeouts and TLS
            raise NoConnection(str(fault)) from fault
        return connection

    def close(self) -> None:
        """Close it at once, also in the middle of a response."""
        self._is_idle = False
        self._stop_timer()
        self._transport.abort()

    @property
    def is_idle(self) -> bool:
        """Whether the response is complete, and nothing has come since, nor the end."""
        return self._is_idle and not self._has_ended

    @property
    def is_usable(self) -> bool:
        """Whether another request can be sent: the socket has nothing either that the event loop has not seen yet."""
        return self.is_idle and not self._poll.poll(0)

    # A request and its response

    def send(self, request: OutgoingRequest, target: Destination) -> None:
        length = (
            {"content-length": str(len(request.body))} if request.body or request.method not in ("GET", "HEAD") else {}
        )
        headers = {
            "host": target.authority, "accept-encoding": "identity", "user-agent": "teamspace", **request.headers,
            **length,
        }  # fmt: skip
        self._is_idle = False
        if self._has_ended:
            raise ConnectionBroken
        self._method = request.method
        self._transport.write(write_head(request.method, target.path or "/", headers) + request.body)

    async def receive_head(self, seconds: float, deadline: float) -> ResponseHead:
        """Return the status and the headers. Raises TimeoutError if nothing comes for some seconds."""
        received = b""
        while True:
            if asyncio.get_running_loop().time() > deadline:  # the server may send announcements without end
                raise TimeoutError
            head, received = await self._receive_one_head(received, seconds, deadline)
            if head.status >= _FINAL:
                break
            if head.status == _SWITCHED:
                raise ConnectionBroken
        self._keeps_alive = head.keeps_alive
        self._body = body_of(self._method, head, received)
        return head

    async def _receive_one_head(self, received: bytes, seconds: float, deadline: float) -> tuple[ResponseHead, bytes]:
        """Return a head, and what has come after it."""
        searched = 0
        while (end := received.find(_HEAD_END, searched)) < 0:
            if len(received) > _MAX_HEAD:
                raise ConnectionBroken
            searched = max(0, len(received) - len(_HEAD_END) + 1)
            if not (more := await self._receive(seconds, deadline)):
                raise ConnectionBroken
            received += more
        end += len(_HEAD_END)
        return read_head(received[:end]), received[end:]

    @property
    def pieces(self) -> int:
        """How many pieces of the body were read; several of them can be read at once."""
        return self._body.pieces

    async def receive_piece(self, seconds: float, deadline: float) -> bytes | None:
        """Return what has come of the body; None after its end."""
        body = self._body
        while not (piece := body.read()):
            if body.is_complete:
                self._end_response()
                return None
            received = await self._receive(seconds, deadline)
            body.rest += received
            if not received:
                body.end()
        return piece

    def _end_response(self) -> None:
        self._stop_timer()
        # More than the response would be taken for the response to the next request.
        self._is_idle = self._keeps_alive and not self._body.rest and not self._received

    async def _receive(self, seconds: float, deadline: float) -> bytes:
        if not self._received and not self._has_ended:
            await self._wait(seconds, deadline)
        return self._take_received()

    async def _wait(self, seconds: float, deadline: float) -> None:
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        self._give_up_at(loop, min(loop.time() + seconds, deadline))
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _give_up_at(self, loop: asyncio.AbstractEventLoop, when: float) -> None:
        """Wait until then. A later time than before is only noted, since a stream has a wait per token."""
        if self._timer is None or when < self._gives_up_at:
            self._stop_timer()
            self._timer = loop.call_at(when, self._time_out, loop)
        self._gives_up_at = when

    def _time_out(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        if self._waiter is None or self._waiter.done():
            return
        if loop.time() < self._gives_up_at:
            self._give_up_at(loop, self._gives_up_at)
        else:
            self._waiter.set_exception(TimeoutError())

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _take_received(self) -> bytes:
        """Return what has come; nothing at the end."""
        data = self._received[0] if len(self._received) == 1 else b"".join(self._received)
        self._received, self._size = [], 0
        if self._is_paused:
            self._is_paused = False
            self._transport.resume_reading()
        if not data and self._fault is not None:
            raise ConnectionBroken from self._fault
        return data

    # What the event loop calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports do not inherit from asyncio's.
        self._transport = cast(asyncio.Transport, transport)
        self._poll = select.poll()
        self._poll.register(transport.get_extra_info("socket").fileno(), select.POLLIN)

    def data_received(self, data: bytes) -> None:
        if self._is_idle:
            self.close()  # not a response to anything
            return
        self._received.append(data)
        self._size += len(data)
        if self._size > _MAX_BUFFERED and not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()
        self._wake()

    def connection_lost(self, fault: Exception | None) -> None:
        self._has_ended, self._fault = True, fault
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
