"""List, restore and empty the trash. What is in it, and who may restore it, is up to notes and the repository."""

from contextlib import suppress

from teamspace import notes, repository
from teamspace.core import clock, paging
from teamspace.core.db import Db, Reads
from teamspace.core.errors import BadRequest, NotFound
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.jobs import Queue
from teamspace.notes import TrashedNote
from teamspace.repository import TrashedObject
from teamspace.settings import Settings
from teamspace.trash.schemas import Emptied, Restored, TrashItem, TrashKind, TrashQuery

Trashed = TrashedNote | TrashedObject

MAX_COUNTED = 1_000
_EMPTIED_AT_ONCE = 100
_BATCH = 100
_NEWEST = ("~", "~")


async def listing(db: Db, settings: Settings, who: Principal, query: TrashQuery) -> Page[TrashItem]:
    """Return what the caller may restore, the newest first."""
    rows = await _select(db, who, _position(query), query.size + 1)
    page = paging.page(rows, query, lambda row: f"{row.trashed_at}/{row.id}")
    return Page([_to_item(row, settings) for row in page.items], page.next_cursor)


async def restore(db: Db, queue: Queue, who: Principal, id: str, key: str | None) -> Restored:
    """Take it out of the trash; NotFound if it is not there, or not the caller's to restore."""
    try:
        found = await repository.trash.restore(db, queue, who, id, key)
    except NotFound:
        note = await notes.restore(db, who, id)
        return Restored(note.id, "note", note.title, None)
    return Restored(found.id, _kind(found), _title(found), key or found.key)


async def purge(db: Db, who: Principal, id: str) -> None:
    """Delete it for good; NotFound if it is not there, or not the caller's to delete."""
    try:
        await repository.trash.purge(db, who, id)
    except NotFound:
        await notes.purge(db, who, id)


async def empty(db: Db, who: Principal) -> Emptied:
    """Delete for good what the caller may, from the newest on: a batch, and each in a transaction of its own."""
    deleted = 0
    for row in await _select(db, who, _NEWEST, _EMPTIED_AT_ONCE):
        with suppress(NotFound):  # restored or deleted meanwhile
            await (notes.purge if isinstance(row, TrashedNote) else repository.trash.purge)(db, who, row.id)
            deleted += 1
    return Emptied(deleted, len(await _select(db, who, _NEWEST, MAX_COUNTED)))


async def tidy(db: Db, days: int) -> None:
    """Delete for good what has been in the trash for so many days, also of companies that are suspended."""
    for purge_expired in (notes.purge_expired, repository.trash.purge_expired):
        while await purge_expired(db, clock.ago(days * clock.DAY), _BATCH) == _BATCH:
            pass


async def _select(db: Reads, who: Principal, before: tuple[str, str], limit: int) -> list[Trashed]:
    found: list[Trashed] = [
        *await notes.list_trashed(db, who, before, limit),
        *await repository.trash.list_trashed(db, who, before, limit),
    ]
    return sorted(found, key=lambda row: (row.trashed_at, row.id), reverse=True)[:limit]


def _position(query: TrashQuery) -> tuple[str, str]:
    """Return time and id of the last row of the previous page."""
    if query.cursor is None:
        return _NEWEST
    trashed_at, _, id = query.before.partition("/")
    if not id:
        raise BadRequest.at("cursor", "value.cursor")
    return trashed_at, id


def _to_item(row: Trashed, settings: Settings) -> TrashItem:
    until = clock.stamp(clock.seconds(row.trashed_at) + settings.trash_days * clock.DAY)
    key, size = (row.key, row.size) if isinstance(row, TrashedObject) else (None, None)
    return TrashItem(
        id=row.id, kind=_kind(row), title=_title(row), key=key, owner=row.owner_id, team_id=row.team_id, size=size,
        deleted_by=row.trashed_by, deleted_at=row.trashed_at, until=until,
    )  # fmt: skip


def _kind(row: Trashed) -> TrashKind:
    if isinstance(row, TrashedNote):
        return "note"
    return "document" if row.is_document else "file"


def _title(row: Trashed) -> str:
    return row.title if isinstance(row, TrashedNote) else repository.shown_title(row)
