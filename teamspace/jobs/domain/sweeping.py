"""What time does to jobs: leases end, delays pass, quotas begin anew, and what is long over is put away.

Every server sweeps. Each step is a change of rows that are still as they were found, so two that meet do it once.
"""

from collections.abc import Collection

from teamspace import quota
from teamspace.core.db import Db
from teamspace.core.principal import system
from teamspace.jobs import store
from teamspace.jobs.domain.places import local_place
from teamspace.jobs.domain.queue import MOST_LAPSES, Queue
from teamspace.jobs.schemas import Claimed, Fault

ARCHIVE_AFTER = 7 * 24 * 3600
_FORGET_PLACES = 24 * 3600
_BATCH = 200
LOST = Fault(
    f"Whoever worked on it was not heard of again, {MOST_LAPSES} times: it may be what ends them.",
    "lost",
    retryable=False,
)


async def sweep(db: Db, queue: Queue) -> None:
    """Once a second."""
    for held in await store.select_lapsed(db, _BATCH):
        await _lapse(db, queue, held)
    if await store.has_marks(db):
        await _follow_marks(db, queue)
    while await _due(db, queue) == _BATCH:
        pass


async def recover(db: Db, elsewhere: Collection[str]) -> None:
    """When the only server there is starts: what it held when it ended is in nobody's hands, and need not wait.

    Executors that work elsewhere go on with what they hold.
    """
    async with db.upkeep(system()) as tx:
        for executor_id in await store.select_holders(tx):
            if executor_id not in elsewhere:
                await store.end_leases(tx, executor_id)


async def tidy(db: Db, queue: Queue) -> None:
    """Now and then: lanes that somebody forgot, jobs that nobody can take, and those of long ago."""
    async with db.upkeep(system()) as tx:
        await store.withdraw_suspended(tx)
        await store.withdraw_unserved(tx)
        await store.forget_places(tx, _FORGET_PLACES)
    await queue.promote_waiting(db)
    async with db.upkeep(system()) as tx:
        await store.archive(tx, seconds=ARCHIVE_AFTER, limit=_BATCH)


async def _lapse(db: Db, queue: Queue, held: Claimed) -> None:
    async with db.upkeep(system()) as tx:
        is_last = held.lapses + 1 >= MOST_LAPSES
        if not await (store.give_up(tx, held, LOST) if is_last else store.take_back(tx, held)):
            return
        if is_last:
            await queue.tell_failure(tx, held.id, held.kind, LOST.code)
        if held.hold_id:
            await quota.release(tx, held.hold_id)
            await queue.free_slots(tx, [held.lane])
    queue.stir([held.lane])


async def _follow_marks(db: Db, queue: Queue) -> None:
    """After the commits that made them, whichever server's they were."""
    async with db.upkeep(system()) as tx:
        marked = await store.take_marks(tx)
    for org_id in marked:
        await queue.promote_waiting(db, org_id or None)
    if (
        "" in marked
    ):  # nothing was claimed while the tenant was suspended, and what is admitted has nobody to tell of it
        queue.tell(
            {local_place(kind.name) for kind in queue.kinds} | {place.place for place in await store.select_places(db)}
        )


async def _due(db: Db, queue: Queue) -> int:
    async with db.upkeep(system()) as tx:
        due = await store.ready_due(tx, _BATCH)
    queue.stir(job.lane for job in due)
    queue.tell({job.place for job in due})  # those who were parked have kept their turn
    return len(due)
