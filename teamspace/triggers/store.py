"""Triggers in SQL: one statement per function, no rules."""

from collections.abc import Sequence

import msgspec

from teamspace.core.db import Fence, Reads, Tx, as_json, columns, placeholders
from teamspace.core.tables import Invariant
from teamspace.triggers.schemas import (
    Ancestry,
    FireRow,
    TriggerInput,
    TriggerPattern,
    TriggerRow,
    VisibleFire,
)

# Triggers


async def select(db: Reads, fence: Fence) -> list[TriggerRow]:
    return await db.all(
        TriggerRow,
        f"SELECT {columns(TriggerRow)} FROM doc_triggers WHERE {fence.sql} ORDER BY id DESC",
        **fence.params,
    )


async def get(db: Reads, fence: Fence, trigger_id: str) -> TriggerRow | None:
    return await db.one(
        TriggerRow,
        f"SELECT {columns(TriggerRow)} FROM doc_triggers WHERE id = :id AND {fence.sql}",
        id=trigger_id, **fence.params,
    )  # fmt: skip


async def count(db: Reads, team_id: str) -> int:
    return await db.one(int, "SELECT COUNT(*) FROM doc_triggers WHERE team_id = :team_id", team_id=team_id) or 0


async def insert(tx: Tx, row: TriggerRow) -> None:
    await tx.run(
        f"INSERT INTO doc_triggers ({columns(TriggerRow)}) VALUES ({placeholders(TriggerRow)})", **_to_columns(row)
    )


async def update(tx: Tx, fence: Fence, row: TriggerRow) -> bool:
    """Write all fields of a trigger; return whether the fence admits it."""
    return await tx.exists(
        "UPDATE doc_triggers SET author_id = :author_id, scope = :scope, workflow_slug = :workflow_slug,"
        " match_prefix = :match_prefix, match_types = :match_types, input = :input,"
        " fire_on_derived = :fire_on_derived, enabled = :enabled, updated_at = :updated_at"
        f" WHERE id = :id AND {fence.sql} RETURNING id",
        **(_to_columns(row) | fence.params),
    )


async def lock(tx: Tx, fence: Fence, trigger_id: str) -> TriggerRow | None:
    """Return a trigger, locked until the commit."""
    return await tx.one(
        TriggerRow,
        f"SELECT {columns(TriggerRow)} FROM doc_triggers WHERE id = :id AND {fence.sql} {tx.dialect.row_lock}",
        id=trigger_id, **fence.params,
    )  # fmt: skip


async def delete(tx: Tx, fence: Fence, trigger_id: str) -> bool:
    return await tx.exists(
        f"DELETE FROM doc_triggers WHERE id = :id AND {fence.sql} RETURNING id", id=trigger_id, **fence.params
    )


def _to_columns(row: TriggerRow) -> dict[str, object]:
    scope = None if row.scope is None else as_json(row.scope)
    return msgspec.structs.asdict(row) | {
        "match_types": as_json(row.match_types), "input": as_json(row.input), "scope": scope,
    }  # fmt: skip


# Firing


async def select_enabled(tx: Tx, team_id: str) -> list[TriggerPattern]:
    return await tx.all(
        TriggerPattern,
        f"SELECT {columns(TriggerPattern)} FROM doc_triggers WHERE team_id = :team_id AND enabled ORDER BY id",
        team_id=team_id,
    )


async def lock_inputs(tx: Tx, trigger_ids: Sequence[str]) -> list[TriggerInput]:
    """Return the inputs of those triggers that still exist; they cannot be deleted before the commit."""
    return await tx.all(
        TriggerInput,
        f"SELECT id, input FROM doc_triggers WHERE id {tx.dialect.in_strings.format('ids')} ORDER BY id"
        f" {tx.dialect.share_lock}",
        ids=as_json(trigger_ids),
    )


async def insert_fires(tx: Tx, rows: Sequence[FireRow]) -> None:
    plain = [
        msgspec.structs.asdict(row) | {"params": None if row.params is None else as_json(row.params)} for row in rows
    ]
    types = dict.fromkeys(FireRow.__struct_fields__, "TEXT") | {"number": "BIGINT"}
    await tx.run(
        f"INSERT INTO trigger_fires ({columns(FireRow)})"
        f" SELECT {columns(FireRow)} FROM ({tx.dialect.json_table('rows', **types)}) AS given",
        rows=as_json(plain),
    )


