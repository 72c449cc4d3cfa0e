"""Measure S3 LIST in a bucket with very many keys: for its owner, for a member with nothing, and for one with grants.

All objects are private, so only the owner and people with grants see them. Requests are signed and go through the gate
in this process, one at a time. Run from the top of the repository as `python -m benchmarks.listing`; README.md explains
the report.
"""

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.instances import S3Client, new_world, s3_client, settings_of
from benchmarks.report import machine
from teamspace.settings import Settings
from tests.support.postgres import Postgres
from tests.support.rows import NUMBERS, analyze, insert_in_batches
from tests.support.world import Caller, World

PER_FOLDER = 1000
_BATCH = 50_000

Figures = dict[str, Any]

_FOLDER = f"'folder' || CAST(100000 + n / {PER_FOLDER} AS TEXT) || '/'"
_NAME = "'file' || CAST(10000000 + n AS TEXT)"
_ID = "'o' || CAST(10000000 + n AS TEXT)"
_OBJECTS = (
    "INSERT INTO objects (id, org_id, team_id, owner_id, key, filename, content_type, visibility, version, numbered,"
    f" removed, size, sha256, etag, text_state, written_at, created_at, updated_at) {NUMBERS} SELECT {_ID}, :org, :team,"
    f" :owner, {_FOLDER} || {_NAME}, {_NAME}, 'text/plain', 'private', 1, 1, FALSE, 0, '', '', 'none', :now, :now, :now"
    " FROM numbers"
)
_VERSIONS = (
    "INSERT INTO object_versions (id, object_id, org_id, number, removal, size, blob, sha256, etag, content_type,"
    f" filename, author_id, actor_kind, created_at) {NUMBERS} SELECT 'v' || {_ID}, {_ID}, :org, 1, FALSE, 0, '', '', '',"
    f" 'text/plain', {_NAME}, :owner, 's3', :now FROM numbers"
)
_GRANTS = (
    "INSERT INTO object_grants (object_id, principal_type, principal_id, org_id, team_id, key, removed, capability,"
    f" granted_by, created_at) {NUMBERS} SELECT {_ID}, 'user', :user, :org, :team, {_FOLDER} || {_NAME}, FALSE, 'view',"
    " :owner, :now FROM numbers WHERE n % :every = 0"
)


def questions(keys: int) -> dict[str, str]:
    middle = f"folder{100000 + keys // 2 // PER_FOLDER}%2F"
    return {
        "one key": f"list-type=2&prefix={middle}file{10000000 + keys // 2 // PER_FOLDER * PER_FOLDER}",
        "flat": "list-type=2",
        "flat, from the middle": f"list-type=2&start-after={middle}",
        "prefix": f"list-type=2&prefix={middle}",
        "delimiter": "delimiter=%2F&list-type=2",
        "versions": "versions=",
        "versions, delimiter": "delimiter=%2F&versions=",
    }


async def fill(made: World, owner: Caller, holder: Caller, keys: int, grants: int) -> None:
    facts = {
        "org": owner.org.id, "team": owner.team.id, "owner": owner.user_id, "user": holder.user_id,
        "every": max(keys // grants, 1), "now": "2026-01-01T00:00:00.000Z",
    }  # fmt: skip
    await insert_in_batches(made, (_OBJECTS, _VERSIONS, _GRANTS), facts, 0, keys, _BATCH)
    await analyze(made)


async def taken(client: S3Client, query: str) -> tuple[float, bytes]:
    """Return the milliseconds that a list took and the response."""
    began = time.perf_counter()
    status, body = await client.ask("GET", query=query)
    took = (time.perf_counter() - began) * 1e3
    if status != 200:
        raise RuntimeError(f"{query}: {status} {body[:400]!r}")
    return took, body


async def listed(client: S3Client, keys: int, rounds: int, most: float) -> Figures:
    """Return the median of each request, repeated for at most `most` seconds."""
    found: Figures = {}
    for name, query in questions(keys).items():
        first, body = await taken(client, query)
        times, began = [] if rounds else [first], time.perf_counter()
        while len(times) < rounds and (time.perf_counter() - began < most or not times):
            times.append((await taken(client, query))[0])
        entries = body.count(b"<Contents>") + body.count(b"<Version>") + body.count(b"<CommonPrefixes>")
        found[name] = {"p50_ms": round(median(times), 2), "entries": entries}
    return found


async def measured(settings: Settings, keys: int, options: argparse.Namespace) -> Figures:
    async with new_world(settings) as made:
        owner = await made.bootstrap()
        nobody, holder = [await made.person(owner.org, owner.team) for _ in range(2)]
        began = time.perf_counter()
        await fill(made, owner, holder, keys, options.grants)
        found: Figures = {"filled_in_seconds": round(time.perf_counter() - began)}
        people = {"owner": owner, "member with nothing": nobody, f"member with {options.grants:,} grants": holder}
        for name, caller in people.items():
            found[name] = await listed(await s3_client(made, caller), keys, options.rounds, options.seconds)
    return found


def on_both(keys: int, options: argparse.Namespace) -> Figures:
    found: Figures = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as name, Postgres.start() as server:
        for database in options.databases:
            url = server.create_database(f"keys{keys}") if database == "postgres" else ""
            found[database] = asyncio.run(measured(settings_of(Path(name) / database, url), keys, options))
            print(json.dumps({f"{keys:,} keys": {database: found[database]}}, indent=2), flush=True)
    return found


def growth(small: Figures, large: Figures) -> Figures:
    """Return how many times longer the same request takes with more keys, if it returns as many."""
    return {
        who: {
            name: round(asked["p50_ms"] / small[who][name]["p50_ms"], 2)
            for name, asked in figures.items()
            if asked["entries"] == small[who][name]["entries"]
        }
        for who, figures in large.items()
        if isinstance(figures, dict)
    }


def gain(before: Figures, after: Figures) -> Figures:
    """Return how many times longer the same request took before."""
    return {
        size: {database: growth(after[size][database], before[size][database]) for database in found}
        for size, found in after.items()
        if size in before
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], help="ascending")
    parser.add_argument("--grants", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10, help="at most, per request type")
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgres"), default=("sqlite", "postgres"))
    parser.add_argument("--short", action="store_true", help="few keys, for CI")
    parser.add_argument("--against", type=Path, help="the report of another run, to compare with")
    parser.add_argument("--folder", type=Path, help="where to work")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    if options.short:
        options.keys, options.grants, options.rounds = [2_000, 20_000], 1_000, 5
    report: Figures = {"machine": machine()}
    found = {f"{keys:,} keys": on_both(keys, options) for keys in options.keys}
    each = list(found.values())
    small, large = each[0], each[-1]
    report |= found | {"growth": {database: growth(small[database], large[database]) for database in small}}
    if options.against:
        before = json.loads(options.against.read_text())
        report["before"] = {size: before[size] for size in found if size in before}
        report["gain"] = gain(before, found)
    name = "listing-short.json" if options.short else "listing.json"
    (options.output or Path(__file__).parent / "results" / name).write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
