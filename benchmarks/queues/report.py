"""Medians, ratios and tables of the job benchmark."""

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from statistics import median
from typing import Any

from benchmarks.queues.contenders import GRAPHILE
from benchmarks.queues.driving import Seen

PACKAGES = ("pgqueuer", "procrastinate", "psycopg")
SUBJECTS = ("teamspace", "teamspace-postgres")

Runs = Mapping[str, Mapping[str, Sequence[Seen]]]


def versions() -> dict[str, str]:
    found = {"graphile-worker": json.loads((GRAPHILE / "package.json").read_text())["dependencies"]["graphile-worker"]}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def medians(rounds: Sequence[Seen]) -> dict[str, Any]:
    return {
        "rate": round(median(seen.rate for seen in rounds), 1),
        "cpu_us": round(median(seen.cpu / seen.jobs for seen in rounds) * 1e6, 1),
        "database_cpu_us": round(median(seen.database_cpu / seen.jobs for seen in rounds) * 1e6, 1),
        "rates": [round(seen.rate, 1) for seen in rounds],
    }


def ratios(queues: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return rate and CPU (queue and database together) of each Teamspace relative to each peer."""
    peers = [name for name in queues if name not in SUBJECTS]
    return {
        f"{subject}/{peer}": {
            "rate": round(queues[subject]["rate"] / queues[peer]["rate"], 2),
            "cpu": round(_cpu(queues[subject]) / max(_cpu(queues[peer]), 0.1), 2),
        }
        for subject, peer in product(SUBJECTS, peers)
        if subject in queues
    }


def _cpu(seen: Mapping[str, Any]) -> float:
    return float(seen["cpu_us"] + seen["database_cpu_us"])


def summary(runs: Runs) -> dict[str, Any]:
    operations = {name: {queue: medians(rounds) for queue, rounds in queues.items()} for name, queues in runs.items()}
    return {"operations": operations, "ratios": {name: ratios(queues) for name, queues in operations.items()}}


def show(report: Mapping[str, Any]) -> None:
    print(f"\n{'operation':24}{'queue':20}{'jobs/s':>10}{'CPU us':>9}{'database':>10}")
    for name, queues in report["operations"].items():
        for queue, seen in queues.items():
            print(f"{name:24}{queue:20}{seen['rate']:>10,.0f}{seen['cpu_us']:>9,.0f}{seen['database_cpu_us']:>10,.0f}")
    print(f"\n{'operation':24}{'ratio':38}{'rate':>8}{'CPU':>8}")
    for name, pairs in report["ratios"].items():
        for pair, ratio in pairs.items():
            print(f"{name:24}{pair:38}{ratio['rate']:>8.2f}{ratio['cpu']:>8.2f}")
    show_claims(report["claims"])


def show_claims(claims: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
    print(f"\n{'claim':24}{'queued':>12}{'p50 ms':>9}{'p99 ms':>9}")
    for queue, sizes in claims.items():
        for size, seen in sizes.items():
            shown = f"{int(size):,}" if size.isdigit() else size
            print(f"{queue:24}{shown:>12}" + "".join(f"{value:>9.2f}" for value in seen.values()))
