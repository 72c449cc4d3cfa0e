"""Walking through keys in their order, and through what lies below a folder in one step."""

import msgspec

from teamspace.core.db import Fence, Reads
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.repository import access, store
from teamspace.repository.domain import naming
from teamspace.repository.schemas import ObjectRow

BEYOND_ANY_ID = "~"


class Walk(msgspec.Struct, frozen=True):
    """Objects and folders in the order of keys, and the place from which it goes on, if it does."""

    entries: list[ObjectRow | str]
    place: tuple[str, str] | None


async def of_team(
    db: Reads, who: Principal, *, prefix: str, delimiter: str, after: tuple[str, str] | None, size: int,
    removed: bool = False,
) -> Walk:  # fmt: skip
    """Through what `who` can read in their team, perhaps with what was removed."""
    fence = access.with_removed(who, P.FILES_READ) if removed else access.fence(who, P.FILES_READ)
    return await walk(
        db, fence, only_team=who.team_id, prefix=prefix, delimiter=delimiter, after=after, size=size
    )  # fmt: skip


async def walk(
    db: Reads, fence: Fence, *, only_team: str | None, prefix: str, delimiter: str, after: tuple[str, str] | None,
    size: int,
) -> Walk:  # fmt: skip
    """Whatever lies in a folder is passed over in one step, however much it is."""
    entries: list[ObjectRow | str] = []
    places: list[tuple[str, str]] = []
    after = max(after or (prefix, ""), (prefix, ""))
    while after is not None and len(entries) <= size:
        rows = await store.select_by_key(
            db, fence, only_team=only_team, prefix=prefix, beyond=naming.successor(prefix), after=after,
            limit=size + 1 - len(entries),
        )  # fmt: skip
        if not rows:
            break
        for row in rows:
            folder = folder_of(row.key, prefix, delimiter)
            after = beyond(folder) if folder else (row.key, row.id)
            entries.append(folder or row)
            places.append(after or (row.key, BEYOND_ANY_ID))
            if folder:
                break
    return Walk(entries[:size], places[size - 1] if size and len(entries) > size else None)


def folder_of(key: str, prefix: str, delimiter: str) -> str | None:
    """The key up to the first delimiter beyond the prefix."""
    end = key.find(delimiter, len(prefix)) if delimiter else -1
    return key[: end + len(delimiter)] if end >= 0 else None


def beyond(folder: str) -> tuple[str, str] | None:
    following = naming.successor(folder)
    return None if following is None else (following, "")
