"""SQL of public links: one statement per function, no rules."""

import msgspec

from teamspace.core.db import Fence, Reads, Tx, columns, placeholders
from teamspace.core.tables import EncryptedColumn, Invariant
from teamspace.links.schemas import LinkRow

ENCRYPTED = (EncryptedColumn("object_links", "token", "id"),)


async def insert(tx: Tx, row: LinkRow) -> None:
    await tx.run(
        f"INSERT INTO object_links ({columns(LinkRow)}) VALUES ({placeholders(LinkRow)})", **msgspec.structs.asdict(row)
    )


async def get_by_hash(db: Reads, token_hash: str) -> LinkRow | None:
    return await db.one(
        LinkRow, f"SELECT {columns(LinkRow)} FROM object_links WHERE token_hash = :token_hash", token_hash=token_hash
    )


async def select_of_object(db: Reads, object_id: str) -> list[LinkRow]:
    """Return the links of an object that a fence has admitted, newest first."""
    return await db.all(
        LinkRow,
        f"SELECT {columns(LinkRow)} FROM object_links WHERE object_id = :object_id ORDER BY id DESC",
        object_id=object_id,
    )  # fmt: skip


async def select_newest(db: Reads, fence: Fence, before: str, limit: int) -> list[LinkRow]:
    return await db.all(
        LinkRow,
        f"SELECT {columns(LinkRow)} FROM object_links WHERE id IN ({fence.newest(db.dialect)}) ORDER BY id DESC",
        before=before, limit=limit, **fence.params,
    )  # fmt: skip


async def get(db: Reads, fence: Fence, link_id: str) -> LinkRow | None:
    return await db.one(
        LinkRow, f"SELECT {columns(LinkRow)} FROM object_links WHERE id = :id AND {fence.sql}",
        id=link_id, **fence.params,
    )  # fmt: skip


async def get_of_object(db: Reads, object_id: str, link_id: str) -> LinkRow | None:
    """Return a link of an object that a fence has admitted."""
    return await db.one(
        LinkRow, f"SELECT {columns(LinkRow)} FROM object_links WHERE id = :id AND object_id = :object_id",
        id=link_id, object_id=object_id,
    )  # fmt: skip


async def update(tx: Tx, row: LinkRow) -> bool:
    """Return False if it is revoked."""
    return await tx.exists(
        "UPDATE object_links SET name = :name, password = :password, expires_at = :expires_at WHERE id = :id RETURNING id",
        id=row.id, name=row.name, password=row.password, expires_at=row.expires_at,
    )  # fmt: skip


async def count_of_object(db: Reads, object_id: str) -> int:
    return await db.one(int, "SELECT COUNT(*) FROM object_links WHERE object_id = :object_id", object_id=object_id) or 0


async def delete(tx: Tx, object_id: str, link_id: str) -> bool:
    return await tx.exists(
        "DELETE FROM object_links WHERE id = :id AND object_id = :object_id RETURNING id",
        id=link_id, object_id=object_id,
    )  # fmt: skip


async def count_use(tx: Tx, link_id: str, now: str, *, views: int, downloads: int) -> None:
    await tx.run(
        "UPDATE object_links SET views = views + :views, downloads = downloads + :downloads, last_used_at = :now"
        " WHERE id = :id",
        id=link_id, now=now, views=views, downloads=downloads,
    )  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("links.company", "a public link, its object and its creator belong to one company, and it has the object's team",
        "SELECT l.id FROM object_links l JOIN objects o ON o.id = l.object_id JOIN teams t ON"
        " t.id = l.creator_team_id JOIN users u ON u.id = l.creator_id WHERE l.org_id <> o.org_id OR l.org_id <> t.org_id"
        " OR l.org_id <> u.org_id OR l.team_id <> o.team_id"),
)
# fmt: on
