"""Measure what HTTP servers add to a request: the same small application behind each, in alternating rounds.

Run from the top of the repository as `python -m benchmarks.wire`; README.md explains the report.
"""

import argparse
import sys
import tempfile
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import ExitStack
from itertools import repeat
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.load import Load, request, run
from benchmarks.notes import ANSWER
from benchmarks.processes import Server, free_port
from benchmarks.report import machine, save

RESULTS = Path(__file__).parent / "results" / "wire.json"
HEADERS = {
    "User-Agent": "benchmark", "Accept": "application/json", "Accept-Encoding": "gzip, deflate", "Accept-Language": "en",
    "X-Request-Id": "0123456789abcdef", "Cache-Control": "no-cache", "Origin": "http://127.0.0.1", "X-One": "1",
}  # fmt: skip
REQUESTS = {
    "GET": request("GET", "/api/notes/1", "x" * 43, headers=HEADERS),
    "POST": request("POST", "/api/notes", "x" * 43, b'{"title":"' + b"a" * 680 + b'"}', HEADERS),
}
SERVERS = {
    "teamspace": "-m benchmarks.wire_server {port}",
    "granian": "-m granian --interface asginl --http 1 --no-ws --loop uvloop --port {port} benchmarks.wire:echo",
    "uvicorn": "-m uvicorn --http httptools --loop uvloop --no-access-log --log-level error --port {port} benchmarks.wire:echo",
}
_START = {
    "type": "http.response.start", "status": 200,
    "headers": [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(ANSWER))]
    + [(b"x-header-%d" % number, b"some value") for number in range(8)],
}  # fmt: skip

Call = Callable[..., Awaitable[Any]]


async def echo(scope: MutableMapping[str, Any], receive: Call, send: Call) -> None:
    """Read the body, and answer with a fixed note."""
    if scope["type"] != "http":
        return
    while scope["method"] == "POST" and (await receive()).get("more_body"):
        pass
    await send(_START)
    await send({"type": "http.response.body", "body": ANSWER})


def measure(servers: dict[str, Server], rounds: int, seconds: float) -> dict[str, Any]:
    seen: dict[str, dict[str, Any]] = {method: {name: [] for name in servers} for method in REQUESTS}
    for _ in range(rounds):
        for method, sent in REQUESTS.items():
            for name, server in servers.items():
                result = run(Load(server.port, repeat(sent), 32, seconds, server_cpu=server.cpu_seconds))
                if result.errors or not result.requests:
                    raise RuntimeError(f"{name}: {result.errors} errors, first: {result.first_error}")
                seen[method][name].append(result)
    return {
        method: {
            name: {
                "cpu_us": round(median(one.cpu_per_request for one in results), 1),
                "rate": round(median(one.rate for one in results)),
                "p99_ms": round(median(one.p99 for one in results), 2),
            }
            for name, results in by_server.items()
        }
        for method, by_server in seen.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare HTTP servers on loopback.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="benchmark-") as directory, ExitStack() as stack:
        servers = {}
        for name, command in SERVERS.items():
            port = free_port()
            line = [sys.executable, *command.format(port=port).split()]
            servers[name] = Server(line, port, "/", Path(directory) / f"{name}.log")
            stack.callback(servers[name].stop)
            servers[name].start()
        measured = measure(servers, options.rounds, options.seconds)
    for method, by_server in measured.items():
        for name, numbers in by_server.items():
            ratio = numbers["cpu_us"] / by_server["teamspace"]["cpu_us"]
            print(f"{method:5} {name:10} {numbers['rate']:>8,}/s  {numbers['cpu_us']:>6} us of CPU  {ratio:.2f} times")
    save({"machine": machine(), "servers": measured}, options.output)


if __name__ == "__main__":
    main()
