"""Measure the knowledge graph with very many mentions: the list of entities, one entity with its page, and searches.

Half of the documents are visible to the team, the others private. Every document has 45 of many names and five that all
have. Requests go through the gate in this process, one at a time, as the owner of all documents, a member who owns
nothing, one with a grant for every document, and a person of another team who can read nothing. Run from the top of the
repository as `python -m benchmarks.knowledge`; README.md explains the report.
"""

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.instances import CpuClock, new_world, settings_of
from benchmarks.report import machine
from teamspace import knowledge
from teamspace.core.db.engine import Params, Row
from teamspace.settings import Settings
from tests.support.postgres import Postgres
from tests.support.rows import NUMBERS, analyze, insert
from tests.support.visited import visited
from tests.support.world import Caller, World

NAMES, MENTIONS = 50, 2
"""Names of a document, and mentions of each."""
COMMON = 5
"""Names that every document has."""
_PER_DOCUMENT = NAMES * MENTIONS
_BATCH = 50
REPEATED = 4
"""Requests in a row, in each round."""
MEASURES = ("p50_ms", "cpu_ms", "visited")
GROWS, NOTICED = 1.5, 200
"""A statement whose plan is shown visits this many times more, and at least so many more, with more mentions."""

Figures = dict[str, Any]

_EACH = f"{NUMBERS}, each_name (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM each_name WHERE i < {NAMES - 1})"
_OBJECT = "'o' || CAST(10000000 + n AS TEXT)"
_NUMBER = f"CASE WHEN i < {COMMON} THEN i ELSE {COMMON} + (n * 7919 + i * 104729) % (:names - {COMMON}) END"
_NAME = "'n' || CAST(10000000 + {} AS TEXT)"
_AT = "'2026-01-01T00:00:' || substr(CAST(100000000 + n AS TEXT), 2) || 'Z'"
STATEMENTS = (
    "INSERT INTO objects (id, org_id, team_id, owner_id, key, filename, content_type, visibility, version, numbered,"
    f" removed, size, sha256, etag, text_state, written_at, created_at, updated_at, known_version) {NUMBERS}"
    f" SELECT {_OBJECT}, :org, :team, :owner, {_OBJECT}, {_OBJECT}, 'text/plain',"
    " CASE WHEN n % 2 = 0 THEN 'team' ELSE 'private' END, 1, 1, FALSE, 0, '', '', 'ready', :now, :now, :now, 1 FROM numbers",
    "INSERT INTO object_versions (id, object_id, org_id, number, removal, size, blob, sha256, etag, content_type,"
    f" filename, author_id, actor_kind, created_at) {NUMBERS} SELECT 'v' || {_OBJECT}, {_OBJECT}, :org, 1, FALSE, 0, '',"
    f" '', '', 'text/plain', {_OBJECT}, :owner, 's3', :now FROM numbers",
    "INSERT INTO object_grants (object_id, principal_type, principal_id, org_id, team_id, key, removed, capability,"
    f" granted_by, created_at) {NUMBERS} SELECT {_OBJECT}, 'user', :user, :org, :team, {_OBJECT}, FALSE, 'view', :owner,"
    " :now FROM numbers",
    "INSERT INTO kg_documents (object_id, version_id, org_id, number, dropped, unread, at, created_at)"
    f" {NUMBERS} SELECT {_OBJECT}, 'v' || {_OBJECT}, :org, 1, 0, 0, {_AT}, :now FROM numbers",
    f"INSERT INTO kg_document_names (object_id, name_id, org_id, base_id, written, mentions) {_EACH}"
    f" SELECT DISTINCT {_OBJECT}, {_NAME.format(_NUMBER)}, :org, {_NAME.format(_NUMBER)}, 'Person', {MENTIONS}"
    " FROM numbers CROSS JOIN each_name",
)
_AFTER = (
    "INSERT INTO kg_mentions (id, object_id, name_id, org_id, number, span_start, span_end, written, quote)"
    " SELECT object_id || name_id || CAST(number AS TEXT), object_id, name_id, org_id, number, 0, 10, 'Person',"
    f" 'A sentence about a person.' FROM kg_document_names CROSS JOIN ({' UNION ALL '.join(f'SELECT {n} AS number' for n in range(MENTIONS))}) AS numbers"
    " WHERE object_id >= :first_id AND object_id <= :last_id",
    "INSERT INTO kg_relations (id, object_id, subject_id, target_id, org_id, predicate, span_start, span_end, quote)"
    " SELECT one.object_id || one.name_id, one.object_id, one.name_id, 'n10000000', one.org_id, 'met', 0, 10,"
    " 'A sentence about two people.' FROM kg_document_names AS one WHERE one.object_id >= :first_id"
    " AND one.object_id <= :last_id AND one.name_id <> 'n10000000'",
)
_NAMES = (
    f"INSERT INTO kg_names (id, org_id, type, name, part, label, updated_at) {NUMBERS} SELECT {_NAME.format('n')}, :org,"
    " 'person', 'person ' || CAST(10000000 + (n * 7907) % 9999991 AS TEXT), '', '', :now FROM numbers",
    "INSERT INTO texts (id, kind, ref, org_id, made_by, title, labels, body, title_words, label_words, body_words)"
    f" {NUMBERS} SELECT 1000 + n, 'entity', {_NAME.format('n')}, :org, 1, name, '', '', name, '', ''"
    f" FROM numbers JOIN kg_names ON kg_names.id = {_NAME.format('n')}",
)


