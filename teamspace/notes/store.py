"""Notes in SQL: one statement per function, no rules. Every SELECT of notes takes a fence."""

import msgspec

from teamspace.core.db import Fence, Reads, Tx, columns
from teamspace.core.permissions import Permission
from teamspace.core.tables import Count, Invariant, OwnedTable
from teamspace.notes.schemas import NoteGrant, NoteGrantRow, NoteItem, NoteRow

COUNTS = (Count("notes", "SELECT COUNT(*) FROM notes"),)
KIND = "note"
"""The kind of notes in the full-text index and in the event log."""
OWNED_TABLES = (OwnedTable("notes", KIND),)
EXCERPT = 280
_ITEM = f"id, title, substr(body, 1, {EXCERPT}), visibility, tags, owner_id, team_id, version, created_at, updated_at"


_FILTERS = {
    "visibility": "notes.visibility = :visibility",
    "owner": "notes.owner_id = :owner",
    "tag": "EXISTS (SELECT 1 FROM note_tags WHERE note_tags.org_id = notes.org_id AND note_tags.tag = :tag"
    " AND note_tags.note_id = notes.id)",
}


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
    """Select the note once per grant, at least once; nothing if the fence does not admit it."""
    return await db.all(
        NoteGrantRow,
        f"SELECT {columns(NoteRow, 'notes')}, shares.user_id, shares.permission FROM notes"
        " LEFT JOIN note_grants AS shares ON shares.note_id = notes.id"
        f" WHERE notes.id = :id AND {fence.sql}",
        id=note_id, **fence.params,
    )  # fmt: skip


async def admits(db: Reads, fence: Fence, note_id: str) -> bool:
    return await db.exists(f"SELECT 1 FROM notes WHERE id = :id AND {fence.sql}", id=note_id, **fence.params)


async def insert(tx: Tx, org_id: str, note: NoteRow) -> None:
    values = msgspec.structs.asdict(note) | {"tags": _json(note.tags)}
    await tx.run(
        "INSERT INTO notes (id, org_id, team_id, owner_id, title, body, visibility, tags, version, created_at, updated_at)"
        " VALUES (:id, :org_id, :team_id, :owner_id, :title, :body, :visibility, :tags, :version, :created_at, :updated_at)",
        org_id=org_id, **values,
    )  # fmt: skip


async def update(
    tx: Tx, note_id: str, *, title: str | None, body: str | None, visibility: str | None, tags: list[str] | None,
    now: str, seen: int | None,
) -> NoteRow | None:  # fmt: skip
    """Change the fields that are not None and return the next version; None if `seen` is not the current version."""
    condition = "" if seen is None else "AND version = :seen"
    return await tx.one(
        NoteRow,
        "UPDATE notes SET title = COALESCE(CAST(:title AS TEXT), title), body = COALESCE(CAST(:body AS TEXT), body),"
        " visibility = COALESCE(CAST(:visibility AS TEXT), visibility), tags = COALESCE(CAST(:tags AS TEXT), tags),"
        f" version = version + 1, updated_at = :now WHERE id = :id {condition} RETURNING {columns(NoteRow)}",
        id=note_id, title=title, body=body, visibility=visibility, tags=None if tags is None else _json(tags),
        now=now, seen=seen,
    )  # fmt: skip


async def delete(tx: Tx, note_id: str, seen: int | None) -> bool:
    condition = "" if seen is None else "AND version = :seen"
    return await tx.exists(f"DELETE FROM notes WHERE id = :id {condition} RETURNING id", id=note_id, seen=seen)


async def select_readers(tx: Tx, fence: Fence, note_id: str) -> list[str]:
    """Return everyone who can read a note, as `events.Readers`."""
    return await tx.all(
        str,
        "SELECT 'user:' || notes.owner_id FROM notes JOIN memberships ON memberships.team_id = notes.team_id"
        f" AND memberships.user_id = notes.owner_id WHERE notes.id = :id AND {fence.sql}"
        " UNION ALL SELECT 'user:' || user_id FROM note_grants WHERE note_id = :id"
        " UNION ALL SELECT 'role:' || team_id FROM notes WHERE id = :id AND visibility = 'team'"
        " UNION ALL SELECT 'org:' || org_id FROM notes WHERE id = :id AND visibility = 'team'",
        id=note_id, **fence.params,
    )  # fmt: skip


async def insert_tag(tx: Tx, note_id: str, org_id: str, tag: str) -> None:
    await tx.run(
        "INSERT INTO note_tags (note_id, org_id, tag) VALUES (:note_id, :org_id, :tag)",
        note_id=note_id, org_id=org_id, tag=tag,
    )  # fmt: skip


async def delete_tags(tx: Tx, note_id: str) -> None:
    await tx.run("DELETE FROM note_tags WHERE note_id = :note_id", note_id=note_id)


async def select_grants(db: Reads, note_id: str) -> list[NoteGrant]:
    return await db.all(
        NoteGrant,
        "SELECT user_id, permission FROM note_grants WHERE note_id = :note_id ORDER BY user_id",
        note_id=note_id,
    )


async def put_grant(tx: Tx, note_id: str, org_id: str, user_id: str, permission: Permission, by: str, now: str) -> None:
    await tx.run(
        "INSERT INTO note_grants (note_id, user_id, org_id, permission, granted_by, created_at)"
        " VALUES (:note_id, :user_id, :org_id, :permission, :by, :now)"
        " ON CONFLICT (note_id, user_id) DO UPDATE SET permission = excluded.permission,"
        " granted_by = excluded.granted_by, created_at = excluded.created_at",
        note_id=note_id, user_id=user_id, org_id=org_id, permission=permission, by=by, now=now,
    )  # fmt: skip


async def delete_grant(tx: Tx, note_id: str, user_id: str) -> None:
    await tx.run(
        "DELETE FROM note_grants WHERE note_id = :note_id AND user_id = :user_id", note_id=note_id, user_id=user_id
    )


def _json(tags: list[str]) -> str:
    return msgspec.json.encode(tags).decode()


# fmt: off
INVARIANTS = (
    Invariant("notes.company", "a note, its team, its owner and its grants belong to one company",
        "SELECT n.id FROM notes n JOIN teams t ON t.id = n.team_id JOIN users u ON u.id = n.owner_id"
        " WHERE n.org_id <> t.org_id OR n.org_id <> u.org_id UNION ALL"
        " SELECT g.note_id FROM note_grants g JOIN notes n ON n.id = g.note_id JOIN users u ON u.id = g.user_id"
        " WHERE g.org_id <> n.org_id OR u.org_id <> n.org_id"),
    Invariant("notes.audit", "a note's creation is in the audit log",
        "SELECT id FROM notes WHERE id NOT IN"
        " (SELECT target FROM audit WHERE action = 'note.create' AND target IS NOT NULL)"),
    Invariant("notes.text", "every note is in the full-text index, and no deleted one",
        "SELECT id FROM notes WHERE NOT EXISTS"
        " (SELECT 1 FROM texts WHERE kind = 'note' AND ref = notes.id AND org_id = notes.org_id) UNION ALL"
        " SELECT ref FROM texts WHERE kind = 'note' AND ref NOT IN (SELECT id FROM notes)"),
)
# fmt: on
