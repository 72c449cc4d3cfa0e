"""Say that somebody has a thing open, and who else has.

A row lives for 45 seconds and is renewed every 20. Only what others see is an event: coming, leaving, and beginning or
ceasing to edit. A renewal that comes early writes nothing.
"""

from teamspace import events
from teamspace.core.db import Db, Tx
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal, system
from teamspace.events import Change, ReadableSubjects
from teamspace.presence import store
from teamspace.presence.schemas import Looking, PresenceRow, Present

LIFETIME, RENEWAL = 45, 20
"""Seconds. Two renewals can be late before somebody seems to have left."""
_FRESH = LIFETIME - RENEWAL // 2
_MAX_PEOPLE = 50
_BATCH = 200
_KINDS = {"note": "note", "document": "object", "file": "object", "conversation": "conversation", "run": "run"}


async def look(
    db: Db, who: Principal, readable: ReadableSubjects, name: str, subject_id: str, looking: Looking
) -> Present:
    """Note that the caller has it open; return who else has. NotFound if they cannot read it."""
    kind = await _require(db, who, readable, name, subject_id)
    row = PresenceRow(kind, subject_id, who.user_id, who.org_id, looking.editing)
    if await store.get(db, kind, subject_id, who.user_id, _FRESH) != row:
        async with db.maintenance(who, durable=False) as tx:
            before = await store.get(tx, kind, subject_id, who.user_id, 0)
            await store.put(tx, row, LIFETIME)
            if before != row:
                await _record(tx, who, kind, subject_id)
    people = await store.select_others(db, kind, subject_id, who.org_id, who.user_id, _MAX_PEOPLE)
    return Present(people, RENEWAL)


async def leave(db: Db, who: Principal, readable: ReadableSubjects, name: str, subject_id: str) -> None:
    """Note that the caller has closed it. NotFound if they cannot read it."""
    kind = await _require(db, who, readable, name, subject_id)
    async with db.maintenance(who, durable=False) as tx:
        if await store.delete(tx, kind, subject_id, who.user_id):
            await _record(tx, who, kind, subject_id)


async def _require(db: Db, who: Principal, readable: ReadableSubjects, name: str, subject_id: str) -> str:
    kind = _KINDS.get(name)
    if kind is None or not await readable.select(db, who, kind, [subject_id]):
        raise NotFound()
    return kind


async def _record(tx: Tx, who: Principal, kind: str, subject_id: str) -> None:
    await events.record(tx, f"{kind}_presence", subject_id, change=Change.UPDATED, org_id=who.org_id)


async def tidy(db: Db) -> None:
    """Delete expired rows."""
    while rows := await store.select_expired(db, _BATCH):
        async with db.maintenance(system(), durable=False) as tx:
            for row in rows:
                await store.delete_expired(tx, row)
