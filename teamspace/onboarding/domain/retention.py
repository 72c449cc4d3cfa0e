"""Deletes what is no longer needed: used challenges that expired, rates of past hours, and prospects, if a team says so."""

from functools import partial

from teamspace.core import clock, ids
from teamspace.core.db import Db, in_batches
from teamspace.core.principal import Call, system
from teamspace.events import Change
from teamspace.onboarding import access, store
from teamspace.onboarding.domain import changes
from teamspace.onboarding.schemas.experience import LiveRow

_BATCH = 500


async def tidy(db: Db) -> None:
    """Called periodically."""
    for delete in (store.delete_spent, store.delete_rates):
        await in_batches(db, partial(delete, now=clock.stamp()))
    after = ""
    while found := await store.select_published(db, after, _BATCH):
        for row in found:
            await _delete_old(db, row)
        after = found[-1].id


async def _delete_old(db: Db, row: LiveRow) -> None:
    """Delete prospects that are older than their team keeps them, also while its company is suspended."""
    days = row.published.retention_days
    if days is None:
        return
    who = system(Call(while_suspended=True), org_id=row.org_id, team_id=row.team_id)
    fence, end = access.of_team(who), ids.lower_bound(clock.now() - days * clock.DAY)
    while await store.has_older_prospects(db, fence, end):
        async with db.write(who, "prospect.expire") as tx:
            deleted = await store.delete_old_prospects(tx, fence, end, _BATCH)
            tx.detail = {"count": len(deleted)}
            await changes.record(tx, row.org_id, row.team_id, *deleted, change=Change.DELETED)
