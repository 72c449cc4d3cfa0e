"""Delete old events: after a day, and beyond a number per company. A reader that missed them starts anew."""

from collections.abc import Sequence
from functools import partial

from teamspace.core import clock
from teamspace.core.db import Db, Tx, in_batches
from teamspace.core.principal import system
from teamspace.events import store
from teamspace.events.schemas import Position
from teamspace.events.store import OldEvent

KEEP_SECONDS = clock.DAY
KEEP_PER_COMPANY = 10_000
_BATCH = 1000
_STREAMS_PER_BATCH = 10
"""Few, since each can have hundreds of rows."""
_COUNT_SECONDS = 30.0


async def tidy(db: Db) -> None:
    while True:
        oldest = await store.select_oldest(db, _BATCH)
        limit = clock.ago(KEEP_SECONDS)
        expired = [event for event in oldest if event.at < limit]
        await _delete(db, expired)
        if len(expired) < _BATCH:
            break
    for company in await store.count_by_org(db, KEEP_PER_COMPANY, _COUNT_SECONDS):
        await _delete_excess(db, company.org_id, company.events - KEEP_PER_COMPANY)
    await in_batches(db, partial(store.delete_expired_streams, now=clock.stamp()), _STREAMS_PER_BATCH)


async def delete_stream(tx: Tx, stream_id: str) -> None:
    """Delete a stream that has ended, with what it has told."""
    await store.delete_stream(tx, stream_id)


async def _delete_excess(db: Db, org_id: str, excess: int) -> None:
    while excess > 0:
        oldest = await store.select_oldest_of_org(db, org_id, min(excess, _BATCH))
        if not oldest:
            return
        await _delete(db, oldest)
        excess -= len(oldest)


async def _delete(db: Db, events: Sequence[OldEvent]) -> None:
    """Delete events, and keep per company how far: those who have not read so far cannot resume."""
    if not events:
        return
    floors: dict[str, Position] = {}
    for event in events:
        floors[event.org_id] = max(floors.get(event.org_id, Position(0, 0)), Position(event.transaction_id, event.id))
    async with db.maintenance(system()) as tx:
        for org_id, floor in sorted(floors.items()):
            await store.raise_floor(tx, org_id, floor)
        await store.delete(tx, [event.id for event in events])
