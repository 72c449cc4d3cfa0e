"""Measure the S3 path: small and large objects over 16 connections, beside SeaweedFS and `rclone serve s3`.

The servers get the same requests in alternating rounds. The upper bound is measured too: the same bytes hashed with
SHA-256 and MD5, written, synced and renamed by 16 threads. Run from the top of the repository as
`python -m benchmarks.s3`; README.md explains the report.
"""

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from benchmarks.load import HEAD_END, Load, run
from benchmarks.report import machine
from benchmarks.repository import copied, proven
from benchmarks.stores import STORES, Store

CONNECTIONS = 16
SIZES = {"4 KiB": 4096, "8 MiB": 8 << 20}
_LIMIT_SECONDS = 300.0


def signed(store: Store, method: str, key: str, data: bytes = b"") -> bytes:
    """Return a signed request as boto3 sends it over http: including the hash of the body."""
    host = f"127.0.0.1:{store.server.port}"
    asked = AWSRequest(method, f"http://{host}/{store.bucket}/{key}", {"Host": host}, data)
    S3SigV4Auth(Credentials(store.key_id, store.secret), "s3", "us-east-1").add_auth(asked)
    lines = [f"{method} /{store.bucket}/{key} HTTP/1.1", *(f"{name}: {value}" for name, value in asked.headers.items())]
    lines += [f"Content-Length: {len(data)}"] if method == "PUT" else []
    return "\r\n".join(lines).encode() + HEAD_END + data


def measured(store: Store, requests: Iterator[bytes]) -> tuple[float, float]:
    """Return requests per second, and CPU milliseconds per request."""
    load = Load(store.server.port, requests, CONNECTIONS, _LIMIT_SECONDS, warmup=0, server_cpu=store.server.cpu_seconds)
    seen = run(load)
    if seen.errors:
        raise RuntimeError(f"{store.name}: {seen.errors} errors, the first: {seen.first_error}")
    return seen.rate, seen.cpu_per_request / 1000


def written(folder: Path, data: list[bytes]) -> float:
    """The upper bound for a server that hashes and syncs every file separately."""
    for number, each in enumerate(data):
        (folder / f"source{number}").write_bytes(each)
    began = perf_counter()
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        list(threads.map(lambda each: copied(folder / f"source{each}", folder / f"copy{each}"), range(len(data))))
    return len(data) / (perf_counter() - began)


def read(folder: Path, count: int) -> float:
    began = perf_counter()
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        list(threads.map(lambda each: proven(folder / f"copy{each}"), range(count)))
    return count / (perf_counter() - began)


class Figures:
    """Rates by operation and server, one per round."""

    def __init__(self) -> None:
        self._rates: dict[str, dict[str, list[float]]] = {}
        self._cpu: dict[str, dict[str, list[float]]] = {}

    def note(self, operation: str, server: str, rate: float, cpu: float | None = None) -> None:
        self._rates.setdefault(operation, {}).setdefault(server, []).append(round(rate, 1))
        if cpu is not None:
            self._cpu.setdefault(operation, {}).setdefault(server, []).append(round(cpu, 2))
        print(f"{operation:10} {server:10} {rate:10,.1f}/s", flush=True)

    def shown(self) -> dict[str, Any]:
        return {operation: self._operation(operation, rounds) for operation, rounds in self._rates.items()}

    def _operation(self, operation: str, rounds: dict[str, list[float]]) -> dict[str, Any]:
        rates = {server: median(values) for server, values in rounds.items()}
        ours = rates["teamspace"]
        return {
            "per_second": rates,
            "ratios": {server: round(ours / rate, 2) for server, rate in rates.items() if server != "teamspace"},
            "cpu_ms": {server: median(values) for server, values in self._cpu.get(operation, {}).items()},
            "rounds": rounds,
        }


def one_round(number: int, stores: list[Store], folder: Path, counts: dict[str, int], figures: Figures) -> None:
    for name, size in SIZES.items():
        data = [os.urandom(size) for _ in range(counts[name])]
        figures.note(f"PUT {name}", "disk", written(folder, data))
        figures.note(f"GET {name}", "disk", read(folder, len(data)))
        for store in stores:
            keys = [f"r{number}/{size}/{each}" for each in range(len(data))]
            # rclone fails requests that create the same folder at the same time.
            measured(store, iter([signed(store, "PUT", f"r{number}/{size}/first", b"first")]))
            puts = [signed(store, "PUT", key, each) for key, each in zip(keys, data, strict=True)]
            figures.note(f"PUT {name}", store.name, *measured(store, iter(puts)))
            del puts
            gets = [signed(store, "GET", key) for key in keys]
            figures.note(f"GET {name}", store.name, *measured(store, iter(gets)))


def measure(options: argparse.Namespace) -> dict[str, Any]:
    counts, figures = {"4 KiB": options.small, "8 MiB": options.large}, Figures()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder)))
        stores: list[Store] = []
        for kind in STORES:
            own = folder / kind.name
            own.mkdir()
            store = kind(own)
            stack.callback(store.server.stop)
            store.prepare()
            stores.append(store)
        disk = folder / "disk"
        disk.mkdir()
        for number in range(options.rounds):
            one_round(number, stores, disk, counts, figures)
    return figures.shown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", type=int, default=4000, help="objects of 4 KiB in a round")
    parser.add_argument("--large", type=int, default=64, help="objects of 8 MiB in a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where to work; all servers share its disk")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "s3.json")
    options = parser.parse_args()
    before = machine()
    found = measure(options)
    print(json.dumps(found, indent=2))
    options.output.write_text(json.dumps({"machine": before, **found}, indent=2) + "\n")


if __name__ == "__main__":
    main()
