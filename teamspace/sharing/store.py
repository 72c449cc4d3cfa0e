"""Grants, and what is in the trash, in SQL: one statement per function, no rules."""

from typing import TypeVar

from teamspace.core.db import Fence, Reads, Tx, columns
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal
from teamspace.core.tables import Invariant
from teamspace.sharing.schemas import (
    GRANT_COLUMNS,
    PRINCIPALS,
    GrantRow,
    OwnedRow,
    PrincipalType,
    ReceivedGrant,
    Shareable,
    not_expired,
)

Row = TypeVar("Row", bound=OwnedRow)


async def select_grants(db: Reads, kind: Shareable, id: str) -> list[GrantRow[Permission]]:
    return await db.all(
        GrantRow[Permission],
        f"SELECT {GRANT_COLUMNS.format(level='permission')} FROM {kind.grants} WHERE {kind.key} = :id ORDER BY principal_type, principal_id",
        id=id,
    )  # fmt: skip


async def select_received(
    db: Reads, kind: str, who: Principal, before: tuple[str, str], limit: int
) -> list[ReceivedGrant]:
    """Return the newest grants to the caller and to their team before this time and id of a thing.

    Each says whether it is the caller's newest that counts. That is no condition: a statement with it would read on until
    it has found enough.
    """
    branches = [
        f"SELECT * FROM (SELECT {kind}_id AS id, granted_by, created_at, expires_at FROM {kind}_grants"
        f" WHERE principal_id = {principal_id} AND principal_type = '{principal_type}'"
        f" AND (created_at, {kind}_id) < (:at, :id) ORDER BY created_at DESC, {kind}_id DESC LIMIT :limit) AS branch"
        for principal_type, principal_id in PRINCIPALS
    ]
    newer = [
        f"EXISTS (SELECT 1 FROM {kind}_grants AS newer WHERE newer.{kind}_id = received.id"
        f" AND newer.principal_type = '{principal_type}' AND newer.principal_id = {principal_id}"
        f" AND newer.created_at > received.created_at AND {_counts('newer')})"
        for principal_type, principal_id in PRINCIPALS
    ]
    return await db.all(
        ReceivedGrant,
        f"SELECT '{kind}', id, granted_by, created_at, {_counts('received')} AND NOT ({' OR '.join(newer)}) FROM"
        f" ({' UNION ALL '.join(branches)} ORDER BY created_at DESC, id DESC LIMIT :limit) AS received"
        " ORDER BY created_at DESC, id DESC",
        user_id=who.user_id, team_id=who.team_id, at=before[0], id=before[1], limit=limit,
    )  # fmt: skip


def _counts(grants: str) -> str:
    return f"{not_expired(grants)} AND {grants}.granted_by <> :user_id"


async def admits(db: Reads, kind: Shareable, fence: Fence, id: str) -> bool:
    return await db.exists(f"SELECT 1 FROM {kind.table} WHERE id = :id AND {fence.sql}", id=id, **fence.params)


async def select_readers(db: Reads, kind: Shareable, fence: Fence, id: str) -> list[str]:
    """Return the owner and those it is shared with, as `events.Readers`."""
    table = kind.table
    return await db.all(
        str,
        f"SELECT 'user:' || {table}.owner_id FROM {table} JOIN memberships ON memberships.team_id = {table}.team_id"
        f" AND memberships.user_id = {table}.owner_id WHERE {table}.id = :id AND {fence.sql}"
        f" UNION ALL SELECT principal_type || ':' || principal_id FROM {kind.grants}"
        f" WHERE {kind.key} = :id AND {not_expired(kind.grants)}",
        id=id, **fence.params,
    )  # fmt: skip


async def put_grant(
    tx: Tx, kind: Shareable, fence: Fence, id: str, principal_type: PrincipalType, principal_id: str,
    permission: Permission, *, by: str, expires_at: str | None, now: str,
) -> bool:  # fmt: skip
    """Return False if the fence no longer admits the row."""
    repeated = "".join(f", {column}" for column in kind.repeated)
    return await tx.exists(
        f"INSERT INTO {kind.grants} ({kind.key}, principal_type, principal_id, org_id, permission, granted_by,"
        f" expires_at, created_at{repeated}) SELECT id, :principal_type, :principal_id, org_id, :permission, :by,"
        f" :expires_at, :now{repeated} FROM {kind.table} WHERE id = :id AND {fence.sql} {tx.dialect.share_lock}"
        f" ON CONFLICT ({kind.key}, principal_type, principal_id) DO UPDATE SET permission = excluded.permission,"
        " granted_by = excluded.granted_by, expires_at = excluded.expires_at, created_at = excluded.created_at"
        f" RETURNING {kind.key}",
        id=id, principal_type=principal_type, principal_id=principal_id, permission=permission, by=by,
        expires_at=expires_at, now=now, **fence.params,
    )  # fmt: skip


async def delete_grant(
    tx: Tx, kind: Shareable, fence: Fence, id: str, principal_type: PrincipalType, principal_id: str
) -> None:
    await tx.run(
        f"DELETE FROM {kind.grants} WHERE {kind.key} = :id AND principal_type = :principal_type"
        f" AND principal_id = :principal_id AND EXISTS (SELECT 1 FROM {kind.table} WHERE id = :id AND {fence.sql})",
        id=id, principal_type=principal_type, principal_id=principal_id, **fence.params,
    )  # fmt: skip


