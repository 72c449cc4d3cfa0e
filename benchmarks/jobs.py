"""Measure Teamspace's queue beside pgqueuer, procrastinate and graphile-worker, in alternating rounds.

Run from the top of the repository as `python -m benchmarks.jobs`; README.md
explains the options and the report.
"""

import argparse
import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import uvloop

from benchmarks import report
from benchmarks.queues import claims, driving, pull
from benchmarks.queues import report as queue_report
from benchmarks.queues.contenders import Contender, contenders
from benchmarks.queues.driving import Seen
from benchmarks.queues.storage import Storage, fresh
from tests.support.postgres import Postgres

RESULTS = Path(__file__).parent / "results"
PARTS = ("enqueue", "drain", "pull", "claim")
OURS = {"teamspace": False, "teamspace-postgres": True}
"""Teamspace's queues, and whether each is on PostgreSQL."""
CLIENTS = (1, 16)
WORKERS = (1, 2)


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    rounds: int
    jobs: int
    """Jobs to drain; a quarter of them over HTTP, and a tenth are enqueued one at a time."""
    queued: int
    """Jobs in the larger queue of the claim measurement."""
    claims: int


FULL = Effort(rounds=3, jobs=20_000, queued=1_000_000, claims=500)
SHORT = Effort(rounds=1, jobs=500, queued=5_000, claims=50)
FEW = 1000

Measure = Callable[[Storage], Seen]


class Turns:
    """Measures each queue once per round, in its own database, while the others are idle."""

    def __init__(self, folder: Path, postgres: Postgres, rounds: int) -> None:
        self.folder, self.postgres, self.rounds = folder, postgres, rounds
        self.runs: dict[str, dict[str, list[Seen]]] = {}

    def take(self, operation: str, able: Sequence[tuple[str, bool, Measure]]) -> None:
        seen: dict[str, list[Seen]] = {name: [] for name, _, _ in able}
        for name, on_postgres, measure in [*able] * self.rounds:
            with fresh(self.folder, self.postgres, on_postgres=on_postgres) as storage:
                seen[name].append(measure(storage))
            print(f"{operation}, {name}: {seen[name][-1].rate:,.0f} jobs/s", flush=True)
        self.runs[operation] = seen


def enqueue(turns: Turns, queues: Sequence[Contender], effort: Effort) -> None:
    for clients in CLIENTS:
        able = [
            (each.name, each.on_postgres, partial(driving.enqueue, each, jobs=effort.jobs // 10, clients=clients))
            for each in queues
        ]
        turns.take(f"enqueue, {clients} at a time", able)


def drain(turns: Turns, queues: Sequence[Contender], effort: Effort) -> None:
    for workers in WORKERS:
        able = [
            (each.name, each.on_postgres, partial(driving.drain, each, jobs=effort.jobs, workers=workers))
            for each in queues
            if workers <= each.most_workers
        ]
        turns.take(f"drain, {workers} workers", able)


def pulled(turns: Turns, queues: Sequence[Contender], effort: Effort) -> None:
    able = [
        (each.name, each.on_postgres, partial(pull.pulled, count=effort.jobs // 4))
        for each in queues
        if each.name in OURS
    ]
    turns.take("drain over HTTP", able)


def claimed(folder: Path, postgres: Postgres, effort: Effort) -> dict[str, Any]:
    seen = {}
    sizes = (FEW, effort.queued)
    for name, on_postgres in OURS.items():
        with ExitStack() as stack:
            storages = [stack.enter_context(fresh(folder, postgres, on_postgres=on_postgres)) for _ in sizes]
            seen[name] = uvloop.run(claims.compared(storages, sizes, effort.claims, effort.rounds))
        print(f"claim, {name}: {seen[name]['ratio']}", flush=True)
    return seen


def compare(queues: Sequence[Contender], parts: Sequence[str], effort: Effort, folder: Path) -> dict[str, Any]:
    facts = report.machine()
    facts["packages"] |= queue_report.versions()
    with Postgres.start(fsync=True) as postgres:
        turns = Turns(folder, postgres, effort.rounds)
        for name, part in (("enqueue", enqueue), ("drain", drain), ("pull", pulled)):
            if name in parts:
                part(turns, queues, effort)
        claims = claimed(folder, postgres, effort) if "claim" in parts else {}
    facts["load_average_after"] = round(os.getloadavg()[0], 2)
    settings = {each.name: each.settings for each in queues}
    return {
        "machine": facts, "effort": vars(effort), "settings": settings, **queue_report.summary(turns.runs),
        "claims": claims,
    }  # fmt: skip


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare queues of jobs.")
    parser.add_argument("--short", action="store_true", help="under a minute, for CI")
    parser.add_argument("--rounds", type=int, help="rounds of each operation and queue")
    parser.add_argument("--jobs", type=int, help="jobs to drain")
    parser.add_argument("--queued", type=int, help="jobs in the larger queue of the claim measurement")
    parser.add_argument("--claims", type=int, help="timed claims per round")
    parser.add_argument("--queues", nargs="+", help="measure only these queues")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--output", type=Path, help="where the results are written")
    return parser.parse_args()


def effort_of(options: argparse.Namespace) -> Effort:
    default = vars(SHORT if options.short else FULL)
    given = {name: getattr(options, name) for name in default}
    return Effort(**default | {name: value for name, value in given.items() if value})


def main() -> None:
    options = parse()
    # A short run must not replace the results of a full one.
    output = options.output or RESULTS / ("jobs-short.json" if options.short else "jobs.json")
    queues = [each for each in contenders() if not options.queues or each.name in options.queues]
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        seen = compare(queues, options.parts, effort_of(options), Path(folder))
    queue_report.show(seen)
    report.save(seen, output)


if __name__ == "__main__":
    main()
