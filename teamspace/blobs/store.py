"""The table of blobs in SQL: one statement per function, no rules."""

from collections.abc import Sequence

from teamspace.blobs.schemas import SMALL, Blob, Draft, Sums
from teamspace.core.db import Reads, Tx, columns, listed
from teamspace.core.tables import Invariant, Kept

INVARIANTS = (
    Invariant("blobs.small", "small blobs lie in their rows, and no others",
        f"SELECT digest FROM blobs WHERE (data IS NULL) <> (size > {SMALL}) OR length(data) <> size"),
)  # fmt: skip


async def pin(tx: Tx, org_id: str, draft: Draft, now: str) -> None:
    """In place of a row that is there already, too: the same bytes, and if those were damaged, mended."""
    await tx.run(
        "INSERT INTO blobs (org_id, digest, size, blocks, data, pinned_at)"
        " VALUES (:org_id, :digest, :size, :blocks, :data, :now)"
        " ON CONFLICT (org_id, digest) DO UPDATE SET size = excluded.size, blocks = excluded.blocks,"
        " data = excluded.data, pinned_at = excluded.pinned_at",
        org_id=org_id, digest=draft.digest, size=draft.size, blocks=draft.blocks, data=draft.data, now=now,
    )  # fmt: skip


async def touch(tx: Tx, org_id: str, digests: Sequence[str], now: str) -> None:
    these, named = listed("digest", digests)
    await tx.run(
        f"UPDATE blobs SET pinned_at = :now WHERE org_id = :org_id AND digest IN ({these})",
        org_id=org_id, now=now, **named,
    )  # fmt: skip


async def hold(tx: Tx, org_id: str, digest: str) -> bool:
    """Whether there is such a blob; if so, it stays until the commit."""
    return await tx.holds(
        f"SELECT 1 FROM blobs WHERE org_id = :org_id AND digest = :digest {tx.dialect.share}",
        org_id=org_id, digest=digest,
    )  # fmt: skip


async def get_sums(db: Reads, org_id: str, digest: str) -> Sums | None:
    return await db.one(
        Sums,
        "SELECT size, blocks, data FROM blobs WHERE org_id = :org_id AND digest = :digest",
        org_id=org_id,
        digest=digest,
    )


async def delete_unused(tx: Tx, kept: Sequence[Kept], pinned_before: str, limit: int) -> list[Blob]:
    """Blobs that no row names, and that nobody is about to name."""
    unused = " AND ".join(
        f"NOT EXISTS (SELECT 1 FROM {row.table} WHERE {row.column} = blobs.digest AND {row.table}.org_id = blobs.org_id)"
        for row in kept
    )
    return await tx.all(
        Blob,
        "DELETE FROM blobs WHERE (org_id, digest) IN (SELECT org_id, digest FROM blobs"
        f" WHERE pinned_at < :pinned_before AND {unused} LIMIT :limit)"
        # Asked again of the row as it is once locked: somebody may have pinned it in between.
        f" AND pinned_at < :pinned_before RETURNING {columns(Blob)}",
        pinned_before=pinned_before, limit=limit,
    )  # fmt: skip


async def select(db: Reads, after: tuple[str, str], limit: int) -> list[Blob]:
    """All blobs in the order of namespace and digest, `limit` of them beyond `after`."""
    return await db.all(
        Blob,
        f"SELECT {columns(Blob)} FROM blobs WHERE (org_id, digest) > (:org_id, :digest)"
        " ORDER BY org_id, digest LIMIT :limit",
        org_id=after[0], digest=after[1], limit=limit,
    )  # fmt: skip


async def is_known(db: Reads, org_id: str, digest: str) -> bool:
    return await db.holds(
        "SELECT 1 FROM blobs WHERE org_id = :org_id AND digest = :digest", org_id=org_id, digest=digest
    )


async def is_named(db: Reads, kept: Sequence[Kept], org_id: str, digest: str) -> bool:
    """Whether any row names it."""
    for row in kept:
        sql = f"SELECT 1 FROM {row.table} WHERE {row.column} = :digest AND org_id = :org_id LIMIT 1"
        if await db.holds(sql, org_id=org_id, digest=digest):
            return True
    return False


async def select_unknown(db: Reads, row: Kept, limit: int) -> list[Blob]:
    """Blobs that a row names and that the table of blobs does not."""
    return await db.all(
        Blob,
        f"SELECT org_id, {row.column}, 0 FROM {row.table} WHERE {row.column} IS NOT NULL AND NOT EXISTS"
        f" (SELECT 1 FROM blobs WHERE blobs.org_id = {row.table}.org_id AND blobs.digest = {row.column}) LIMIT :limit",
        limit=limit,
    )
