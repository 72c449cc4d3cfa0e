"""Measure the S3 path: small and large objects over 16 connections, beside SeaweedFS and `rclone serve s3`.

Teamspace runs with one process and with two, on SQLite and on PostgreSQL. The servers get the same requests in
alternating rounds. The upper bound is measured too: the same bytes hashed with
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
from itertools import product
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from benchmarks.http import SUBJECTS
from benchmarks.load import HEAD_END, Load, Result, run
from benchmarks.report import machine
from benchmarks.repository import copied, proven
from benchmarks.stores import PEERS, Store, Teamspace
from tests.support.postgres import Postgres

CONNECTIONS = 16
SIZES = {"4 KiB": 4096, "8 MiB": 8 << 20}
FULL, SHORT = {"small": 4000, "large": 64, "rounds": 3}, {"small": 40, "large": 2, "rounds": 1}
_LIMIT_SECONDS = 300.0
_RESULTS = Path(__file__).parent / "results"


def signed(store: Store, method: str, key: str, data: bytes = b"") -> bytes:
    """Return a signed request as boto3 sends it over http: including the hash of the body."""
    host = f"127.0.0.1:{store.server.port}"
    asked = AWSRequest(method, f"http://{host}/{store.bucket}/{key}", {"Host": host}, data)
    S3SigV4Auth(Credentials(store.key_id, store.secret), "s3", "us-east-1").add_auth(asked)
    lines = [f"{method} /{store.bucket}/{key} HTTP/1.1", *(f"{name}: {value}" for name, value in asked.headers.items())]
    lines += [f"Content-Length: {len(data)}"] if method == "PUT" else []
    return "\r\n".join(lines).encode() + HEAD_END + data


def measured(store: Store, requests: Iterator[bytes]) -> Result:
    load = Load(store.server.port, requests, CONNECTIONS, _LIMIT_SECONDS, warmup=0, server_cpu=store.server.cpu_seconds)
    seen = run(load)
    if seen.errors:
        raise RuntimeError(f"{store.name}: {seen.errors} errors, the first: {seen.first_error}")
    return seen


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


Rounds = dict[str, dict[str, list[float]]]
"""By operation and server."""


class Figures:
    """One figure per round: objects per second, the latency of the slowest hundredth, and CPU time of an object."""

    def __init__(self) -> None:
        self._rates, self._p99, self._cpu = Rounds(), Rounds(), Rounds()

    def note(self, operation: str, server: str, rate: float) -> None:
        self._rates.setdefault(operation, {}).setdefault(server, []).append(round(rate, 1))
        print(f"{operation:10} {server:22} {rate:10,.1f}/s", flush=True)

    def note_run(self, operation: str, server: str, seen: Result) -> None:
        self.note(operation, server, seen.rate)
        self._p99.setdefault(operation, {}).setdefault(server, []).append(round(seen.p99, 1))
        self._cpu.setdefault(operation, {}).setdefault(server, []).append(round(seen.cpu_per_request / 1000, 2))

    def shown(self) -> dict[str, Any]:
        return {operation: self._operation(operation) for operation in self._rates}

    def _operation(self, operation: str) -> dict[str, Any]:
        rates, p99, cpu = (_medians(rounds[operation]) for rounds in (self._rates, self._p99, self._cpu))
        ours, others = ([name for name in rates if (name in SUBJECTS) is own] for own in (True, False))
        return {
            "per_second": rates,
            "p99_ms": p99,
            "cpu_ms": cpu,
            "ratios": {f"{one}/{other}": round(rates[one] / rates[other], 2) for one, other in product(ours, others)},
            "rounds": self._rates[operation],
        }


def _medians(rounds: dict[str, list[float]]) -> dict[str, float]:
    return {server: median(values) for server, values in rounds.items()}


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
            figures.note_run(f"PUT {name}", store.name, measured(store, iter(puts)))
            del puts
            gets = [signed(store, "GET", key) for key in keys]
            figures.note_run(f"GET {name}", store.name, measured(store, iter(gets)))


def measure(options: argparse.Namespace) -> dict[str, Any]:
    counts, figures = {"4 KiB": options.small, "8 MiB": options.large}, Figures()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=options.folder)))
        database = stack.enter_context(Postgres.start(fsync=True))
        stores: list[Store] = []
        for name in options.stores:
            own = folder / name
            own.mkdir()
            store = _store(name, own, database)
            stack.callback(store.server.stop)
            store.prepare()
            stores.append(store)
        disk = folder / "disk"
        disk.mkdir()
        for number in range(options.rounds):
            one_round(number, stores, disk, counts, figures)
    return figures.shown()


def _store(name: str, folder: Path, database: Postgres) -> Store:
    if name in PEERS:
        return PEERS[name](folder)
    processes, on_postgres = SUBJECTS[name]
    return Teamspace(folder, name, processes, database.create_database(f"s3_{processes}") if on_postgres else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    stores = (*SUBJECTS, *PEERS)
    parser.add_argument("--small", type=int, help="objects of 4 KiB in a round")
    parser.add_argument("--large", type=int, help="objects of 8 MiB in a round")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--short", action="store_true", help="one round of few objects, for CI")
    parser.add_argument("--stores", nargs="+", choices=stores, default=stores, help="the servers to measure")
    parser.add_argument("--folder", type=Path, help="where to work; all servers share its disk")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    for name, count in (SHORT if options.short else FULL).items():
        setattr(options, name, getattr(options, name) or count)
    # A short run must not replace the results of a full one.
    output = options.output or _RESULTS / ("s3-short.json" if options.short else "s3.json")
    before = machine()
    found = measure(options)
    print(json.dumps(found, indent=2))
    output.write_text(json.dumps({"machine": before, **found}, indent=2) + "\n")


if __name__ == "__main__":
    main()