async def fill(made: World, owner: Caller, holder: Caller, mentions: int, before: int = 0) -> None:
    """Fill an instance that has already been filled with `before` mentions."""
    documents = mentions // _PER_DOCUMENT
    facts = {
        "org": owner.org.id, "team": owner.team.id, "owner": owner.user_id, "user": holder.user_id,
        "names": _names(mentions), "now": "2026-01-01T00:00:00.000Z",
    }  # fmt: skip
    await add_names(made, owner, _names(before) if before else 0, _names(mentions))
    for first in range(before // _PER_DOCUMENT, documents, _BATCH):
        last = min(first + _BATCH, documents) - 1
        ids = {"first_id": f"o{10000000 + first}", "last_id": f"o{10000000 + last}"}
        await insert(made, (*STATEMENTS, *_AFTER), {**facts, **ids, "first": first, "last": last})
    await analyze(made)
    await knowledge.complete_all(made.db)
    await analyze(made)


def _names(mentions: int) -> int:
    return max(mentions // 10, NAMES * 4)


async def add_names(made: World, owner: Caller, first: int, names: int) -> None:
    """Add names that no document has yet."""
    facts = {"org": owner.org.id, "now": "2026-01-01T00:00:00.000Z", "first": first, "last": names - 1}
    await insert(made, _NAMES, facts)


REQUESTS = {
    "list": "/api/kg/entities",
    "list, by type": "/api/kg/entities?type=person",
    "list, one name": "/api/kg/entities?q={rare}",
    "entity that all documents have": "/api/kg/entities/n10000000",
    "entity that few documents have": "/api/kg/entities/n10000100",
    "search": "/api/search?types=entity&q={rare}",
}


class Work:
    """The statements of a request, and how much each visited: SQLite's steps, or rows that PostgreSQL scanned."""

    def __init__(self) -> None:
        self.statements: list[tuple[str, Params, int]] = []

    @property
    def total(self) -> int:
        return sum(visits for _, _, visits in self.statements)


@asynccontextmanager
async def counting(made: World) -> AsyncIterator[Work]:
    """Count what all reads in the block visit, also those off the event loop."""
    engine: Any = made.db.engine
    fetch, offloaded, work = engine.fetch, engine.fetch_offloaded, Work()

    async def counted(sql: str, params: Params, *, seconds: float | None = None) -> Sequence[Row]:
        engine.fetch, engine.fetch_offloaded = fetch, offloaded
        try:
            async with visited(made) as seen:
                rows: Sequence[Row] = await engine.fetch(sql, params)
        finally:
            engine.fetch = engine.fetch_offloaded = counted
        work.statements.append((sql, params, seen.count))
        return rows

    engine.fetch = engine.fetch_offloaded = counted
    try:
        yield work
    finally:
        engine.fetch, engine.fetch_offloaded = fetch, offloaded


class Instance:
    """A filled instance, its people, and what was measured of it."""

    def __init__(self, made: World, people: dict[str, Caller], rare: str, server: Postgres) -> None:
        self.made, self.people, self._rare = made, people, rare
        self._cpu = CpuClock(made, server)
        self.figures: dict[tuple[str, str], Figures] = {}
        self.work: dict[tuple[str, str], Work] = {}

    async def ask(self, who: str, name: str) -> int:
        """Send a request once; return how many entries it has."""
        path = REQUESTS[name].format(rare=self._rare)
        answer = await self.people[who].get(path)
        if answer.status_code not in (200, 404):
            raise RuntimeError(f"{path}: {answer.status_code} {answer.text}")
        body = answer.json()
        return len(body.get("items", body.get("timeline", ())))

    async def warm_up(self, who: str, name: str) -> None:
        """Count what the request visits, which is the same each time."""
        self.figures[who, name] = {"entries": await self.ask(who, name), "times": [], "cpu": 0.0}
        async with counting(self.made) as work:
            await self.ask(who, name)
        self.work[who, name] = work

    async def measure(self, who: str, name: str, times: int) -> None:
        seen, used = self.figures[who, name], self._cpu()
        for _ in range(times):
            began = time.perf_counter()
            await self.ask(who, name)
            seen["times"].append((time.perf_counter() - began) * 1e3)
        seen["cpu"] += self._cpu() - used

    def report(self) -> Figures:
        found: Figures = {who: {} for who in self.people}
        for (who, name), seen in self.figures.items():
            times = seen["times"]
            found[who][name] = {
                "p50_ms": round(median(times), 2), "cpu_ms": round(seen["cpu"] * 1e3 / len(times), 2),
                "visited": self.work[who, name].total, "entries": seen["entries"],
            }  # fmt: skip
        return found


@asynccontextmanager
async def opened(settings: Settings, mentions: int, server: Postgres) -> AsyncIterator[Instance]:
    async with new_world(settings) as made:
        owner = await made.bootstrap()
        member, holder = [await made.person(owner.org, owner.team) for _ in range(2)]
        stranger = await made.person(owner.org, await made.team(owner.org))
        began = time.perf_counter()
        await fill(made, owner, holder, mentions)
        print(f"{made.db.dialect.name}, {mentions:,}: filled in {time.perf_counter() - began:.0f} s", flush=True)
        rare = await made.db.one(str, "SELECT substr(name, 8) FROM kg_names WHERE id = 'n10000100'") or ""
        people = {"owner": owner, "member": member, "member with grants": holder, "stranger": stranger}
        yield Instance(made, people, rare, server)


def growth(small: Figures, large: Figures) -> Figures:
    """Return how many times more the same request takes and visits with more mentions."""
    return {
        who: {
            name: {measure: round(each[measure] / max(small[who][name][measure], 0.01), 2) for measure in MEASURES}
            for name, each in figures.items()
        }
        for who, figures in large.items()
    }


async def growing(small: Instance, large: Instance) -> list[str]:
    """Describe the statements that visit more with more mentions, each with the plan of the request that grows most."""
    worst = dict[str, tuple[float, str, Params]]()
    for request, work in large.work.items():
        for (sql, params, many), (_, _, few) in zip(work.statements, small.work[request].statements, strict=False):
            grown, title = many / max(few, 1), f"### {' / '.join(request)}: {few:,} -> {many:,}"
            if grown > max(GROWS, worst.get(sql, (0.0,))[0]) and many - few > NOTICED:
                worst[sql] = grown, title, params
    ordered = sorted(worst.items(), key=lambda each: -each[1][0])
    return [f"{title}\n\n{sql}\n\n{await explained(large.made, sql, params)}\n" for sql, (_, title, params) in ordered]


async def explained(made: World, sql: str, params: Params) -> str:
    postgres = made.db.dialect.name == "postgres"
    rows = await made.db.engine.fetch(f"EXPLAIN {'(ANALYZE, BUFFERS)' if postgres else 'QUERY PLAN'} {sql}", params)
    return "\n".join(f"    {row[0] if postgres else row[-1]}" for row in rows)


async def compare(folder: Path, server: Postgres, options: argparse.Namespace) -> Figures:
    """Measure all sizes and databases in turn, so that a busy moment of the machine affects all of them."""
    report: Figures = {}
    async with AsyncExitStack() as stack:
        instances = dict[tuple[str, int], Instance]()
        for mentions, database in product(options.mentions, options.databases):
            url = server.create_database(f"mentions{mentions}") if database == "postgres" else ""
            settings = settings_of(folder / f"{database}{mentions}", url)
            instances[database, mentions] = await stack.enter_async_context(opened(settings, mentions, server))
        for name, who in product(REQUESTS, next(iter(instances.values())).people):
            for each in instances.values():
                await each.warm_up(who, name)
            for each in [*instances.values()] * options.rounds:
                await each.measure(who, name, REPEATED)
        for (database, mentions), each in instances.items():
            report.setdefault(f"{mentions:,} mentions", {})[database] = each.report()
        smallest, largest = options.mentions[0], options.mentions[-1]
        if options.plans:
            described = [
                f"## {database}, {smallest:,} -> {largest:,} mentions: request, statement, and what it visits\n\n"
                + "\n".join(await growing(instances[database, smallest], instances[database, largest]))
                for database in options.databases
            ]
            options.plans.write_text("\n".join(described))
    small, large = (report[f"{mentions:,} mentions"] for mentions in (smallest, largest))
    report["growth"] = {database: growth(small[database], large[database]) for database in options.databases}
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mentions", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], help="ascending")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgres"), default=("sqlite", "postgres"))
    parser.add_argument("--folder", type=Path, help="where to work")
    parser.add_argument(
        "--plans", type=Path, help="write the statements that visit more with more mentions to this file"
    )
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results/knowledge.json")
    options = parser.parse_args()
    facts = machine()
    with tempfile.TemporaryDirectory(dir=options.folder) as name, Postgres.start() as server:
        report = asyncio.run(compare(Path(name), server, options))
    facts["load_average_after"] = round(os.getloadavg()[0], 2)
    print(json.dumps(report["growth"], indent=2))
    options.output.write_text(json.dumps({"machine": facts, **report}, indent=2) + "\n")


if __name__ == "__main__":
    main()
