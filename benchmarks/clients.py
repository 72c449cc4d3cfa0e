"""Measure what clients that do not behave cost the server and the others: memory, and the latency of reads beside them.

Run from the top of the repository as `python -m benchmarks.clients`; README.md explains the report.
"""

import argparse
import multiprocessing
import resource
import socket
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count as numbers
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchmarks.load import Load, request, run
from benchmarks.report import machine, save
from benchmarks.subject import Teamspace
from benchmarks.targets import reads
from teamspace.core.wire import WireLimits

RESULTS = Path(__file__).parent / "results" / "clients.json"
STATIC = Path(__file__).parent.parent / "teamspace" / "console" / "static" / "assets"
PER_ADDRESS = WireLimits().connections_per_address // 2
LEAVING_RATE = 500
"""Clients a second that leave in the middle of a request."""
RESET = struct.pack("ii", 1, 0)
"""Of SO_LINGER: closing the socket resets the connection."""
Send = Callable[[int], bytes]


def idle(number: int) -> bytes:
    return b""


def slow_head(number: int) -> bytes:
    return b"GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "


def slow_body(number: int) -> bytes:
    return b"POST /api/signin HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n{"


def stalled_reader(number: int) -> bytes:
    largest = max(STATIC.glob("*.js"), key=lambda file: file.stat().st_size).name
    return f"GET /assets/{largest} HTTP/1.1\r\nHost: a\r\n\r\n".encode()


CROWDS: dict[str, tuple[int, Send]] = {
    "idle": (10_000, idle),
    "slow heads": (1_000, slow_head),
    "slow bodies": (1_000, slow_body),
    "stalled readers": (1_000, stalled_reader),
}


@contextmanager
def crowd(port: int, count: int, send: Send) -> Iterator[list[socket.socket]]:
    """Hold connections from several addresses, each after sending something."""
    held = []
    try:
        for number in range(count):
            one = socket.socket()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.bind((f"127.0.0.{2 + number // PER_ADDRESS}", 0))
            one.connect(("127.0.0.1", port))
            if sent := send(number):
                one.sendall(sent)
            held.append(one)
        time.sleep(1)
        yield held
    finally:
        for one in held:
            one.close()


@contextmanager
def leaving(port: int, sent: bytes) -> Iterator[Callable[[], dict[str, float]]]:
    """Have another process connect, send a part of the request, and leave: after each of its bytes in turn, half of them
    with a reset. Yields a function that stops it, and returns how many left and its share of a core.
    """
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_leave, args=(there, port, sent), daemon=True)
    process.start()

    def stop() -> dict[str, float]:
        here.send(None)
        left: dict[str, float] = here.recv()
        return left

    try:
        yield stop
    finally:
        process.terminate()
        process.join()


def _leave(pipe: Connection, port: int, sent: bytes) -> None:
    began = time.monotonic()
    for number in numbers():
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(sent[: number % (len(sent) + 1)])
            if number % 2:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        early = began + (number + 1) / LEAVING_RATE - time.monotonic()
        if pipe.poll(max(early, 0.0)):
            break
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = time.monotonic() - began
    share = (used.ru_utime + used.ru_stime) / seconds
    pipe.send({"clients": number + 1, "a_second": round((number + 1) / seconds), "generator": round(share, 2)})


def measure(target: Teamspace, seconds: float) -> dict[str, float]:
    operation = reads("/api/notes", target.ids, target.token)
    seen = run(Load(target.server.port, operation.requests, 8, seconds, server_cpu=target.server.cpu_seconds))
    if seen.errors or not seen.requests:
        raise RuntimeError(f"{seen.errors} errors, first: {seen.first_error}")
    return {
        "rate": round(seen.rate), "p99_ms": round(seen.p99, 2), "cpu_us": round(seen.cpu_per_request),
        "generator": round(seen.client_share, 2), "mib": round(target.server.resident_bytes() / 2**20, 1),
    }  # fmt: skip


def compare(target: Teamspace, seconds: float) -> dict[str, Any]:
    found = {}
    for name, (count, send) in CROWDS.items():
        alone = measure(target, seconds)
        with crowd(target.server.port, count, send):
            beside = measure(target, seconds)
        found[name] = {
            "clients": count, "alone": alone, "beside": beside,
            "p99_ratio": round(beside["p99_ms"] / alone["p99_ms"], 2),
            "kib_each": round((beside["mib"] - alone["mib"]) * 1024 / count, 1),
        }  # fmt: skip
        print(
            f"{name:16} {count:>6,}  p99 {found[name]['p99_ratio']} times  {found[name]['kib_each']} KiB each",
            flush=True,
        )
    return found


def compare_leaving(target: Teamspace, seconds: float) -> dict[str, Any]:
    alone = measure(target, seconds)
    with leaving(target.server.port, request("GET", "/api/notes", target.token)) as stop:
        beside = measure(target, seconds)
        left = stop()
    ratio = round(beside["p99_ms"] / alone["p99_ms"], 2)
    print(f"{'leaving':16} {left['clients']:>6,}  p99 {ratio} times", flush=True)
    return {**left, "alone": alone, "beside": beside, "p99_ratio": ratio}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the cost of clients that do not behave.")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as directory:
        target = Teamspace(Path(directory))
        target.prepare(1000)
        target.server.start()
        try:
            found = compare(target, options.seconds)
            found["leaving"] = compare_leaving(target, options.seconds)
        finally:
            target.server.stop()
    save({"machine": machine(), "crowds": found}, options.output)


if __name__ == "__main__":
    main()
