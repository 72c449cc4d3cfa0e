"""SQL of the blobs table: one statement per function, no rules."""

from collections.abc import Sequence

from teamspace.blobs.schemas import SMALL, Blob, BlobChecksums, StagedBlob
from teamspace.core.db import BATCH, Reads, Tx, as_json, columns
from teamspace.core.tables import BlobColumn, Invariant

FOLDER_ID = "blob_folder"
"""The name of the row in `instance` with the id of the blob folder."""


def invariants(blob_columns: Sequence[BlobColumn]) -> tuple[Invariant, ...]:
    return (
        Invariant("blobs.small", "only small blobs are stored in their rows, as a whole",
            f"SELECT digest FROM blobs WHERE data IS NOT NULL AND (size > {SMALL} OR length(data) <> size)"),
        Invariant("blobs.unused", "every unreferenced blob is scheduled for collection",
            f"SELECT digest FROM blobs WHERE collect_at IS NULL AND NOT {_is_referenced_sql(blob_columns)}"),
    )  # fmt: skip


def _is_referenced_sql(blob_columns: Sequence[BlobColumn]) -> str:
    """Return SQL for whether any row references the blob."""
    conditions = (
        f"EXISTS (SELECT 1 FROM {row.table} WHERE {row.column} = blobs.digest AND {row.table}.org_id = blobs.org_id)"
        for row in blob_columns
    )
    return f"({' OR '.join(conditions)})"


_UPSERT = (
    "INSERT INTO blobs (org_id, digest, size, blocks, data, collect_at)"
    " VALUES (:org_id, :digest, :size, :blocks, :data, :collect_at)"
    " ON CONFLICT (org_id, digest) DO UPDATE SET size = excluded.size, blocks = excluded.blocks,"
    " data = excluded.data, collect_at = excluded.collect_at, removing_until = NULL"
    " WHERE blobs.removing_until IS NULL OR blobs.removing_until <= :now"
)


async def upsert(tx: Tx, org_id: str, staged: StagedBlob, collect_at: str | None, now: str) -> bool:
    """Insert or replace the row. Replacing writes the same bytes, which repairs a damaged row.

    Returns False while the file is being deleted.
    """
    return await tx.exists(
        f"{_UPSERT} RETURNING digest",
        org_id=org_id, digest=staged.digest, size=staged.size, blocks=staged.blocks, data=staged.data,
        collect_at=collect_at, now=now,
    )  # fmt: skip


async def put_small(tx: Tx, org_id: str, staged: StagedBlob, now: str) -> None:
    """Insert or replace the row of a referenced blob that has no file."""
    await tx.add(
        _UPSERT, org_id=org_id, digest=staged.digest, size=staged.size, blocks=staged.blocks, data=staged.data,
        collect_at=None, now=now,
    )  # fmt: skip


async def release_references(tx: Tx, org_id: str, digests: Sequence[str], collect_at: str) -> None:
    await (tx.run_offloaded if len(digests) > BATCH else tx.run)(
        "UPDATE blobs SET collect_at = :collect_at"
        f" WHERE org_id = :org_id AND digest {tx.dialect.in_strings.format('digests')}",
        org_id=org_id, collect_at=collect_at, digests=as_json(digests),
    )  # fmt: skip


async def add_reference(tx: Tx, org_id: str, digest: str) -> bool:
    """Mark the blob as referenced by this transaction; return whether it exists.

    The row is updated, not just locked: a collector that waits for the lock then checks the new values.
    """
    return await tx.exists(
        "UPDATE blobs SET collect_at = NULL WHERE org_id = :org_id AND digest = :digest AND removing_until IS NULL"
        " RETURNING digest",
        org_id=org_id, digest=digest,
    )  # fmt: skip


async def get_checksums(db: Reads, org_id: str, digest: str) -> BlobChecksums | None:
    return await db.one(
        BlobChecksums,
        "SELECT size, blocks, data FROM blobs WHERE org_id = :org_id AND digest = :digest",
        org_id=org_id,
        digest=digest,
    )


# The collector. Each statement selects the same rows, those due first, and checks the condition again once a row is
# locked, since another transaction may have referenced the blob in between.

_DUE = "collect_at <= :due AND (removing_until IS NULL OR removing_until <= :now)"


def _first_due(blob_columns: Sequence[BlobColumn], condition: str) -> str:
    return (
        "(org_id, digest) IN (SELECT org_id, digest FROM (SELECT org_id, digest, data IS NULL AS in_file FROM blobs"
        f" WHERE {_DUE} ORDER BY collect_at LIMIT :limit) AS blobs"
        f" WHERE {condition.format(referenced=_is_referenced_sql(blob_columns))})"
        f" AND {_DUE}"
    )


async def clear_referenced(tx: Tx, blob_columns: Sequence[BlobColumn], *, due: str, now: str, limit: int) -> int:
    """Unschedule blobs that are referenced; return how many."""
    cleared = await tx.all(
        str,
        f"UPDATE blobs SET collect_at = NULL WHERE {_first_due(blob_columns, '{referenced}')} RETURNING digest",
        due=due, now=now, limit=limit,
    )  # fmt: skip
    return len(cleared)


