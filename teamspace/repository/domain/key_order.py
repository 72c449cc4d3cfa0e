"""List objects in key order; a folder is one entry and is skipped in one step."""

import msgspec

from teamspace.core.db import Fence, Reads
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.repository import access, store
from teamspace.repository.domain import naming
from teamspace.repository.schemas import KeyRange, ObjectRow

Position = tuple[str, str]
"""A key and an id: a position in key order."""

AFTER_ANY_ID = "~"


class Walk(msgspec.Struct, frozen=True):
    """Objects and folders in key order, and the position of the next page, if there is one."""

    entries: list[ObjectRow | str]
    next_position: Position | None


async def walk_team(
    db: Reads, who: Principal, *, prefix: str, delimiter: str, after: Position | None, size: int,
    with_deleted: bool = False,
) -> Walk:  # fmt: skip
    """List what `who` can read in their team, optionally with deleted objects."""
    fence = access.fence_with_deleted(who, P.FILES_READ) if with_deleted else access.fence(who, P.FILES_READ)
    return await walk(
        db, who, fence, only_team=who.team_id, prefix=prefix, delimiter=delimiter, after=after, size=size
    )  # fmt: skip


async def walk(
    db: Reads, who: Principal, fence: Fence, *, only_team: str | None, prefix: str, delimiter: str,
    after: Position | None, size: int,
) -> Walk:  # fmt: skip
    """List objects and folders. Any number of keys in a folder, or outside the token's prefixes, is skipped in one
    step."""
    entries: list[ObjectRow | str] = []
    positions: list[Position] = [after or (prefix, "")]
    for allowed in access.allowed_prefixes(who, P.FILES_READ, prefix):
        key_range = KeyRange(allowed, naming.successor(allowed), only_team)
        start = max(positions[-1], (allowed, ""))
        rows = await _select(db, fence, key_range, prefix, delimiter, after=start, limit=size + 1 - len(entries))
        for row in rows:
            folder = folder_of(row.key, prefix, delimiter)
            entries.append(folder or row)
            positions.append((folder and position_after(folder)) or (row.key, AFTER_ANY_ID if folder else row.id))
        if len(entries) > size:
            break
    return Walk(entries[:size], positions[size] if size and len(entries) > size else None)


async def _select(
    db: Reads, fence: Fence, key_range: KeyRange, prefix: str, delimiter: str, *, after: Position, limit: int
) -> list[ObjectRow]:
    if not delimiter:
        return await store.select_by_key(db, fence, key_range, after=after, limit=limit)
    return await store.select_by_folder(db, fence, key_range, prefix, delimiter, after=after, limit=limit)


def folder_of(key: str, prefix: str, delimiter: str) -> str | None:
    """Return the key up to the first delimiter after the prefix, or None if there is none."""
    end = key.find(delimiter, len(prefix)) if delimiter else -1
    return key[: end + len(delimiter)] if end >= 0 else None


def position_after(folder: str) -> Position | None:
    successor = naming.successor(folder)
    return None if successor is None else (successor, "")
