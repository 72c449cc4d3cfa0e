"""Measure Teamspace beside PocketBase and a bare server, in alternating rounds.

Run from the top of the repository as `python -m benchmarks.http`; README.md
explains the options and the report.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import report
from benchmarks.load import Load, Result, run
from benchmarks.peers import Bare, PocketBase
from benchmarks.subject import Teamspace
from benchmarks.targets import Operation, Target
from tests.support.postgres import Postgres

# Creates come last, so that reads and lists see nearly the same rows in every round.
OPERATIONS = ("read", "list", "mix", "create")
PEERS: dict[str, Callable[[Path], Target]] = {"bare": Bare, "pocketbase": PocketBase}
SUBJECTS = {
    "teamspace-1": (1, False),
    "teamspace-2": (2, False),
    "teamspace-postgres-1": (1, True),
    "teamspace-postgres-2": (2, True),
}
"""How many processes, and whether on PostgreSQL."""
SETTLE = 1.0
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    rounds: int
    seconds: float
    rows: int
    connections: int


FULL = Effort(rounds=3, seconds=5.0, rows=100_000, connections=32)
SHORT = Effort(rounds=1, seconds=0.5, rows=1000, connections=8)


@contextmanager
def running(target: Target, effort: Effort) -> Iterator[report.Setup]:
    """Seed the server, start it several times to time the start, and leave it idle."""
    try:
        bulk = target.prepare(effort.rows)
        starts = [target.server.start()]
        for _ in range(effort.rounds - 1):
            target.server.stop()
            starts.append(target.server.start())
        time.sleep(SETTLE)
        idle = target.server.resident_bytes() / 2**20
        yield report.Setup(round(median(starts) * 1e3, 1), round(idle, 1), bulk)
    finally:
        target.server.stop()


def measure(target: Target, operation: Operation, effort: Effort) -> Result:
    """Measure one round; if the machine stalls so long that the server refuses requests, measure it once more."""
    seen = _measured(target, operation, effort)
    if seen.errors:
        print(f"{target.name}: {seen.errors} errors, once more; first: {seen.first_error}", flush=True)
        seen = _measured(target, operation, effort)
    if seen.errors or not seen.requests:
        raise RuntimeError(f"{target.name}: {seen.errors} errors, first: {seen.first_error}")
    return seen


def _measured(target: Target, operation: Operation, effort: Effort) -> Result:
    return run(
        Load(
            target.server.port,
            operation.requests,
            effort.connections,
            effort.seconds,
            status=operation.status,
            server_cpu=target.server.cpu_seconds,
        )
    )


def take_turns(targets: Sequence[Target], effort: Effort) -> report.Runs:
    """Measure every operation on every server, one server at a time, round by round."""
    known = {target.name: target.operations() for target in targets}
    runs: dict[str, dict[str, list[Result]]] = {}
    for name in OPERATIONS:
        able = [target for target in targets if name in known[target.name]]
        runs[name] = {target.name: [] for target in able}
        for target in able * effort.rounds:
            seen = measure(target, known[target.name][name], effort)
            runs[name][target.name].append(seen)
            print(f"{name} {target.name}: {seen.rate:,.0f} requests/s", flush=True)
    return runs


def compare(targets: Sequence[Target], effort: Effort) -> dict[str, Any]:
    facts = {"machine": report.machine(), "effort": vars(effort)}
    with ExitStack() as stack:
        setups = {target.name: stack.enter_context(running(target, effort)) for target in targets}
        return facts | report.summary(take_turns(targets, effort), setups)


def choose(names: Sequence[str], stack: ExitStack, directory: Path) -> list[Target]:
    """The chosen servers, each with a directory of its own, and a database if it needs one."""
    peers = [PEERS[name](subdirectory(directory, name)) for name in names if name in PEERS]
    subjects = {name: SUBJECTS[name] for name in names if name in SUBJECTS}
    needs_postgres = any(on_postgres for _, on_postgres in subjects.values())
    postgres = stack.enter_context(Postgres.start(fsync=True)) if needs_postgres else None
    return peers + [
        Teamspace(
            subdirectory(directory, name),
            postgres.create_database(f"http{processes}") if on_postgres and postgres else "",
            name=name,
            processes=processes,
        )
        for name, (processes, on_postgres) in subjects.items()
    ]


def subdirectory(directory: Path, name: str) -> Path:
    made = directory / name
    made.mkdir()
    return made


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare servers over HTTP on loopback.")
    parser.add_argument("--short", action="store_true", help="a few seconds, for CI")
    parser.add_argument("--rounds", type=int, help="rounds of each operation and server")
    parser.add_argument("--seconds", type=float, help="length of each round")
    parser.add_argument("--rows", type=int, help="notes stored before measuring")
    parser.add_argument("--connections", type=int, help="requests outstanding at a time")
    servers = [*PEERS, *SUBJECTS]
    parser.add_argument("--servers", nargs="+", choices=servers, default=servers)
    parser.add_argument("--output", type=Path, help="where the results are written")
    return parser.parse_args()


def effort_of(options: argparse.Namespace) -> Effort:
    default = vars(SHORT if options.short else FULL)
    given = {name: getattr(options, name) for name in default}
    return Effort(**default | {name: value for name, value in given.items() if value})


def main() -> None:
    options = parse()
    # A short run must not replace the results of a full one.
    output = options.output or RESULTS / ("short.json" if options.short else "http.json")
    with tempfile.TemporaryDirectory(prefix="benchmark-") as directory, ExitStack() as stack:
        targets = choose(options.servers, stack, Path(directory))
        seen = compare(targets, effort_of(options))
    report.show(seen)
    report.save(seen, output)


if __name__ == "__main__":
    main()
