"""Measure what row-level security would add to a read on PostgreSQL: `python -m benchmarks.rows`.

Runs the product's statements without policies, and with policies that limit a role to the rows of one company. The
company is a session setting. It is set once (the least that policies can cost), or before every read, as a connection
pool needs it. The three variants alternate on one connection, and the medians of the rounds are compared.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import asyncpg

from benchmarks.load import percentile
from benchmarks.notes import samples
from teamspace.core.db import connect, migrate
from teamspace.core.db.dialect import POSTGRES
from teamspace.core.db.engine import Params, Row
from teamspace.core.db.handles import Reads
from teamspace.core.db.statements import number_parameters
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal
from teamspace.notes import access, store
from tests.support.postgres import Postgres

RESULT = Path(__file__).parent / "results/rows.json"
COMPANIES, ROLE, SETTING = 50, "walled", "teamspace.org_id"
TABLES = ("notes", "note_grants")
COLUMNS = (
    "id", "org_id", "team_id", "owner_id", "title", "body", "visibility", "tags", "version", "created_at", "updated_at"
)  # fmt: skip


class Recorder(Reads):
    """Records the product's statements and returns no rows."""

    def __init__(self) -> None:
        self.dialect = POSTGRES
        self.asked: list[tuple[str, Params]] = []

    async def _fetch(self, sql: str, params: Params) -> Sequence[Row]:
        self.asked.append((sql, params))
        return []


async def statements(who: Principal, note_id: str) -> dict[str, tuple[str, list[Any]]]:
    recorder, fence = Recorder(), access.fence(who, P.NOTES_READ)
    await store.select(recorder, fence, {}, "~", 51)
    await store.get_with_grants(recorder, fence, note_id)
    made = {}
    for name, (sql, params) in zip(("list", "read"), recorder.asked, strict=True):
        text, names = number_parameters(sql, "$")
        made[name] = (text, [params[each] for each in names])
    return made


async def filled(connection: Any, notes: int) -> tuple[Principal, str]:
    """Create companies with one team and one person each; return one person and one of their notes."""
    people = [(new_id(), new_id(), new_id()) for _ in range(COMPANIES)]
    now = "2026-01-01T00:00:00.000Z"
    for org, team, user in people:
        await connection.execute(
            "INSERT INTO orgs (id, slug, name, plan, created_at) VALUES ($1, $1, $1, 'free', $2)", org, now
        )
        await connection.execute(
            "INSERT INTO teams (id, org_id, slug, name, features, created_at) VALUES ($1, $2, $1, $1, '[]', $3)",
            team, org, now,
        )  # fmt: skip
        await connection.execute(
            "INSERT INTO users (id, org_id, username, username_key, display_name, operator, created_at)"
            " VALUES ($1, $2, $1, $1, $1, FALSE, $3)",
            user, org, now,
        )  # fmt: skip
    texts, rows = samples(), []
    for number in range(notes):
        (org, team, user), text = people[number % COMPANIES], texts[number % len(texts)]
        rows.append((new_id(), org, team, user, text["title"], text["body"], text["visibility"], "[]", 1, now, now))
    await connection.copy_records_to_table("notes", records=rows, columns=COLUMNS)
    await connection.execute("VACUUM ANALYZE")
    org, team, user = people[0]
    who = Principal(
        "api", Call(), user_id=user, team_id=team, org_id=org, permissions=frozenset({P.NOTES_READ, P.NOTES_WRITE})
    )
    return who, rows[-COMPANIES][0]


async def walled(connection: Any) -> None:
    await connection.execute(f"CREATE ROLE {ROLE} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO {ROLE}")
    for table in TABLES:
        await connection.execute(
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY; CREATE POLICY company ON {table} TO {ROLE}"
            f" USING (org_id = current_setting('{SETTING}'))"
        )


async def timed(connection: Any, sql: str, values: list[Any], reads: int, org_id: str = "") -> float:
    """Return the median of a read in milliseconds; with `org_id`, the company is set before each read."""
    took = []
    for _ in range(reads):
        began = time.perf_counter()
        if org_id:
            await connection.fetch(f"SELECT set_config('{SETTING}', $1, FALSE)", org_id)
        await connection.fetch(sql, *values)
        took.append(time.perf_counter() - began)
    return percentile(sorted(took), 50)


async def measured(url: str, notes: int, reads: int, rounds: int) -> dict[str, Any]:
    engine = await connect(url, pool=1)
    await migrate(engine)
    await engine.close()
    owner = await asyncpg.connect(url)
    who, note_id = await filled(owner, notes)
    await walled(owner)
    guest = await asyncpg.connect(url, user=ROLE, server_settings={SETTING: who.org_id})
    found: dict[str, Any] = {"notes": notes, "companies": COMPANIES, "reads": reads, "rounds": rounds}
    for name, (sql, values) in (await statements(who, note_id)).items():
        assert await owner.fetch(sql, *values) == await guest.fetch(sql, *values) != []
        seen: dict[str, list[float]] = {"plain_ms": [], "policies_ms": [], "policies_and_setting_ms": []}
        for _ in range(rounds):
            seen["plain_ms"].append(await timed(owner, sql, values, reads))
            seen["policies_ms"].append(await timed(guest, sql, values, reads))
            seen["policies_and_setting_ms"].append(await timed(guest, sql, values, reads, who.org_id))
        figures = {each: round(median(times), 4) for each, times in seen.items()}
        plain = figures["plain_ms"]
        extra = {
            each.replace("_ms", "_percent"): round((figures[each] / plain - 1) * 100, 1) for each in list(figures)[1:]
        }
        found[name] = {**figures, **extra}
    await guest.close()
    await owner.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="What row-level security would add to a read.")
    parser.add_argument("--notes", type=int, default=100_000)
    parser.add_argument("--reads", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    with Postgres.start() as server:
        url = server.create_database("rows")
        found = asyncio.run(measured(url, options.notes, options.reads, options.rounds))
    text = json.dumps(found, indent=2)
    RESULT.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
