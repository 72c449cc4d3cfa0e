"""Measure the localization manager with few and with many messages, and beside Weblate.

Every server has the same messages, and answers the same requests over HTTP: one message, a page of 50, the first and one
in the middle, filters, searches, and the coverage. Run from the top of the repository as `python -m
benchmarks.localization`; README.md explains the options and the report.
"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import load, report
from benchmarks.load import Load, Result
from benchmarks.localized import OPERATIONS, Teamspace
from benchmarks.processes import Server, cpu_seconds, ended_seconds, family
from benchmarks.weblate import installing
from benchmarks.weblate.server import Weblate
from tests.support.postgres import Postgres

RESULTS = Path(__file__).parent / "results"
OURS, PEER = ("teamspace", "teamspace-postgres"), "weblate"
TOGETHER, AT_ONCE = ("one message", "first page"), 8
"""What several clients also request at once, and how many."""
LEAST, MOST = 3, 1_000
"""Requests of a round."""
TARGET = 1.5
"""How many times longer a request may take with the most messages than with the fewest."""
_LIMIT = 120.0

Figures = dict[str, Any]


@dataclass(frozen=True)
class Contender:
    """A running server with one number of messages. `cpu`: its CPU seconds so far, with its database."""

    name: str
    size: int
    port: int
    cpu: Callable[[], float]
    requests: Mapping[str, Iterator[bytes]]


class Bench:
    """Starts the servers one after another; they take turns, and all stop with it."""

    def __init__(self, folder: Path, postgres: Postgres, stack: ExitStack) -> None:
        self._folder, self._postgres, self._stack = folder, postgres, stack
        self.contenders: list[Contender] = []
        self.filled: Figures = {}

    def add_teamspace(self, name: str, size: int) -> None:
        url = self._postgres.create_database(f"messages{size}") if name == OURS[1] else ""
        made = Teamspace(self._folder / f"{name}{size}", url, size)
        asyncio.run(made.prepare())
        self._stack.callback(made.server.stop)
        made.server.start()
        self._add(name, size, made.server, made.requests(), made.server.pids, on_postgres=bool(url), facts=made.facts)

    def add_weblate(self, sizes: Sequence[int]) -> None:
        peer = self._stack.enter_context(Weblate(self._folder / PEER, self._postgres, sizes))
        for size in sizes:
            self._add(PEER, size, peer.server, peer.requests(size), peer.pids, on_postgres=True, facts=peer.facts[size])

    def _add(
        self, name: str, size: int, server: Server, requests: Mapping[str, Iterator[bytes]],
        pids: Callable[[], list[int]], *, on_postgres: bool, facts: Figures,
    ) -> None:  # fmt: skip
        def cpu() -> float:
            database = family(self._postgres.pid) if on_postgres else []
            ended = ended_seconds(self._postgres.pid) if on_postgres else 0.0
            return cpu_seconds([*pids(), *database]) + ended

        self.contenders.append(Contender(name, size, server.port, cpu, requests))
        self.filled.setdefault(name, {})[str(size)] = facts
        print(f"{name}: {size:,} messages, {facts}", flush=True)


def measure(contender: Contender, operation: str, at_once: int, seconds: float) -> Result:
    """Send requests for about so many seconds, but at least a few."""
    requests = contender.requests[operation]
    once = _send(contender, requests, 1, 1)
    count = min(max(round(seconds * 1e3 / max(once.p50, 0.1)), LEAST), MOST)
    return _send(contender, requests, count * at_once if at_once > 1 else count, at_once)


def _send(contender: Contender, requests: Iterator[bytes], count: int, at_once: int) -> Result:
    seen = load.run(
        Load(
            contender.port, islice(requests, count), connections=at_once, seconds=_LIMIT, warmup=0,
            server_cpu=contender.cpu,
        )
    )  # fmt: skip
    if seen.errors or not seen.requests:
        raise RuntimeError(f"{contender.name}: {seen.first_error or 'no answer'}")
    return seen


def compare(contenders: Sequence[Contender], rounds: int, seconds: float) -> Figures:
    """Return the medians by operation, server and size."""
    found: Figures = {}
    asked = [(name, 1) for name in OPERATIONS] + [(name, AT_ONCE) for name in TOGETHER]
    for operation, at_once in asked:
        able = [each for each in contenders if operation in each.requests]
        seen: dict[tuple[str, int], list[Result]] = {(each.name, each.size): [] for each in able}
        for each in able * rounds:
            seen[each.name, each.size].append(measure(each, operation, at_once, seconds))
        figures = found.setdefault(operation if at_once == 1 else f"{operation}, {at_once} at a time", {})
        for (name, size), results in seen.items():
            figures.setdefault(name, {})[str(size)] = summary(results)
    return found


def summary(results: Sequence[Result]) -> Figures:
    return {
        "p50_ms": round(median(seen.p50 for seen in results), 2),
        "cpu_ms": round(median(seen.cpu_per_request for seen in results) / 1e3, 2),
        "rate": round(median(seen.rate for seen in results), 1),
        "requests": sum(seen.requests for seen in results),
    }


def growth(operations: Figures, filled: Figures, sizes: Sequence[int]) -> Figures:
    """Return how many times more a request takes and visits with the most messages than with the fewest."""
    few, many = str(sizes[0]), str(sizes[-1])
    found: Figures = {}
    for (operation, servers), measured in product(operations.items(), ("p50_ms", "cpu_ms")):
        for name, figures in servers.items():
            grown = round(figures[many][measured] / max(figures[few][measured], 0.01), 2)
            found.setdefault(operation, {}).setdefault(name, {})[measured] = grown
    for name, operation in product(OURS, OPERATIONS):
        if name in filled:
            counts = [filled[name][size]["visited"][operation] for size in (few, many)]
            found[operation][name]["visited"] = round(counts[1] / max(counts[0], 1), 2)
    return found


def ratios(operations: Figures) -> Figures:
    """Return the time and CPU of each Teamspace over Weblate's, at each size."""
    return {
        operation: {
            f"{name}/{PEER}": {
                size: {measured: round(figures[measured] / servers[PEER][size][measured], 3) for measured in ("p50_ms", "cpu_ms")}
                for size, figures in servers[name].items()
            }
            for name in OURS
            if name in servers
        }
        for operation, servers in operations.items()
        if PEER in servers
    }  # fmt: skip


