"""The table of blobs in SQL: one statement per function, no rules."""

from collections.abc import Sequence

from teamspace.blobs.schemas import SMALL, Blob, Draft, Sums
from teamspace.core.db import Reads, Tx, columns, listed
from teamspace.core.tables import Invariant, Kept

FOLDER_ID = "blob_folder"
"""The name of the instance's row that says in which folder the blobs lie."""


def invariants(kept: Sequence[Kept]) -> tuple[Invariant, ...]:
    return (
        Invariant("blobs.small", "small blobs lie in their rows, and no others",
            f"SELECT digest FROM blobs WHERE (data IS NULL) <> (size > {SMALL}) OR length(data) <> size"),
        Invariant("blobs.unused", "a blob that no row names is known to the collector",
            f"SELECT digest FROM blobs WHERE collect_at IS NULL AND NOT {_named(kept)}"),
    )  # fmt: skip


def _named(kept: Sequence[Kept]) -> str:
    """Whether any row names it."""
    names = (
        f"EXISTS (SELECT 1 FROM {row.table} WHERE {row.column} = blobs.digest AND {row.table}.org_id = blobs.org_id)"
        for row in kept
    )
    return f"({' OR '.join(names)})"


async def pin(tx: Tx, org_id: str, draft: Draft, collect_at: str | None, now: str) -> bool:
    """In place of a row that is there already, too: the same bytes, and if those were damaged, mended.

    False while its file is being deleted.
    """
    return await tx.holds(
        "INSERT INTO blobs (org_id, digest, size, blocks, data, collect_at)"
        " VALUES (:org_id, :digest, :size, :blocks, :data, :collect_at)"
        " ON CONFLICT (org_id, digest) DO UPDATE SET size = excluded.size, blocks = excluded.blocks,"
        " data = excluded.data, collect_at = excluded.collect_at, removing_until = NULL"
        " WHERE blobs.removing_until IS NULL OR blobs.removing_until <= :now RETURNING digest",
        org_id=org_id, digest=draft.digest, size=draft.size, blocks=draft.blocks, data=draft.data,
        collect_at=collect_at, now=now,
    )  # fmt: skip


async def release(tx: Tx, org_id: str, digests: Sequence[str], collect_at: str) -> None:
    these, named = listed("digest", digests)
    await tx.run(
        f"UPDATE blobs SET collect_at = :collect_at WHERE org_id = :org_id AND digest IN ({these})",
        org_id=org_id, collect_at=collect_at, **named,
    )  # fmt: skip


async def hold(tx: Tx, org_id: str, digest: str) -> bool:
    """Whether there is such a blob; if so, a row names it with this commit.

    Written, and not only locked: a collector that waits for the row asks again of what it then says.
    """
    return await tx.holds(
        "UPDATE blobs SET collect_at = NULL WHERE org_id = :org_id AND digest = :digest AND removing_until IS NULL"
        " RETURNING digest",
        org_id=org_id, digest=digest,
    )  # fmt: skip


async def get_sums(db: Reads, org_id: str, digest: str) -> Sums | None:
    return await db.one(
        Sums,
        "SELECT size, blocks, data FROM blobs WHERE org_id = :org_id AND digest = :digest",
        org_id=org_id,
        digest=digest,
    )


# The collector. Each statement looks at the same few rows, those that are due first, and asks again of each row as it
# is once locked: somebody may have brought it in between.

_DUE = "collect_at <= :due AND (removing_until IS NULL OR removing_until <= :now)"


def _first_due(kept: Sequence[Kept], condition: str) -> str:
    return (
        "(org_id, digest) IN (SELECT org_id, digest FROM (SELECT org_id, digest, data IS NULL AS in_file FROM blobs"
        f" WHERE {_DUE} ORDER BY collect_at LIMIT :limit) AS blobs WHERE {condition.format(named=_named(kept))})"
        f" AND {_DUE}"
    )


