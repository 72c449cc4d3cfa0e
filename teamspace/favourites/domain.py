"""Favourites and recents: what a person finds again. Nobody else sees them, so the audit log has none of it."""

from teamspace.core import clock
from teamspace.core.db import Db, Tx
from teamspace.core.errors import Conflict, NotFound
from teamspace.core.principal import Principal
from teamspace.favourites import access, store
from teamspace.favourites.schemas import KEPT_RECENTS, MAX_FAVOURITES, Shelf, ShortcutKind, Shortcuts


async def listing(db: Db, who: Principal, shelf: Shelf) -> Shortcuts:
    return Shortcuts(await store.select(db, shelf, who, access.readable_kinds(who)))


async def add_favourite(db: Db, who: Principal, kind: str, subject_id: str) -> None:
    kinds = access.readable_kinds(who)
    async with db.write(who, None, lock=_lock(who)) as tx:
        await _put(tx, "favourites", _kind(kinds, kind), subject_id)
        if await store.count(tx, "favourites", who) > MAX_FAVOURITES:
            await store.delete_unreadable(tx, "favourites", kinds)
            if await store.count(tx, "favourites", who) > MAX_FAVOURITES:
                raise Conflict("favourites.limit", limit=MAX_FAVOURITES)


async def remove_favourite(db: Db, who: Principal, kind: str, subject_id: str) -> None:
    async with db.write(who, None, lock=_lock(who)) as tx:
        if not await store.delete(tx, "favourites", kind, subject_id):
            raise NotFound()


async def open_recent(db: Db, who: Principal, kind: str, subject_id: str) -> None:
    """Note that the caller has opened it."""
    kinds = access.readable_kinds(who)
    async with db.write(who, None, lock=_lock(who), durable=False) as tx:
        await _put(tx, "recents", _kind(kinds, kind), subject_id)
        await store.delete_oldest(tx, "recents", KEPT_RECENTS)


def _lock(who: Principal) -> tuple[str, str]:
    """Two requests of a person wait for each other, so that limits hold."""
    return ("favourites", who.user_id)


async def _put(tx: Tx, shelf: Shelf, kind: ShortcutKind, subject_id: str) -> None:
    if not await store.put(tx, shelf, kind, subject_id, clock.stamp()):
        raise NotFound()


def _kind(kinds: tuple[ShortcutKind, ...], name: str) -> ShortcutKind:
    for kind in kinds:
        if kind.name == name:
            return kind
    raise NotFound()
