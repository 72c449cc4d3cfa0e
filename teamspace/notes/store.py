"""Notes in SQL: one statement per function, no rules. Every SELECT of notes takes a fence."""

import msgspec

from teamspace import sharing
from teamspace.core.db import Fence, Reads, Tx, as_json, columns, placeholders
from teamspace.core.tables import Count, OwnedTable
from teamspace.notes.schemas import NOTES, NoteGrantRow, NoteItem, NoteRow

COUNTS = (Count("notes", "SELECT COUNT(*) FROM notes"),)
INVARIANTS = sharing.invariants(NOTES)
OWNED_TABLES = (OwnedTable(NOTES.table, NOTES.name),)
EXCERPT = 280
_ITEM = f"id, title, substr(body, 1, {EXCERPT}), visibility, tags, owner_id, team_id, version, created_at, updated_at"


_FILTERS = {
    "visibility": "notes.visibility = :visibility",
    "owner": "notes.owner_id = :owner",
    "tag": "EXISTS (SELECT 1 FROM note_tags WHERE note_tags.org_id = notes.org_id AND note_tags.tag = :tag"
    " AND note_tags.note_id = notes.id)",
}


_WITH_GRANTS = (
    f"SELECT {columns(NoteRow, 'notes')}, shares.principal_type, shares.principal_id, shares.permission,"
    " shares.expires_at FROM notes LEFT JOIN note_grants AS shares ON shares.note_id = notes.id"
    f" AND {sharing.not_expired('shares')} WHERE notes.id = :id AND {{fence}}"
    " ORDER BY shares.principal_type, shares.principal_id"
)


async def select(db: Reads, fence: Fence, filters: dict[str, str], before: str, limit: int) -> list[NoteItem]:
    where = " AND ".join(["TRUE", *(_FILTERS[name] for name in filters)])
    return await db.all(
        NoteItem,
        f"SELECT {_ITEM} FROM notes WHERE id IN ({fence.newest(db.dialect, where)}) ORDER BY id DESC",
        before=before, limit=limit, **fence.params, **filters,
    )  # fmt: skip


async def get(db: Reads, fence: Fence, note_id: str) -> NoteRow | None:
    return await db.one(
        NoteRow, f"SELECT {columns(NoteRow)} FROM notes WHERE id = :id AND {fence.sql}", id=note_id, **fence.params
    )


async def get_with_grants(db: Reads, fence: Fence, note_id: str) -> list[NoteGrantRow]:
    """Select the note once per grant that has not expired, at least once; nothing if the fence does not admit it."""
    return await db.all(NoteGrantRow, fence.within(_WITH_GRANTS), id=note_id, **fence.params)


async def admits(db: Reads, fence: Fence, note_id: str) -> bool:
    return await db.exists(f"SELECT 1 FROM notes WHERE id = :id AND {fence.sql}", id=note_id, **fence.params)


async def insert(tx: Tx, note: NoteRow) -> None:
    await tx.add(
        f"INSERT INTO notes ({columns(NoteRow)}) VALUES ({placeholders(NoteRow)})",
        **(msgspec.structs.asdict(note) | {"tags": as_json(note.tags)}),
    )


async def update(
    tx: Tx, fence: Fence, note_id: str, *, title: str | None, body: str | None, visibility: str | None, tags: list[str] | None,
    now: str, seen: int | None,
) -> NoteRow | None:  # fmt: skip
    """Change the fields that are not None and return the next version.

    Return None if `seen` is not the current version, or the fence does not admit the note.
    """
    condition = "" if seen is None else "AND version = :seen"
    return await tx.one(
        NoteRow,
        "UPDATE notes SET title = COALESCE(CAST(:title AS TEXT), title), body = COALESCE(CAST(:body AS TEXT), body),"
        " visibility = COALESCE(CAST(:visibility AS TEXT), visibility), tags = COALESCE(CAST(:tags AS TEXT), tags),"
        f" version = version + 1, updated_at = :now WHERE id = :id AND {fence.sql} {condition}"
        f" RETURNING {columns(NoteRow)}",
        id=note_id, title=title, body=body, visibility=visibility, tags=None if tags is None else as_json(tags),
        now=now, seen=seen, **fence.params,
    )  # fmt: skip


async def trash(tx: Tx, note_id: str, seen: int | None, *, by: str, grantee: str | None, now: str) -> bool:
    """Put the note in the trash; return False if it is there already, or `seen` is not the current version."""
    condition = "" if seen is None else "AND version = :seen"
    return await tx.exists(
        "UPDATE notes SET trashed_at = :now, trashed_by = :by, trashed_by_grantee = :grantee"
        f" WHERE id = :id AND trashed_at IS NULL {condition} RETURNING id",
        id=note_id, seen=seen, by=by, grantee=grantee, now=now,
    )  # fmt: skip


async def restore(tx: Tx, note_id: str) -> None:
    await tx.run(
        "UPDATE notes SET trashed_at = NULL, trashed_by = NULL, trashed_by_grantee = NULL WHERE id = :id", id=note_id
    )


async def delete(tx: Tx, note_id: str, trashed_at: str) -> bool:
    """Delete a note that has been in the trash since then; return False if it was taken out."""
    return await tx.exists(
        "DELETE FROM notes WHERE id = :id AND trashed_at = :trashed_at RETURNING id", id=note_id, trashed_at=trashed_at
    )


async def insert_tags(tx: Tx, note_id: str, org_id: str, tags: list[str]) -> None:
    await tx.add(
        "INSERT INTO note_tags (note_id, org_id, tag)"
        f" SELECT :note_id, :org_id, given.value FROM ({tx.dialect.json_strings.format('tags')}) AS given",
        note_id=note_id, org_id=org_id, tags=as_json(tags),
    )  # fmt: skip


async def delete_tags(tx: Tx, note_id: str) -> None:
    await tx.run("DELETE FROM note_tags WHERE note_id = :note_id", note_id=note_id)
