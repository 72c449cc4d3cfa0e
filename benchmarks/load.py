"""A loopback HTTP/1.1 load generator cheap enough to measure fast servers.

Requests are ready-made bytes taken from an iterator, one outstanding per
keep-alive connection. A run lasts a fixed time, or until the iterator ends.
"""

import argparse
import asyncio
import gc
import multiprocessing
import re
import time
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import repeat
from multiprocessing.connection import Connection as Pipe
from typing import cast

import uvloop

GRACE = 30.0
HEAD_END = b"\r\n\r\n"
LAST_CHUNK = b"\r\n0\r\n\r\n"
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class Load:
    """What to send, where, and for how long."""

    port: int
    requests: Iterator[bytes]
    connections: int = 32
    seconds: float = 5.0
    warmup: float = 0.5
    status: int | tuple[int, ...] = 200
    """What every response must have, or one of them."""
    server_cpu: Callable[[], float] = lambda: 0.0
    keep: Callable[[bytes], str] | None = None


@dataclass(frozen=True)
class Result:
    """Measurements after the warm-up; latencies in milliseconds, CPU in seconds."""

    requests: int
    seconds: float
    p50: float
    p95: float
    p99: float
    errors: int
    first_error: str
    server_cpu: float
    client_cpu: float
    kept: list[str]

    @property
    def rate(self) -> float:
        return self.requests / self.seconds

    @property
    def cpu_per_request(self) -> float:
        """Microseconds of server CPU for each request."""
        return self.server_cpu / max(self.requests, 1) * 1e6

    @property
    def client_share(self) -> float:
        """Share of one core the generator used: near 1 it is the bottleneck."""
        return self.client_cpu / self.seconds


def request(
    method: str, path: str, token: str = "", body: bytes = b"", headers: Mapping[str, str] | None = None
) -> bytes:
    """The bytes of one request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + HEAD_END + body


def whole(response: bytes) -> int:
    """Return the length of a response according to its headers; 0 if unknown."""
    head = response.find(HEAD_END)
    length = LENGTH.search(response, 0, head) if head >= 0 else None
    return head + len(HEAD_END) + int(length[1]) if length else 0


def body_start(response: bytes) -> int:
    """Return where the body of a complete response starts, or -1 while bytes are missing."""
    head = response.find(HEAD_END)
    if head < 0:
        return -1
    start = head + len(HEAD_END)
    length = LENGTH.search(response, 0, head)
    if length:
        return start if len(response) >= start + int(length[1]) else -1
    # JSON contains no raw line breaks, so only the last chunk can end this way.
    return start if response.endswith(LAST_CHUNK) else -1


class Run:
    """The counters all connections of one run share."""

    def __init__(self, load: Load, done: asyncio.Future[None]) -> None:
        self.load = load
        self.done = done
        statuses = load.status if isinstance(load.status, tuple) else (load.status,)
        self.statuses = {str(status).encode() for status in statuses}
        self.open = load.connections
        self.kept: list[str] = []
        self.errors = 0
        self.first_error = ""
        self.measure()

    def measure(self) -> None:
        """Start measuring; a warm-up's latencies are dropped, its errors are not."""
        self.latencies = array("d")
        self.server_cpu = self.load.server_cpu()
        self.client_cpu = time.process_time()
        self.started = time.perf_counter()

    def record(self, response: bytes, body: int, latency: float) -> None:
        self.latencies.append(latency)
        if response[9:12] not in self.statuses:
            self.fail(response[:400].decode(errors="replace"))
        elif self.load.keep:
            self.kept.append(self.load.keep(response[body:]))

    def fail(self, reason: str) -> None:
        self.errors += 1
        self.first_error = self.first_error or reason

    def closed(self) -> None:
        self.open -= 1
        if not self.open:
            self.finish()

    def finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)

    def result(self) -> Result:
        seconds = time.perf_counter() - self.started
        server_cpu = self.load.server_cpu() - self.server_cpu
        client_cpu = time.process_time() - self.client_cpu
        latencies = sorted(self.latencies)
        return Result(
            requests=len(latencies),
            seconds=seconds,
            p50=percentile(latencies, 50),
            p95=percentile(latencies, 95),
            p99=percentile(latencies, 99),
            errors=self.errors,
            first_error=self.first_error,
            server_cpu=server_cpu,
            client_cpu=client_cpu,
            kept=self.kept,
        )


def percentile(ordered: list[float], percent: int) -> float:
    """The percentile in milliseconds of ordered latencies in seconds."""
    if not ordered:
        return 0.0
    return ordered[min(len(ordered) * percent // 100, len(ordered) - 1)] * 1e3


class Client(asyncio.Protocol):
    """One keep-alive connection: send, await the whole answer, send the next."""

    __slots__ = ("awaited", "ended", "partial", "run", "sent", "size", "transport")

    def __init__(self, run: Run) -> None:
        self.run = run
        self.partial: list[bytes] = []
        self.size = self.awaited = 0
        self.ended = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports do not inherit from asyncio's.
        self.transport = cast(asyncio.Transport, transport)
        self.send()

    def send(self) -> None:
        request = next(self.run.load.requests, None)
        if request is None:
            self.ended = True
            self.transport.close()
            return
        self.sent = time.perf_counter()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self.partial.append(data)
        self.size += len(data)
        if self.size < self.awaited:
            return
        response = b"".join(self.partial) if len(self.partial) > 1 else data
        body = body_start(response)
        if body < 0:
            self.partial, self.awaited = [response], whole(response)
            return
        self.partial, self.size, self.awaited = [], 0, 0
        self.run.record(response, body, time.perf_counter() - self.sent)
        self.send()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended and not self.run.done.done():
            self.run.fail(f"connection lost: {exc}")
        self.run.closed()


async def drive(load: Load) -> Result:
    loop = asyncio.get_running_loop()
    run = Run(load, loop.create_future())
    if load.warmup:
        loop.call_later(load.warmup, run.measure)
    loop.call_later(load.warmup + load.seconds, run.finish)
    for _ in range(load.connections):
        await loop.create_connection(lambda: Client(run), "127.0.0.1", load.port)
    await run.done
    return run.result()


def child(load: Load, answer: Pipe) -> None:
    # A collection pause would be booked as the server's latency.
    gc.disable()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        answer.send(runner.run(drive(load)))


def run(load: Load) -> Result:
    """Run the load in a separate process and return its measurements."""
    # A forked child inherits the iterator and callables, which cannot be pickled.
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(load, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(load.warmup + load.seconds + GRACE):
            raise TimeoutError("the load did not end by itself")
        result: Result = ours.recv()
    finally:
        process.terminate()
        process.join()
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description="Load one loopback path with GET.")
    parser.add_argument("port", type=int)
    parser.add_argument("path", nargs="?", default="/")
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    requests = repeat(request("GET", options.path))
    seen = run(Load(options.port, requests, options.connections, options.seconds))
    print(
        f"{seen.rate:,.0f} requests/s, p50 {seen.p50:.2f} ms, p95 {seen.p95:.2f} ms, "
        f"p99 {seen.p99:.2f} ms, {seen.errors} errors, "
        f"generator used {seen.client_share:.0%} of a core"
    )


if __name__ == "__main__":
    main()
