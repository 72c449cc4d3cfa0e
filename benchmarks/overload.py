"""Measure an overloaded server: accepted requests, their latency, and the latency of refusals.

Requests are sent at a fixed rate, whether or not earlier ones were answered, as many independent people do.
First the capacity is measured, then the same list is requested at a multiple of it. Meanwhile a monitor asks
`GET /health`.
"""

import argparse
import asyncio
import gc
import json
import multiprocessing
import socket
import statistics
import tempfile
import time
from collections import defaultdict, deque
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import cast

import uvloop

from benchmarks.load import Load, body_start, percentile, request, run
from benchmarks.processes import Server
from benchmarks.report import machine
from benchmarks.subject import NEWEST, Teamspace

PACE = 0.002
CHECK_EVERY = 0.05
Seen = dict[int, list[float]]


@dataclass(frozen=True)
class Flood:
    """Latencies by status, and the share of a core that the generator used."""

    seen: Seen
    generator: float


class Line(asyncio.Protocol):
    """A connection with one outstanding request; it returns to the pool after the response."""

    def __init__(self, pool: deque["Line"], seen: Seen) -> None:
        self.pool, self.seen, self.partial, self.sent = pool, seen, b"", 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.pool.append(self)

    def ask(self, wanted: bytes) -> None:
        self.sent = time.perf_counter()
        self.transport.write(wanted)

    def data_received(self, data: bytes) -> None:
        self.partial += data
        if body_start(self.partial) >= 0:
            self.seen[int(self.partial[9:12])].append(time.perf_counter() - self.sent)
            self.partial = b""
            self.pool.append(self)


def check_health(port: int, seconds: float) -> list[float]:
    """Ask `/health` again and again on one connection; return the latencies."""
    latencies: list[float] = []
    end = time.perf_counter() + seconds
    with socket.create_connection(("127.0.0.1", port)) as connection:
        while (sent := time.perf_counter()) < end:
            connection.sendall(request("GET", "/health", ""))
            received = b""
            while body_start(received) < 0:
                received += connection.recv(4096)
            latencies.append(time.perf_counter() - sent)
            time.sleep(CHECK_EVERY)
    return latencies


async def flood(port: int, wanted: bytes, rate: float, seconds: float, connections: int) -> Flood:
    """Send requests at `rate`; status 0 counts those that could not be sent because all connections were busy."""
    loop, pool, seen = asyncio.get_running_loop(), deque[Line](), defaultdict[int, list[float]](list)
    for _ in range(connections):
        await loop.create_connection(lambda: Line(pool, seen), "127.0.0.1", port)
    cpu, began, asked = time.process_time(), time.perf_counter(), 0
    while (passed := time.perf_counter() - began) < seconds:
        while asked < passed * rate:
            asked += 1
            if pool:
                pool.popleft().ask(wanted)
            else:
                seen[0].append(0.0)
        await asyncio.sleep(PACE)
    generator = (time.process_time() - cpu) / seconds
    await asyncio.sleep(1)
    return Flood(dict(seen), generator)


def run_flood(port: int, wanted: bytes, rate: float, seconds: float, connections: int) -> Flood:
    gc.disable()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(flood(port, wanted, rate, seconds, connections))


def summary(outcome: Flood, health: list[float], seconds: float) -> dict[str, float]:
    seen = outcome.seen

    def late(status: int, percent: int) -> float:
        return round(percentile(sorted(seen.get(status, [])), percent), 1)

    asked = sum(len(latencies) for latencies in seen.values())
    return {
        "asked_per_second": round(asked / seconds),
        "answered_per_second": round(len(seen.get(200, [])) / seconds),
        "answered_p50_ms": late(200, 50),
        "answered_p99_ms": late(200, 99),
        "refused_per_second": round(len(seen.get(503, [])) / seconds),
        "refused_p99_ms": late(503, 99),
        "unasked_per_second": round(len(seen.get(0, [])) / seconds),
        "health_p50_ms": round(percentile(sorted(health), 50), 1),
        "health_p99_ms": round(percentile(sorted(health), 99), 1),
        "generator_cores": round(outcome.generator, 2),
    }


def measure(options: argparse.Namespace, folder: Path) -> dict[str, object]:
    subject = Teamspace(folder)
    subject.prepare(options.rows)
    subject.server.start()
    try:
        wanted, port = request("GET", NEWEST, subject.token), subject.server.port
        rates = [run(Load(port, repeat(wanted), seconds=options.seconds)).rate for _ in range(3)]
        capacity = statistics.median(rates)
        found: dict[str, object] = {"capacity_per_second": round(capacity)}
        for times in (0.5, options.times, 0.5):
            name = f"at {times} times" + (" again" if f"at {times} times" in found else "")
            found[name] = press(subject.server, wanted, capacity * times, options)
        return found
    finally:
        subject.server.stop()


def press(server: Server, wanted: bytes, rate: float, options: argparse.Namespace) -> dict[str, float]:
    """Flood the server while a monitor watches it, in processes of their own: the pauses of one do not count for another."""
    with ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as processes:
        used = server.cpu_seconds()
        flooding = processes.submit(run_flood, server.port, wanted, rate, options.seconds, options.connections)
        health = processes.submit(check_health, server.port, options.seconds).result()
        cores = (server.cpu_seconds() - used) / options.seconds
        return summary(flooding.result(), health, options.seconds) | {"server_cores": round(cores, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=float, default=5.0, help="how far beyond capacity")
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--connections", type=int, default=2000)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "overload.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(options, Path(folder))
    for name, value in found.items():
        print(name, value)
    options.output.write_text(json.dumps({"machine": machine(), **found}, indent=2) + "\n")


if __name__ == "__main__":
    main()
