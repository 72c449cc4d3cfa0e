"""Measure what using connections again saves in calls to a model server.

Run from the top of the repository as `python -m benchmarks.egress`; README.md explains the report.
"""

import argparse
import asyncio
import json
import ssl
import subprocess
import sys
import tempfile
import time
from contextlib import aclosing
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import uvloop

from benchmarks.report import machine, save
from teamspace import completions
from teamspace.completions import ModelEndpoint, ModelRequest
from teamspace.core.egress import Egress, NetworkReach, connections
from tests.support.tls import tls_contexts
from tests.support.upstream import Upstream

RESULTS = Path(__file__).parent / "results" / "egress.json"
HOST = "models.example"
REQUEST = ModelRequest("What is the capital of France? " * 32)
KEPT = connections.MAX_IDLE


class Measured(NamedTuple):
    rate: float
    cpu_us: float


async def measure(url: str, trust: ssl.SSLContext, *, calls: int, at_once: int) -> Measured:
    """Make calls over `at_once` connections at a time."""

    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    async def caller(count: int) -> None:
        for _ in range(count):
            await completions.complete(egress, endpoint, REQUEST)

    endpoint = ModelEndpoint(url, NetworkReach.ANY)
    async with aclosing(Egress(resolve=resolve, trust=trust)) as egress:
        await asyncio.gather(*(caller(2) for _ in range(at_once)))
        began, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(caller(calls // at_once) for _ in range(at_once)))
        took, used = time.perf_counter() - began, time.process_time() - cpu
    return Measured(calls / took, used / calls * 1e6)


async def compare(urls: dict[str, str], trust: ssl.SSLContext, rounds: int, calls: int) -> dict[str, Any]:
    """Measure each way in turn, round by round."""
    runs: dict[str, list[Measured]] = {}
    for _ in range(rounds):
        for scheme, url in urls.items():
            for at_once in (1, 8):
                for name, kept in (("new", 0), ("used again", KEPT)):
                    connections.MAX_IDLE = kept
                    seen = await measure(url, trust, calls=calls, at_once=at_once)
                    runs.setdefault(f"{scheme}, {at_once} at a time, {name}", []).append(seen)
    ways = {
        name: {
            "calls_per_second": round(median(one.rate for one in seen), 1),
            "cpu_us_per_call": round(median(one.cpu_us for one in seen), 1),
            "rates": [round(one.rate, 1) for one in seen],
        }
        for name, seen in runs.items()
    }
    return {"ways": ways, "ratios": _ratios(ways)}


def _ratios(ways: dict[str, dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Connections used again, over new ones."""
    pairs = {name.removesuffix(", new"): name for name in ways if name.endswith(", new")}
    return {
        label: {
            key: round(ways[f"{label}, used again"][column] / ways[new][column], 2)
            for key, column in (("rate", "calls_per_second"), ("cpu", "cpu_us_per_call"))
        }
        for label, new in pairs.items()
    }


async def serve(folder: Path) -> None:
    """Serve with and without TLS until the parent exits; print the ports."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(folder / "chain.pem", folder / "key.pem")
    async with Upstream() as plain, Upstream(tls=server) as secure:
        print(plain.port, secure.port, flush=True)
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        await reader.read()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=800)
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        uvloop.run(serve(chosen.serve))
        return
    with tempfile.TemporaryDirectory() as folder:
        _, trust = tls_contexts(Path(folder), HOST)
        command = [sys.executable, "-m", "benchmarks.egress", "--serve", folder]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdin and server.stdout
            plain, secure = server.stdout.readline().split()
            urls = {"http": f"http://{HOST}:{plain}/v1", "https": f"https://{HOST}:{secure}/v1"}
            report = {"machine": machine(), **uvloop.run(compare(urls, trust, chosen.rounds, chosen.calls))}
            server.stdin.close()
    print(json.dumps(report, indent=2))
    save(report, chosen.output)


if __name__ == "__main__":
    main()