async def select_source_ancestry(tx: Tx, object_id: str, number: int) -> list[Ancestry]:
    """Return the ancestry of the versions that a version was made from."""
    return await tx.all(
        Ancestry,
        "SELECT a.depth, a.triggers FROM object_derivations AS d"
        " JOIN trigger_ancestry AS a ON a.object_id = d.source_id AND a.number = d.source_number"
        " WHERE d.object_id = :id AND d.number = :number",
        id=object_id, number=number,
    )  # fmt: skip


async def get_run_ancestry(tx: Tx, run_id: str, resumed: int) -> Ancestry | None:
    """Return the ancestry of a run that a trigger started, or that resumes one, at most so many runs ago."""
    return await tx.one(
        Ancestry,
        "WITH RECURSIVE attempts (id, resumed_from, before) AS ("
        " SELECT id, resumed_from, 0 FROM runs WHERE id = :run_id"
        " UNION ALL SELECT runs.id, runs.resumed_from, attempts.before + 1 FROM attempts"
        " JOIN runs ON runs.id = attempts.resumed_from WHERE attempts.before < :resumed)"
        " SELECT t.depth, t.triggers FROM attempts JOIN trigger_runs AS t ON t.run_id = attempts.id LIMIT 1",
        run_id=run_id, resumed=resumed,
    )  # fmt: skip


async def insert_ancestry(tx: Tx, org_id: str, object_id: str, number: int, ancestry: Ancestry) -> None:
    await tx.run(
        "INSERT INTO trigger_ancestry (object_id, number, org_id, depth, triggers)"
        " VALUES (:object_id, :number, :org_id, :depth, :triggers)",
        object_id=object_id, number=number, org_id=org_id, depth=ancestry.depth, triggers=as_json(ancestry.triggers),
    )  # fmt: skip


async def insert_run_ancestry(tx: Tx, org_id: str, run_ids: Sequence[str], ancestry: Ancestry) -> None:
    await tx.run(
        "INSERT INTO trigger_runs (run_id, org_id, depth, triggers) SELECT given.value, :org_id, :depth, :triggers"
        f" FROM ({tx.dialect.json_strings.format('run_ids')}) AS given",
        run_ids=as_json(run_ids), org_id=org_id, depth=ancestry.depth, triggers=as_json(ancestry.triggers),
    )  # fmt: skip


# History


async def select_fires(db: Reads, objects: Fence, trigger_id: str, before: str, limit: int) -> list[VisibleFire]:
    """Return a page of the history of a trigger that a fence has admitted, with what `objects` admits."""
    return await db.all(
        VisibleFire,
        f"SELECT {columns(FireRow, 'f')}, objects.id IS NOT NULL FROM trigger_fires AS f"
        f" LEFT JOIN objects ON objects.id = f.object_id AND {objects.sql}"
        " WHERE f.trigger_id = :trigger_id AND f.id < :before ORDER BY f.id DESC LIMIT :limit",
        trigger_id=trigger_id, before=before, limit=limit, **objects.params,
    )  # fmt: skip


async def select_ids_after(db: Reads, after: str, limit: int) -> list[str]:
    return await db.all(
        str, "SELECT id FROM doc_triggers WHERE id > :after ORDER BY id LIMIT :limit", after=after, limit=limit
    )


async def has_more_fires(db: Reads, trigger_id: str, keep: int) -> bool:
    return await db.exists(
        "SELECT id FROM trigger_fires WHERE trigger_id = :trigger_id ORDER BY id DESC LIMIT 1 OFFSET :keep",
        trigger_id=trigger_id, keep=keep,
    )  # fmt: skip


async def delete_old_fires(tx: Tx, limit: int, trigger_id: str, keep: int) -> list[str]:
    """Delete rows of a trigger's history, but none of the newest `keep`."""
    return await tx.all(
        str,
        "DELETE FROM trigger_fires WHERE trigger_id = :trigger_id AND id IN (SELECT id FROM trigger_fires"
        " WHERE trigger_id = :trigger_id ORDER BY id DESC LIMIT :limit OFFSET :keep) RETURNING id",
        trigger_id=trigger_id, keep=keep, limit=limit,
    )  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("triggers.company", "a trigger's team belongs to its company",
        "SELECT doc_triggers.id FROM doc_triggers JOIN teams ON teams.id = doc_triggers.team_id"
        " WHERE teams.org_id <> doc_triggers.org_id"),
    Invariant("triggers.history", "a row of a trigger's history belongs to its company, and has a run or a reason",
        "SELECT f.id FROM trigger_fires AS f JOIN doc_triggers AS t ON t.id = f.trigger_id"
        " WHERE t.org_id <> f.org_id OR (f.run_id IS NULL) = (f.reason IS NULL)"),
)
# fmt: on
