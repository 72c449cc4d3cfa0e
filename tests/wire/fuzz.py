"""Fuzzes the HTTP server: mutated requests, in random pieces, on a transport without a socket.

`python -m tests.wire.fuzz --seconds 3600` runs for an hour; the test suite runs it for a moment. Whatever the bytes:

- no exception leaves the protocol, and no task is left behind;
- the answers do not depend on how the bytes were cut;
- what is kept of a request stays within the limits;
- an application never sees a request that another reading of the bytes could place elsewhere: its body has the declared
  length, and a connection that refused something reads no more.
"""

import argparse
import asyncio
import random
import time
from itertools import pairwise
from typing import Any

import uvloop

from teamspace.core.wire import WireLimits
from teamspace.core.wire.connection import Connection
from teamspace.core.wire.exchange import Message
from teamspace.core.wire.start_queue import StartQueue
from tests.wire.help import Receive, Send, read_body, respond
from tests.wire.test_framing import MALFORMED, VALID

LIMITS = WireLimits(head=2_000, headers=20, framing=500, framing_ratio=4, pipelined=4, read_ahead=500, piece=300)
SEEDS = [*VALID.values(), *MALFORMED.values()]
TOKENS = [
    b"\r\n", b"\n", b"\r", b"\r\n\r\n", b" ", b"\t", b":", b"0\r\n\r\n", b"chunked", b"Transfer-Encoding: chunked\r\n",
    b"Content-Length: 3\r\n", b"Content-Length: 0\r\n", b"Host: a\r\n", b"Connection: close\r\n", b"Expect: 100-continue\r\n",
    b"Upgrade: h2c\r\nConnection: upgrade\r\n", b"HTTP/1.1", b"HTTP/1.0", b"GET / ", b"POST / ", b"HEAD / ", b"\0", b"\xff",
    b"ffffffffffffffff", b"1\r\na\r\n", b";x=y", b"X: " + b"y" * 300 + b"\r\n",
]  # fmt: skip


class FakeTransport(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self, connection: Connection) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.written, self.closed, self._connection = bytearray(), False, connection

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0

    def write(self, data: Any) -> None:
        assert not self.closed, "it writes to a closed connection"
        self.written += data

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        if not self.closed:
            self.closed = True
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


async def play(pieces: list[bytes]) -> tuple[list[tuple[str, bytes, bytes]], int]:
    """Send the pieces; return what the application saw, and how many responses there were."""
    observer = Observer()
    connection = Connection(observer, asyncio.get_running_loop())
    transport = FakeTransport(connection)
    connection.connection_made(transport)
    for piece in pieces:
        if transport.closed:
            break
        connection.data_received(piece)
        kept = len(connection._url) + sum(len(name) + len(value) for name, value in connection._headers)
        assert kept <= LIMITS.head + len(piece)
        assert len(connection._queue) <= LIMITS.pipelined
        for _ in range(3):
            await asyncio.sleep(0)
    for _ in range(30):
        await asyncio.sleep(0)
    assert b"HTTP/1.1 500 " not in transport.written
    statuses = bytes(transport.written).replace(b"HTTP/1.1 100 ", b"").count(b"HTTP/1.1 ")
    if not transport.closed:
        transport.abort()
    for _ in range(5):
        await asyncio.sleep(0)
    assert not observer.running, "a request outlived its connection"
    return observer.seen, statuses


def mutate(random: random.Random) -> bytes:
    data = bytearray(b"".join(random.choice(SEEDS) for _ in range(random.randint(1, 3))))
    for _ in range(random.randint(0, 6)):
        place = random.randint(0, len(data))
        match random.randint(0, 4):
            case 0:
                data[place:place] = random.choice(TOKENS)
            case 1:
                del data[place : place + random.randint(1, 20)]
            case 2 if place < len(data):
                data[place] = random.randint(0, 255)
            case 3:
                data[place:place] = data[place : place + random.randint(1, 60)]
            case _:
                data[place:place] = random.choice(SEEDS)
    return bytes(data)


def cut(random: random.Random, data: bytes) -> list[bytes]:
    edges = sorted({0, len(data), *(random.randint(0, len(data)) for _ in range(random.randint(0, 12)))})
    return [data[start:end] for start, end in pairwise(edges)]


async def run(seed: int, *, seconds: float, cases: int) -> int:
    """Fuzz until the time or the number of cases is reached; return how many there were."""
    chance, end = random.Random(seed), time.monotonic() + seconds
    for number in range(cases):
        if time.monotonic() > end:
            return number
        data = mutate(chance)
        whole = await play([data])
        for pieces in (cut(chance, data), [data[place : place + 1] for place in range(len(data))]):
            try:
                again = await play(pieces)
            except Exception as fault:
                raise AssertionError(f"seed {seed}, case {number}: {fault!r} for {data!r} in {pieces!r}") from fault
            assert again[0][: len(whole[0])] == whole[0] or whole[0][: len(again[0])] == again[0], (
                f"seed {seed}, case {number}: {data!r} in {pieces!r} is read as {again}, not {whole}"
            )
    return cases


def main() -> None:
    parser = argparse.ArgumentParser(description="Fuzz the HTTP server.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    print(f"{uvloop.run(run(options.seed, seconds=options.seconds, cases=10**12)):,} cases, no violation")


if __name__ == "__main__":
    main()