async def delete_unused_rows(tx: Tx, blob_columns: Sequence[BlobColumn], *, due: str, now: str, limit: int) -> int:
    """Delete unreferenced blobs that are stored in their rows; return how many."""
    deleted = await tx.all(
        str,
        f"DELETE FROM blobs WHERE {_first_due(blob_columns, 'NOT in_file AND NOT {referenced}')} RETURNING digest",
        due=due, now=now, limit=limit,
    )  # fmt: skip
    return len(deleted)


async def begin_removal(
    tx: Tx, blob_columns: Sequence[BlobColumn], *, due: str, now: str, until: str, limit: int
) -> list[Blob]:
    """Mark unreferenced blobs in files for removal; they cannot be referenced until that time."""
    return await tx.all(
        Blob,
        f"UPDATE blobs SET removing_until = :until WHERE {_first_due(blob_columns, 'in_file AND NOT {referenced}')}"
        f" RETURNING {columns(Blob)}",
        due=due, now=now, until=until, limit=limit,
    )  # fmt: skip


async def end_removal(tx: Tx, blob: Blob, until: str) -> None:
    """Delete the row after its file was deleted."""
    await tx.run(
        "DELETE FROM blobs WHERE org_id = :org_id AND digest = :digest AND removing_until = :until",
        org_id=blob.org_id, digest=blob.digest, until=until,
    )  # fmt: skip


async def abort_removal(tx: Tx, blob: Blob, until: str, now: str) -> None:
    """End the removal after an error. The file may be gone, so the blob is usable only once it is stored again."""
    await tx.run(
        "UPDATE blobs SET removing_until = :now WHERE org_id = :org_id AND digest = :digest AND removing_until = :until",
        org_id=blob.org_id, digest=blob.digest, until=until, now=now,
    )  # fmt: skip


async def select_untracked(
    db: Reads, blob_columns: Sequence[BlobColumn], after: tuple[str, str], limit: int
) -> list[Blob]:
    """Return those of the next `limit` blobs, by namespace and digest, that are unreferenced but not scheduled."""
    return await db.all(
        Blob,
        f"SELECT {columns(Blob)} FROM (SELECT * FROM blobs WHERE (org_id, digest) > (:org_id, :digest)"
        " ORDER BY org_id, digest LIMIT :limit) AS blobs"
        f" WHERE collect_at IS NULL AND NOT {_is_referenced_sql(blob_columns)}",
        org_id=after[0], digest=after[1], limit=limit,
    )  # fmt: skip


async def select(db: Reads, after: tuple[str, str], limit: int) -> list[Blob]:
    """Return up to `limit` blobs after `after`, ordered by namespace and digest."""
    return await db.all(
        Blob,
        f"SELECT {columns(Blob)} FROM blobs WHERE (org_id, digest) > (:org_id, :digest)"
        " ORDER BY org_id, digest LIMIT :limit",
        org_id=after[0], digest=after[1], limit=limit,
    )  # fmt: skip


async def select_in_files(db: Reads, limit: int) -> list[Blob]:
    """Return some referenced blobs that are stored in files."""
    return await db.all(
        Blob,
        f"SELECT {columns(Blob)} FROM blobs WHERE data IS NULL AND collect_at IS NULL LIMIT :limit",
        limit=limit,
    )  # fmt: skip


async def get_folder_id(db: Reads) -> str | None:
    return await db.one(str, f"SELECT value FROM instance WHERE name = '{FOLDER_ID}'")


async def put_folder_id(tx: Tx, id: str) -> None:
    """Insert the id, unless another server already has."""
    await tx.run(
        f"INSERT INTO instance (name, value) VALUES ('{FOLDER_ID}', :id) ON CONFLICT (name) DO NOTHING", id=id
    )  # fmt: skip


async def is_known(db: Reads, org_id: str, digest: str) -> bool:
    return await db.exists(
        "SELECT 1 FROM blobs WHERE org_id = :org_id AND digest = :digest", org_id=org_id, digest=digest
    )


async def is_referenced(db: Reads, blob_columns: Sequence[BlobColumn], org_id: str, digest: str) -> bool:
    for row in blob_columns:
        sql = f"SELECT 1 FROM {row.table} WHERE {row.column} = :digest AND org_id = :org_id LIMIT 1"
        if await db.exists(sql, org_id=org_id, digest=digest):
            return True
    return False


async def select_unknown(db: Reads, row: BlobColumn, limit: int) -> list[Blob]:
    """Return blobs that are referenced but missing from the blobs table."""
    return await db.all(
        Blob,
        f"SELECT org_id, {row.column}, 0 FROM {row.table} WHERE {row.column} IS NOT NULL AND NOT EXISTS"
        f" (SELECT 1 FROM blobs WHERE blobs.org_id = {row.table}.org_id AND blobs.digest = {row.column}) LIMIT :limit",
        limit=limit,
    )
