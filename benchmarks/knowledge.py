"""Measure the knowledge graph with very many mentions: the list of entities, one entity with its page, and searches.

Half of the documents are visible to the team, the others private. Every document has 45 of many names and five that all
have. Requests go through the gate in this process, one at a time, as the owner of all documents, a member who owns
nothing, one with a grant for every document, and a person of another team who can read nothing. Run from the top of the
repository as `python -m benchmarks.knowledge`; README.md explains the report.
"""

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.listing import settings_of
from benchmarks.report import machine
from teamspace.app import prepare_folder
from teamspace.core.db import connect, migrate
from teamspace.core.principal import system
from teamspace.settings import Settings
from tests.support.postgres import Postgres
from tests.support.world import Caller, World, world

NAMES, MENTIONS = 50, 2
"""Names of a document, and mentions of each."""
COMMON = 5
"""Names that every document has."""
_PER_DOCUMENT = NAMES * MENTIONS
_BATCH = 2_000

Figures = dict[str, Any]

_NUMBERS = (
    "WITH RECURSIVE numbers (n) AS (SELECT CAST(:first AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < :last)"
)
_EACH = f"{_NUMBERS}, each_name (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM each_name WHERE i < {NAMES - 1})"
_OBJECT = "'o' || CAST(10000000 + n AS TEXT)"
_NUMBER = f"CASE WHEN i < {COMMON} THEN i ELSE {COMMON} + (n * 7919 + i * 104729) % (:names - {COMMON}) END"
_NAME = "'n' || CAST(10000000 + {} AS TEXT)"
_AT = "'2026-01-01T00:00:' || substr(CAST(100000000 + n AS TEXT), 2) || 'Z'"
STATEMENTS = (
    "INSERT INTO objects (id, org_id, team_id, owner_id, key, filename, content_type, visibility, version, numbered,"
    f" removed, size, sha256, etag, text_state, written_at, created_at, updated_at, known_version) {_NUMBERS}"
    f" SELECT {_OBJECT}, :org, :team, :owner, {_OBJECT}, {_OBJECT}, 'text/plain',"
    " CASE WHEN n % 2 = 0 THEN 'team' ELSE 'private' END, 1, 1, FALSE, 0, '', '', 'ready', :now, :now, :now, 1 FROM numbers",
    "INSERT INTO object_versions (id, object_id, org_id, number, removal, size, blob, sha256, etag, content_type,"
    f" filename, author_id, actor_kind, created_at) {_NUMBERS} SELECT 'v' || {_OBJECT}, {_OBJECT}, :org, 1, FALSE, 0, '',"
    f" '', '', 'text/plain', {_OBJECT}, :owner, 's3', :now FROM numbers",
    "INSERT INTO object_grants (object_id, principal_type, principal_id, org_id, team_id, key, removed, capability,"
    f" granted_by, created_at) {_NUMBERS} SELECT {_OBJECT}, 'user', :user, :org, :team, {_OBJECT}, FALSE, 'view', :owner,"
    " :now FROM numbers",
    "INSERT INTO kg_documents (object_id, version_id, org_id, number, dropped, unread, at, created_at)"
    f" {_NUMBERS} SELECT {_OBJECT}, 'v' || {_OBJECT}, :org, 1, 0, 0, {_AT}, :now FROM numbers",
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
    f"INSERT INTO kg_names (id, org_id, type, name, part, label, updated_at) {_NUMBERS} SELECT {_NAME.format('n')}, :org,"
    " 'person', 'person ' || CAST(10000000 + (n * 7907) % 9999991 AS TEXT), '', '', :now FROM numbers",
    "INSERT INTO texts (id, kind, ref, org_id, made_by, title, labels, body, title_words, label_words, body_words)"
    f" {_NUMBERS} SELECT 1000 + n, 'entity', {_NAME.format('n')}, :org, 1, name, '', '', name, '', ''"
    f" FROM numbers JOIN kg_names ON kg_names.id = {_NAME.format('n')}",
)


