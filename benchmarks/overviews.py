"""Measure the lists around a person, a text and a team with very many rows: activity, references, mentions, favourites,
presence, public links, the trash, usage by day, conversations.

Everything is private. Requests go through the gate in this process, one at a time, as the owner of everything, a member
who can read nothing, a member with grants for a tenth of it, and a guest. Run from the top of the repository as
`python -m benchmarks.overviews`; README.md explains the report.
"""

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.instances import new_world, settings_of
from benchmarks.report import machine
from teamspace.settings import Settings
from tests.support.overviews import REQUESTS, Request, fill, gather, send, shelve
from tests.support.postgres import Postgres
from tests.support.visited import visited
from tests.support.world import Caller, World

GROWS, NOTICED = 1.3, 200
"""A request that visits this many times more with more rows, and at least so many more, is named in the report."""

Figures = dict[str, Any]


async def asked(made: World, caller: Caller, request: Request, rounds: int) -> Figures:
    """Return the medians of a request, and what it visits in the database."""
    status = await send(caller, request)
    async with visited(made) as total:
        await send(caller, request)
    took, cpu = [], []
    for _ in range(rounds):
        began, began_cpu = time.perf_counter(), time.thread_time()
        await send(caller, request)
        took.append((time.perf_counter() - began) * 1e3)
        cpu.append((time.thread_time() - began_cpu) * 1e3)
    return {
        "status": status, "visited": total.count, "p50_ms": round(median(took), 2), "cpu_ms": round(median(cpu), 2)
    }  # fmt: skip


async def measured(settings: Settings, sizes: list[int], rounds: int) -> Figures:
    found: Figures = {}
    async with new_world(settings) as made:
        crowd, filled = await gather(made), 0
        for size in sizes:
            began = time.perf_counter()
            await fill(made, crowd, filled, size)
            if not filled:
                await shelve(made, crowd)
            filled = size
            found[f"{size:,} things"] = {
                "filled_in_seconds": round(time.perf_counter() - began),
                **{
                    who: {name: await asked(made, caller, request, rounds) for name, request in REQUESTS.items()}
                    for who, caller in crowd.callers.items()
                },
            }
    return found


def growing(small: Figures, large: Figures) -> dict[str, str]:
    """Return the requests that visit more with more rows."""
    return {
        f"{name}, {who}": f"{before['visited']} to {after['visited']}"
        for who, requests in large.items()
        if isinstance(requests, dict)
        for name, after in requests.items()
        for before in [small[who][name]]
        if after["visited"] > before["visited"] * GROWS and after["visited"] - before["visited"] > NOTICED
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--things", type=int, nargs="+", default=[10_000, 100_000], help="of each kind, ascending")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgres"), default=("sqlite", "postgres"))
    parser.add_argument("--short", action="store_true", help="few rows, for CI")
    parser.add_argument("--folder", type=Path, help="where to work")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if options.short:
        options.things, options.rounds = [1_000, 5_000], 3
    report: Figures = {"machine": machine()}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder, Postgres.start() as server:
        for database in options.databases:
            url = server.create_database("overviews") if database == "postgres" else ""
            found = asyncio.run(measured(settings_of(Path(folder) / database, url), options.things, options.rounds))
            sizes = list(found.values())
            report[database] = {**found, "growing": growing(sizes[0], sizes[-1])}
            print(json.dumps({database: report[database]}, indent=2), flush=True)
    name = "overviews-short.json" if options.short else "overviews.json"
    (options.output or Path(__file__).parent / "results" / name).write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
