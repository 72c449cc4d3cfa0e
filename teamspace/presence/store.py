"""Presence in SQL: one statement per function, no rules. Servers use the database's clock, so that they agree."""

from teamspace.core.db import Reads, Tx, columns
from teamspace.core.tables import TransientTable
from teamspace.presence.schemas import PresenceRow, PresentPerson

TRANSIENT = (TransientTable("presence"),)


async def get(db: Reads, kind: str, subject_id: str, user_id: str, seconds: int) -> PresenceRow | None:
    """Return the person's row if it holds for that many seconds more."""
    return await db.one(
        PresenceRow,
        f"SELECT {columns(PresenceRow)} FROM presence WHERE kind = :kind AND subject_id = :subject_id"
        " AND user_id = :user_id AND expires_at > moment(:seconds)",
        kind=kind, subject_id=subject_id, user_id=user_id, seconds=float(seconds),
    )  # fmt: skip


async def select_others(
    db: Reads, kind: str, subject_id: str, org_id: str, user_id: str, limit: int
) -> list[PresentPerson]:
    """Return who else is present at a thing that a fence has admitted."""
    return await db.all(
        PresentPerson,
        "SELECT users.id, users.display_name, presence.editing FROM presence JOIN users ON users.id = presence.user_id"
        " WHERE presence.kind = :kind AND presence.subject_id = :subject_id AND presence.org_id = :org_id"
        " AND presence.user_id <> :user_id AND presence.expires_at > moment(0)"
        " ORDER BY presence.editing DESC, presence.user_id DESC LIMIT :limit",
        kind=kind, subject_id=subject_id, org_id=org_id, user_id=user_id, limit=limit,
    )  # fmt: skip


async def put(tx: Tx, row: PresenceRow, seconds: int) -> None:
    await tx.run(
        f"INSERT INTO presence ({columns(PresenceRow)}, expires_at)"
        " VALUES (:kind, :subject_id, :user_id, :org_id, :editing, moment(:seconds))"
        " ON CONFLICT (kind, subject_id, user_id) DO UPDATE SET editing = excluded.editing, org_id = excluded.org_id,"
        " expires_at = excluded.expires_at",
        kind=row.kind, subject_id=row.subject_id, user_id=row.user_id, org_id=row.org_id, editing=row.editing,
        seconds=float(seconds),
    )  # fmt: skip


async def delete(tx: Tx, kind: str, subject_id: str, user_id: str) -> bool:
    """Return whether the person was present."""
    return await tx.exists(
        "DELETE FROM presence WHERE kind = :kind AND subject_id = :subject_id AND user_id = :user_id RETURNING user_id",
        kind=kind, subject_id=subject_id, user_id=user_id,
    )  # fmt: skip


async def select_expired(db: Reads, limit: int) -> list[PresenceRow]:
    return await db.all(
        PresenceRow,
        f"SELECT {columns(PresenceRow)} FROM presence WHERE expires_at <= moment(0) ORDER BY expires_at LIMIT :limit",
        limit=limit,
    )


async def delete_expired(tx: Tx, row: PresenceRow) -> None:
    """Delete a row that has expired, unless it was renewed."""
    await tx.run(
        "DELETE FROM presence WHERE kind = :kind AND subject_id = :subject_id AND user_id = :user_id"
        " AND expires_at <= moment(0)",
        kind=row.kind, subject_id=row.subject_id, user_id=row.user_id,
    )  # fmt: skip
