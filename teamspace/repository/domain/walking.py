"""Walking through keys in their order, and through what lies below a folder in one step."""

import msgspec

from teamspace.core.db import Fence, Reads
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.repository import access, store
from teamspace.repository.domain import naming
from teamspace.repository.schemas import ObjectRow, Reach

Place = tuple[str, str]
"""A key and an id: where in the order of keys something is."""

BEYOND_ANY_ID = "~"


class Walk(msgspec.Struct, frozen=True):
    """Objects and folders in the order of keys, and the place from which it goes on, if it does."""

    entries: list[ObjectRow | str]
    place: Place | None


async def of_team(
    db: Reads, who: Principal, *, prefix: str, delimiter: str, after: Place | None, size: int, removed: bool = False
) -> Walk:  # fmt: skip
    """Through what `who` can read in their team, perhaps with what was removed."""
    fence = access.with_removed(who, P.FILES_READ) if removed else access.fence(who, P.FILES_READ)
    return await walk(
        db, who, fence, only_team=who.team_id, prefix=prefix, delimiter=delimiter, after=after, size=size
    )  # fmt: skip


async def walk(
    db: Reads, who: Principal, fence: Fence, *, only_team: str | None, prefix: str, delimiter: str,
    after: Place | None, size: int,
) -> Walk:  # fmt: skip
    """Whatever lies in a folder is passed over in one step, however much it is, and so is what no prefix of a token
    admits."""
    entries: list[ObjectRow | str] = []
    places: list[Place] = [after or (prefix, "")]
    for below in access.prefixes(who, P.FILES_READ, prefix):
        reach = Reach(below, naming.successor(below), only_team)
        rows = await _rows(
            db, fence, reach, prefix, delimiter, after=max(places[-1], (below, "")), limit=size + 1 - len(entries)
        )
        for row in rows:
            folder = folder_of(row.key, prefix, delimiter)
            entries.append(folder or row)
            places.append((folder and beyond(folder)) or (row.key, BEYOND_ANY_ID if folder else row.id))
        if len(entries) > size:
            break
    return Walk(entries[:size], places[size] if size and len(entries) > size else None)


async def _rows(
    db: Reads, fence: Fence, reach: Reach, prefix: str, delimiter: str, *, after: Place, limit: int
) -> list[ObjectRow]:
    if not delimiter:
        return await store.select_by_key(db, fence, reach, after=after, limit=limit)
    return await store.select_by_folder(db, fence, reach, prefix, delimiter, after=after, limit=limit)


def folder_of(key: str, prefix: str, delimiter: str) -> str | None:
    """The key up to the first delimiter beyond the prefix."""
    end = key.find(delimiter, len(prefix)) if delimiter else -1
    return key[: end + len(delimiter)] if end >= 0 else None


def beyond(folder: str) -> Place | None:
    following = naming.successor(folder)
    return None if following is None else (following, "")