async def fill(made: World, owner: Caller, holder: Caller, mentions: int) -> None:
    documents = mentions // _PER_DOCUMENT
    facts = {
        "org": owner.org.id, "team": owner.team.id, "owner": owner.user_id, "user": holder.user_id,
        "names": max(mentions // 10, NAMES * 4), "now": "2026-01-01T00:00:00.000Z",
    }  # fmt: skip
    await _run(made, _NAMES, facts | {"first": 0, "last": facts["names"] - 1})  # type: ignore[operator]
    for first in range(0, documents, _BATCH):
        last = min(first + _BATCH, documents) - 1
        ids = {"first_id": f"o{10000000 + first}", "last_id": f"o{10000000 + last}"}
        await _run(made, (*STATEMENTS, *_AFTER), {**facts, **ids, "first": first, "last": last})
    if made.db.dialect.name == "postgres":
        await made.db.engine.script("ANALYZE")


async def _run(made: World, statements: tuple[str, ...], facts: Figures) -> None:
    for sql in statements:
        async with made.db.maintenance(system(org_id=facts["org"])) as tx:
            await tx.run(sql, **{name: value for name, value in facts.items() if f":{name}" in sql})


REQUESTS = {
    "list": "/api/kg/entities",
    "list, by type": "/api/kg/entities?type=person",
    "list, one name": "/api/kg/entities?q={rare}",
    "entity that all documents have": "/api/kg/entities/n10000000",
    "entity that few documents have": "/api/kg/entities/n10000100",
    "search": "/api/search?types=entity&q={rare}",
}


async def asked(caller: Caller, rare: str, rounds: int) -> Figures:
    found: Figures = {}
    for name, path in REQUESTS.items():
        times, size = [], 0
        for _ in range(rounds + 1):
            began = time.perf_counter()
            answer = await caller.get(path.format(rare=rare))
            times.append((time.perf_counter() - began) * 1e3)
            if answer.status_code not in (200, 404):
                raise RuntimeError(f"{path}: {answer.status_code} {answer.text}")
            body = answer.json()
            size = len(body.get("items", body.get("timeline", ())))
        found[name] = {"p50_ms": round(median(times[1:]), 2), "entries": size}
    return found


async def measured(settings: Settings, mentions: int, rounds: int) -> Figures:
    prepare_folder(settings.data)
    engine = await connect(settings.database, pool=1)
    await migrate(engine)
    await engine.close()
    async with world(settings) as made:
        owner = await made.bootstrap()
        member, holder = [await made.person(owner.org, owner.team) for _ in range(2)]
        stranger = await made.person(owner.org, await made.team(owner.org))
        began = time.perf_counter()
        await fill(made, owner, holder, mentions)
        found: Figures = {"filled_in_seconds": round(time.perf_counter() - began)}
        rare = await made.db.one(str, "SELECT substr(name, 8) FROM kg_names WHERE id = 'n10000100'") or ""
        people = {"owner": owner, "member": member, "member with grants": holder, "stranger": stranger}
        for name, caller in people.items():
            found[name] = await asked(caller, rare, rounds)
    return found


def growth(small: Figures, large: Figures) -> Figures:
    """Return how many times longer the same request takes with more mentions."""
    return {
        who: {name: round(each["p50_ms"] / small[who][name]["p50_ms"], 2) for name, each in figures.items()}
        for who, figures in large.items()
        if isinstance(figures, dict)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mentions", type=int, nargs="+", default=[10_000, 1_000_000], help="ascending")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--databases", nargs="+", choices=("sqlite", "postgres"), default=("sqlite", "postgres"))
    parser.add_argument("--folder", type=Path, help="where to work")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results/knowledge.json")
    options = parser.parse_args()
    report: Figures = {"machine": machine()}
    with tempfile.TemporaryDirectory(dir=options.folder) as name, Postgres.start() as server:
        for mentions in options.mentions:
            found: Figures = {}
            for database in options.databases:
                url = server.create_database(f"mentions{mentions}") if database == "postgres" else ""
                settings = settings_of(Path(name) / f"{database}{mentions}", url)
                found[database] = asyncio.run(measured(settings, mentions, options.rounds))
                print(json.dumps({f"{mentions:,} mentions": {database: found[database]}}, indent=2), flush=True)
            report[f"{mentions:,} mentions"] = found
    small, large = (report[f"{mentions:,} mentions"] for mentions in (options.mentions[0], options.mentions[-1]))
    report["growth"] = {database: growth(small[database], large[database]) for database in options.databases}
    print(json.dumps({"growth": report["growth"]}, indent=2))
    options.output.write_text(json.dumps(report, indent=2) + "\n")


if __name__ == "__main__":
    main()
