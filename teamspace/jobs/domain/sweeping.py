"""Time-driven changes: expire leases, start scheduled and parked jobs, archive old ones.

Every server sweeps. Each step only changes rows that are still in the state it found, so concurrent sweeps are safe.
"""

import logging
from collections.abc import Collection, Sequence
from functools import partial

from teamspace import quota
from teamspace.core import clock
from teamspace.core.db import Db, in_batches
from teamspace.core.principal import system
from teamspace.jobs import store
from teamspace.jobs.domain import changes
from teamspace.jobs.domain.channels import local_channel
from teamspace.jobs.domain.queue import Queue

log = logging.getLogger("teamspace.jobs")
ARCHIVE_AFTER = 7 * 24 * 3600
_FORGET_CHANNELS_AFTER = 24 * 3600
_BATCH = 200
_REWRITTEN_PER_BATCH = 10
"""Each may have an input of 2 MiB and a result, which are written anew."""


async def sweep(db: Db, queue: Queue) -> None:
    """Runs once a second."""
    while expired := await store.select_expired(db, _REWRITTEN_PER_BATCH):
        await _expire_leases(db, queue, expired)
        if len(expired) < _REWRITTEN_PER_BATCH:
            break
    if await store.has_changed(db):
        await _promote_changed(db, queue)
    while await _ready_due(db, queue) == _BATCH:
        pass


async def recover(db: Db, remote_executors: Collection[str]) -> None:
    """End the leases of the previous run, when the only server starts: its jobs need not wait for their expiry.

    Jobs of remote executors keep running. Model calls of the previous run are not waited for either.
    """
    async with db.maintenance(system()) as tx:
        await quota.forget_asked(tx)
        for executor_id in await store.select_running_executors(tx):
            if executor_id not in remote_executors:
                await store.end_leases(tx, executor_id)


async def tidy(db: Db, queue: Queue) -> None:
    """Runs now and then: promote lanes that were missed, withdraw jobs that no worker can take, archive old jobs."""
    async with db.maintenance(system()) as tx:
        await store.withdraw_suspended(tx)
        await store.withdraw_unserved(tx)
    await in_batches(db, partial(store.delete_stale_channels, ago=_FORGET_CHANNELS_AFTER))
    await queue.promote_waiting(db)
    await in_batches(db, partial(store.archive, ago=ARCHIVE_AFTER), _REWRITTEN_PER_BATCH)


async def delete_old(db: Db, days: int) -> None:
    """Delete jobs that ended so many days ago, except steps of workflows; called periodically."""
    await in_batches(db, partial(store.delete_old, ago=days * clock.DAY), _REWRITTEN_PER_BATCH)


async def _expire_leases(db: Db, queue: Queue, ids: Sequence[str]) -> None:
    try:
        await _expire(db, queue, ids)
    except Exception:
        log.exception("ending %d expired leases failed, retrying one by one", len(ids))
        for id in ids:
            await _expire_alone(db, queue, id)


async def _expire_alone(db: Db, queue: Queue, id: str) -> None:
    """End one expired lease, if need be without telling its kind: the job must not stay in its lane for ever."""
    try:
        await _expire(db, queue, [id])
    except Exception:
        log.exception("the kind of job %s failed when it was told that the job is lost", id)
        await _expire(db, queue, [id], tell_kinds=False)


async def _expire(db: Db, queue: Queue, ids: Sequence[str], *, tell_kinds: bool = True) -> None:
    async with db.maintenance(system()) as tx:
        await queue.expire(tx, ids, tell_kinds=tell_kinds)


async def _promote_changed(db: Db, queue: Queue) -> None:
    """Promote the lanes of companies that were marked as changed, by any server."""
    async with db.maintenance(system()) as tx:
        marked = await store.take_changed(tx)
    for org_id in marked:
        await queue.promote_waiting(db, org_id or None)
    if "" in marked:
        # Nothing was claimed while the tenant was suspended, and no worker was notified of the admitted jobs.
        queue.notify(
            {local_channel(kind.name) for kind in queue.kinds}
            | {channel.channel for channel in await store.select_channels(db)}
        )


async def _ready_due(db: Db, queue: Queue) -> int:
    async with db.maintenance(system()) as tx:
        due = await store.ready_due(tx, _BATCH)
        await changes.record(tx, due)
    queue.mark_dirty(job.lane for job in due)
    queue.notify({job.channel for job in due})  # parked jobs have kept their rank
    return len(due)
