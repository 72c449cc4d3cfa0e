"""Favourites and recents in SQL: one statement per function, no rules."""

from collections.abc import Sequence

from teamspace.core.db import Reads, Tx
from teamspace.core.principal import Principal
from teamspace.core.tables import Invariant
from teamspace.favourites.schemas import Shelf, Shortcut, ShortcutKind

_OWN = "shelf.user_id = :user_id AND shelf.team_id = :team_id"


async def select(db: Reads, shelf: Shelf, who: Principal, kinds: Sequence[ShortcutKind]) -> list[Shortcut]:
    """Return the caller's own that the fences admit, newest first."""
    arms = " UNION ALL ".join(
        f"SELECT shelf.kind, shelf.subject_id AS id, {kind.title} AS title, shelf.at"
        f" FROM {shelf} AS shelf CROSS JOIN {kind.fence.table} WHERE {_is_admitted(kind)}"
        for kind in kinds
    )
    return await db.all(
        Shortcut, f"SELECT kind, id, title, at FROM ({arms}) AS found ORDER BY at DESC, id DESC", **_params(who, kinds)
    )


async def put(tx: Tx, shelf: Shelf, kind: ShortcutKind, subject_id: str, now: str) -> bool:
    """Add it, or set the time it was last opened; return whether the fence admits it."""
    at = "excluded.at" if shelf == "recents" else f"{shelf}.at"
    return await tx.exists(
        f"INSERT INTO {shelf} (user_id, team_id, kind, subject_id, org_id, at)"
        f" SELECT :user_id, :team_id, :kind, {kind.id}, :org_id, :now FROM {kind.fence.table}"
        f" WHERE {kind.id} = :subject_id AND {kind.fence.sql}"
        " ON CONFLICT (user_id, team_id, kind, subject_id)"
        f" DO UPDATE SET at = {at} RETURNING subject_id",
        kind=kind.name, subject_id=subject_id, now=now, **_params(tx.who, (kind,)),
    )  # fmt: skip


async def delete(tx: Tx, shelf: Shelf, kind: str, subject_id: str) -> bool:
    return await tx.exists(
        f"DELETE FROM {shelf} AS shelf WHERE {_OWN} AND kind = :kind AND subject_id = :subject_id RETURNING subject_id",
        kind=kind, subject_id=subject_id, user_id=tx.who.user_id, team_id=tx.who.team_id,
    )  # fmt: skip


async def count(db: Reads, shelf: Shelf, who: Principal) -> int:
    found = await db.one(
        int, f"SELECT COUNT(*) FROM {shelf} AS shelf WHERE {_OWN}", user_id=who.user_id, team_id=who.team_id
    )
    return found or 0


async def delete_unreadable(tx: Tx, shelf: Shelf, kinds: Sequence[ShortcutKind]) -> None:
    """Delete the caller's own that no fence admits."""
    admitted = " OR ".join(f"EXISTS (SELECT 1 FROM {kind.fence.table} WHERE {_is_admitted(kind)})" for kind in kinds)
    await tx.run(f"DELETE FROM {shelf} AS shelf WHERE {_OWN} AND NOT ({admitted})", **_params(tx.who, kinds))


async def delete_oldest(tx: Tx, shelf: Shelf, kept: int) -> None:
    """Delete all but the newest; of those opened in one millisecond, the order is that of `select`."""
    await tx.run(
        f"DELETE FROM {shelf} AS shelf WHERE {_OWN} AND (at, subject_id) <"
        f" (SELECT at, subject_id FROM {shelf} AS shelf WHERE {_OWN}"
        " ORDER BY at DESC, subject_id DESC LIMIT 1 OFFSET :others)",
        others=kept - 1, user_id=tx.who.user_id, team_id=tx.who.team_id,
    )  # fmt: skip


def _is_admitted(kind: ShortcutKind) -> str:
    return f"{_OWN} AND shelf.kind = '{kind.name}' AND {kind.id} = shelf.subject_id AND {kind.fence.sql}"


def _params(who: Principal, kinds: Sequence[ShortcutKind]) -> dict[str, str]:
    """Return the parameters of the statement and its fences, which have the same values where they share a name."""
    params = {"user_id": who.user_id, "team_id": who.team_id, "org_id": who.org_id}
    for kind in kinds:
        params |= kind.fence.params
    return params


# fmt: off
INVARIANTS = tuple(
    Invariant(f"{shelf}.company", f"the person and the team of {shelf} belong to one company",
        f"SELECT s.subject_id FROM {shelf} s JOIN users u ON u.id = s.user_id JOIN teams t ON t.id = s.team_id"
        " WHERE s.org_id <> u.org_id OR s.org_id <> t.org_id")
    for shelf in ("favourites", "recents")
)
# fmt: on
