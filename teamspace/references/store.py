"""References in SQL: one statement per function, no rules."""

from collections.abc import Sequence

from teamspace.core.db import Reads, Tx, as_json, columns
from teamspace.core.tables import Invariant
from teamspace.references.schemas import ReferenceRow, SourceKind, TargetKind

_EXISTS = {
    "note": "SELECT 1 FROM notes WHERE notes.id = given.target_id AND notes.org_id = :org_id",
    "object": "SELECT 1 FROM objects WHERE objects.id = given.target_id AND objects.org_id = :org_id",
    "person": "SELECT 1 FROM memberships WHERE memberships.user_id = given.target_id AND memberships.org_id = :org_id",
}
INVARIANTS = (
    Invariant(
        "references.sources",
        "Every reference is in a note or object of its company.",
        "SELECT id FROM text_references WHERE NOT EXISTS (SELECT 1 FROM notes WHERE source_kind = 'note'"
        " AND notes.id = source_id AND notes.org_id = text_references.org_id) AND NOT EXISTS (SELECT 1 FROM objects"
        " WHERE source_kind = 'object' AND objects.id = source_id AND objects.org_id = text_references.org_id)",
    ),
)


async def select_of_source(db: Reads, kind: SourceKind, source_id: str) -> list[ReferenceRow]:
    return await db.all(
        ReferenceRow,
        f"SELECT {columns(ReferenceRow)} FROM text_references WHERE source_kind = :kind AND source_id = :source_id",
        kind=kind, source_id=source_id,
    )  # fmt: skip


async def select_of_target(
    db: Reads, org_id: str, kind: TargetKind, target_id: str, before: str, limit: int
) -> list[ReferenceRow]:
    return await db.all(
        ReferenceRow,
        f"SELECT {columns(ReferenceRow)} FROM text_references WHERE target_kind = :kind AND target_id = :target_id"
        " AND org_id = :org_id AND id < :before ORDER BY id DESC LIMIT :limit",
        kind=kind, target_id=target_id, org_id=org_id, before=before, limit=limit,
    )  # fmt: skip


async def insert(tx: Tx, org_id: str, rows: Sequence[ReferenceRow]) -> None:
    """Insert the rows whose targets are in the company; another writer of the same text may have inserted them too."""
    given = tx.dialect.json_table("rows", **dict.fromkeys(ReferenceRow.__struct_fields__, "TEXT"))
    exists = " OR ".join(f"(given.target_kind = '{kind}' AND EXISTS ({sql}))" for kind, sql in _EXISTS.items())
    await tx.run(
        f"INSERT INTO text_references ({columns(ReferenceRow)}) SELECT {columns(ReferenceRow, 'given')}"
        f" FROM ({given}) AS given WHERE {exists}"
        " ON CONFLICT (source_kind, source_id, target_kind, target_id) DO NOTHING",
        rows=as_json(rows), org_id=org_id,
    )  # fmt: skip


async def delete(tx: Tx, ids: Sequence[str]) -> None:
    await tx.run(f"DELETE FROM text_references WHERE id {tx.dialect.in_strings.format('ids')}", ids=as_json(ids))


async def delete_of_source(tx: Tx, kind: SourceKind, source_id: str) -> None:
    await tx.run(
        "DELETE FROM text_references WHERE source_kind = :kind AND source_id = :source_id",
        kind=kind, source_id=source_id,
    )  # fmt: skip
