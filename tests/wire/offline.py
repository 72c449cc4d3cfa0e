"""A connection on a transport without a socket: what becomes of bytes, in the pieces in which they arrive."""

import asyncio
import re
from typing import Any, NamedTuple

from teamspace.core.wire import WireLimits
from teamspace.core.wire.connection import Connection
from teamspace.core.wire.exchange import Message
from teamspace.core.wire.start_queue import StartQueue
from tests.wire.help import Receive, Send, read_body, respond

LIMITS = WireLimits(head=2_000, headers=20, framing=500, framing_ratio=4, pipelined=4, read_ahead=500, piece=300)
_STATUS = re.compile(rb"HTTP/1\.1 ([2-5]\d\d) ")


class FakeTransport(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self, connection: Connection) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.written, self.closed, self.ended, self._connection = bytearray(), False, False, connection

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0

    def write(self, data: Any) -> None:
        assert not self.closed, "it writes to a closed connection"
        self.written += data

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.ended = True

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        if not self.closed:
            self.closed = self.ended = True
            asyncio.get_running_loop().call_soon(self._connection.connection_lost, None)


class Observer:
    """The server of one connection: its application notes what it gets."""

    limits, draining = LIMITS, False

    def __init__(self) -> None:
        self.seen: list[tuple[str, bytes, bytes]] = []
        self.running = 0
        self.starts = StartQueue(1)

    def admit(self, connection: Connection) -> bool:
        return True

    def release(self, connection: Connection) -> None: ...

    def is_proxy(self, connection: Connection) -> bool:
        return False

    async def app(self, scope: Message, receive: Receive, send: Send) -> None:
        self.running += 1
        try:
            body = await read_body(receive)
            declared = dict(scope["headers"]).get(b"content-length")
            assert declared is None or len(body) == int(declared)
            assert len(scope["headers"]) <= LIMITS.headers
            self.seen.append((scope["method"], scope["raw_path"], body))
            await respond(send, b"ok")
        finally:
            self.running -= 1


class Outcome(NamedTuple):
    statuses: tuple[int, ...]
    closes: bool
    seen: list[tuple[str, bytes, bytes]]
    """Method, path and body of each request that reached the application."""


async def play(pieces: list[bytes]) -> Outcome:
    """Send the pieces; return what becomes of them."""
    observer = Observer()
    connection = Connection(observer, asyncio.get_running_loop())
    transport = FakeTransport(connection)
    connection.connection_made(transport)
    # What has come of a head with the end of an earlier request is not counted until the head is complete.
    most_kept = LIMITS.head + 2 * max(map(len, pieces), default=0)
    for piece in pieces:
        if transport.closed:
            break
        connection.data_received(piece)
        kept = len(connection._url) + sum(len(name) + len(value) for name, value in connection._headers)
        assert kept <= most_kept
        assert len(connection._queue) <= LIMITS.pipelined
        for _ in range(3):
            await asyncio.sleep(0)
    for _ in range(30):
        await asyncio.sleep(0)
    statuses = tuple(map(int, _STATUS.findall(transport.written)))
    closes = transport.ended
    transport.abort()
    for _ in range(5):
        await asyncio.sleep(0)
    assert 500 not in statuses
    assert not observer.running, "a request outlived its connection"
    return Outcome(statuses, closes, observer.seen)