def show(found: Figures) -> None:
    for operation, servers in found["operations"].items():
        for name, sizes in servers.items():
            times = ", ".join(
                f"{int(size):,}: {seen['p50_ms']} ms ({seen['cpu_ms']} ms CPU)" for size, seen in sizes.items()
            )
            print(f"{operation:28}{name:20}{times}  growth {found['growth'][operation][name]}")  # fmt: skip
    late = [
        f"{operation}, {name}"
        for operation, servers in found["growth"].items()
        for name, grown in servers.items()
        if name in OURS and grown["p50_ms"] > TARGET
    ]
    print(f"over the target of {TARGET}: {'; '.join(late) or 'none'}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure lists of messages beside Weblate.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 100_000], help="messages, ascending")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one measurement")
    parser.add_argument("--servers", nargs="+", choices=(*OURS, PEER), default=(*OURS, PEER))
    parser.add_argument("--output", type=Path, default=RESULTS / "localization.json")
    options = parser.parse_args()
    facts = report.machine()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="benchmark-")))
        bench = Bench(folder, stack.enter_context(Postgres.start(fsync=True)), stack)
        for name, size in product((each for each in OURS if each in options.servers), options.sizes):
            bench.add_teamspace(name, size)
        if PEER in options.servers:
            bench.add_weblate(options.sizes)
            facts["packages"] |= installing.versions()
        operations = compare(bench.contenders, options.rounds, options.seconds)
    facts["load_average_after"] = round(os.getloadavg()[0], 2)
    found: Figures = {
        "machine": facts, "rounds": options.rounds, "filled": bench.filled, "operations": operations,
        "growth": growth(operations, bench.filled, options.sizes), "ratios": ratios(operations),
    }  # fmt: skip
    show(found)
    report.save(found, options.output)


if __name__ == "__main__":
    main()