async def delete_expired_grants(tx: Tx, limit: int, *, kind: str, then: str) -> list[str]:
    """Delete grants that expired before this time; return the ids of their things."""
    key = f"{kind}_id, principal_type, principal_id"
    return await tx.all(
        str,
        f"DELETE FROM {kind}_grants WHERE ({key}) IN (SELECT {key} FROM {kind}_grants WHERE expires_at < :then"
        f" ORDER BY expires_at LIMIT :limit) RETURNING {kind}_id",
        then=then, limit=limit,
    )  # fmt: skip


# The trash: rows of any table with `trashed_at`


async def select_trashed(db: Reads, kind: type[Row], fence: Fence, before: tuple[str, str], limit: int) -> list[Row]:
    """Return the page after `before`, which is a time and an id; the newest first."""
    page = fence.in_key_order(db.dialect, ("trashed_at", "id"), newest_first=True)
    return await db.all(
        kind,
        f"SELECT {columns(kind)} FROM {fence.table} WHERE id IN (SELECT id FROM ({page}) AS page)"
        " ORDER BY trashed_at DESC, id DESC",
        after_trashed_at=before[0], after_id=before[1], limit=limit, **fence.params,
    )  # fmt: skip


async def lock_trashed(tx: Tx, kind: type[Row], fence: Fence, id: str) -> Row | None:
    """Return a row in the trash; it stays there until the commit."""
    return await tx.one(
        kind, f"SELECT {columns(kind)} FROM {fence.table} WHERE id = :id AND {fence.sql} {tx.dialect.row_lock}",
        id=id, **fence.params,
    )  # fmt: skip


async def select_expired(db: Reads, kind: type[Row], table: str, before: str, limit: int) -> list[Row]:
    """Return rows that were put in the trash before this time, of all companies."""
    return await db.all(
        kind, f"SELECT {columns(kind)} FROM {table} WHERE trashed_at < :before ORDER BY trashed_at LIMIT :limit",
        before=before, limit=limit,
    )  # fmt: skip


def principal_missing(grant: str, row: str) -> str:
    """Return the condition that a grant is for nobody of the company of its row."""
    return (
        f"({grant}.principal_type = 'user' AND NOT EXISTS"
        f" (SELECT 1 FROM users u WHERE u.id = {grant}.principal_id AND u.org_id = {row}.org_id))"
        f" OR ({grant}.principal_type = 'team' AND NOT EXISTS"
        f" (SELECT 1 FROM teams t WHERE t.id = {grant}.principal_id AND t.org_id = {row}.org_id))"
    )


# fmt: off
def invariants(kind: Shareable) -> tuple[Invariant, ...]:
    """Return what must be true of the rows of every such table."""
    table, name = kind.table, kind.name
    return (
        Invariant(f"{table}.company", f"a {name}, its team, its owner and its grants belong to one company",
            f"SELECT r.id FROM {table} r JOIN teams t ON t.id = r.team_id JOIN users u ON u.id = r.owner_id"
            " WHERE r.org_id <> t.org_id OR r.org_id <> u.org_id UNION ALL"
            f" SELECT r.id FROM {kind.grants} g JOIN {table} r ON r.id = g.{kind.key} WHERE g.org_id <> r.org_id"
            f" OR {principal_missing('g', 'r')}"),
        Invariant(f"{table}.audit", f"a {name}'s creation is in the audit log",
            f"SELECT id FROM {table} WHERE id NOT IN"
            f" (SELECT target FROM audit WHERE action = '{name}.create' AND target IS NOT NULL)"),
        Invariant(f"{table}.text", f"every {name} is in the full-text index, and no deleted one",
            f"SELECT id FROM {table} WHERE {kind.in_use} AND NOT EXISTS"
            f" (SELECT 1 FROM texts WHERE kind = '{name}' AND ref = {table}.id AND org_id = {table}.org_id) UNION ALL"
            f" SELECT ref FROM texts WHERE kind = '{name}' AND ref NOT IN"
            f" (SELECT id FROM {table} WHERE {kind.in_use})"),
        *(_trash_invariants(kind) if kind.trash else ()),
    )


def _trash_invariants(kind: Shareable) -> tuple[Invariant, ...]:
    table, name = kind.table, kind.name
    return (
        Invariant(f"{table}.trash", f"a {name} in the trash has a person who put it there, and its text is set aside",
            f"SELECT id FROM {table} WHERE (trashed_at IS NULL) <> (trashed_by IS NULL) OR (trashed_at IS NOT NULL"
            f" AND NOT EXISTS (SELECT 1 FROM texts WHERE kind = 'trashed{name}' AND ref = {table}.id)) UNION ALL"
            f" SELECT ref FROM texts WHERE kind = 'trashed{name}' AND ref NOT IN"
            f" (SELECT id FROM {table} WHERE trashed_at IS NOT NULL) UNION ALL"
            f" SELECT g.{kind.key} FROM {kind.grants} g JOIN {table} r ON r.id = g.{kind.key}"
            " WHERE coalesce(g.trashed_at, '') <> coalesce(r.trashed_at, '')"),
    )
# fmt: on