async def settle_named(tx: Tx, kept: Sequence[Kept], *, due: str, now: str, limit: int) -> int:
    """Those that a row names need not be looked at again; how many that were."""
    settled = await tx.all(
        str,
        f"UPDATE blobs SET collect_at = NULL WHERE {_first_due(kept, '{named}')} RETURNING digest",
        due=due, now=now, limit=limit,
    )  # fmt: skip
    return len(settled)


async def delete_unused_rows(tx: Tx, kept: Sequence[Kept], *, due: str, now: str, limit: int) -> int:
    """Of those that lie in their rows."""
    deleted = await tx.all(
        str,
        f"DELETE FROM blobs WHERE {_first_due(kept, 'NOT in_file AND NOT {named}')} RETURNING digest",
        due=due, now=now, limit=limit,
    )  # fmt: skip
    return len(deleted)


async def begin_removal(tx: Tx, kept: Sequence[Kept], *, due: str, now: str, until: str, limit: int) -> list[Blob]:
    """Of those that lie in files: nobody may use them until then."""
    return await tx.all(
        Blob,
        f"UPDATE blobs SET removing_until = :until WHERE {_first_due(kept, 'in_file AND NOT {named}')}"
        f" RETURNING {columns(Blob)}",
        due=due, now=now, until=until, limit=limit,
    )  # fmt: skip


async def end_removal(tx: Tx, blob: Blob, until: str) -> None:
    """Its file is gone."""
    await tx.run(
        "DELETE FROM blobs WHERE org_id = :org_id AND digest = :digest AND removing_until = :until",
        org_id=blob.org_id, digest=blob.digest, until=until,
    )  # fmt: skip


async def break_off_removal(tx: Tx, blob: Blob, until: str, now: str) -> None:
    """Whether its file is gone is not known: whoever brings the bytes again may have it, and nobody else."""
    await tx.run(
        "UPDATE blobs SET removing_until = :now WHERE org_id = :org_id AND digest = :digest AND removing_until = :until",
        org_id=blob.org_id, digest=blob.digest, until=until, now=now,
    )  # fmt: skip


async def select_forgotten(db: Reads, kept: Sequence[Kept], after: tuple[str, str], limit: int) -> list[Blob]:
    """Of the next `limit` blobs in the order of namespace and digest, those of which the collector should know."""
    return await db.all(
        Blob,
        f"SELECT {columns(Blob)} FROM (SELECT * FROM blobs WHERE (org_id, digest) > (:org_id, :digest)"
        f" ORDER BY org_id, digest LIMIT :limit) AS blobs WHERE collect_at IS NULL AND NOT {_named(kept)}",
        org_id=after[0], digest=after[1], limit=limit,
    )  # fmt: skip


async def select(db: Reads, after: tuple[str, str], limit: int) -> list[Blob]:
    """All blobs in the order of namespace and digest, `limit` of them beyond `after`."""
    return await db.all(
        Blob,
        f"SELECT {columns(Blob)} FROM blobs WHERE (org_id, digest) > (:org_id, :digest)"
        " ORDER BY org_id, digest LIMIT :limit",
        org_id=after[0], digest=after[1], limit=limit,
    )  # fmt: skip


async def select_in_files(db: Reads, limit: int) -> list[Blob]:
    """Some of those that a row names and that lie in files."""
    return await db.all(
        Blob,
        f"SELECT {columns(Blob)} FROM blobs WHERE data IS NULL AND collect_at IS NULL LIMIT :limit",
        limit=limit,
    )  # fmt: skip


async def get_folder_id(db: Reads) -> str | None:
    return await db.one(str, f"SELECT value FROM instance WHERE name = '{FOLDER_ID}'")


async def put_folder_id(tx: Tx, id: str) -> None:
    """Unless another server has just done so."""
    await tx.run(
        f"INSERT INTO instance (name, value) VALUES ('{FOLDER_ID}', :id) ON CONFLICT (name) DO NOTHING", id=id
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
