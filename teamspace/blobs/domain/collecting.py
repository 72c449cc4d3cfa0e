"""Letting go of bytes that no row names any more.

Whoever stops naming a blob says so, and the collector looks at those alone. It marks what nothing names, deletes the
files outside any transaction, since a bucket may be far away, and then the rows. Meanwhile nobody can name what is
marked: whoever brings the same bytes waits until they are gone, and writes them anew.
"""

import asyncio
import logging
import time
from collections.abc import Sequence

from teamspace.blobs import store
from teamspace.blobs.domain import keeping
from teamspace.blobs.schemas import Blob, BlobStore
from teamspace.core import clock, pools
from teamspace.core.db import Db
from teamspace.core.principal import system
from teamspace.core.tables import Kept

log = logging.getLogger("teamspace.blobs")
_BATCH = 100
_REMOVAL = 300
"""For how long what is marked stays so, if the collector dies before it is done."""
_DELETING = 30.0
"""How long the deletion of a batch may take: far less, so that none comes late."""


async def collect(db: Db, files: BlobStore, kept: Sequence[Kept], *, retention: float) -> int:
    """Remove what nothing has named for so many seconds, unless a backup is reading it just now; how many that were."""
    with files.collecting() as free:
        if not free:
            return 0
        await pools.UPKEEP.run(files.check)
        await pools.UPKEEP.run(files.discard_stale, time.time() - keeping.UNNAMED)  # by the clock that dated the files
        due = clock.ago(retention)
        total = 0
        while True:
            looked_at, removed = await _collect_some(db, files, kept, due)
            total += removed
            if looked_at < _BATCH:
                return total


async def _collect_some(db: Db, files: BlobStore, kept: Sequence[Kept], due: str) -> tuple[int, int]:
    """How many were looked at, and how many are no more."""
    now, until = clock.stamp(), clock.later(_REMOVAL)
    async with db.upkeep(system()) as tx:
        settled = await store.settle_named(tx, kept, due=due, now=now, limit=_BATCH)
        in_rows = await store.delete_unused_rows(tx, kept, due=due, now=now, limit=_BATCH - settled)
        left = _BATCH - settled - in_rows
        in_files = await store.begin_removal(tx, kept, due=due, now=now, until=until, limit=left)
    removed = await _remove(db, files, in_files, until)
    return settled + in_rows + len(in_files), in_rows + removed


async def _remove(db: Db, files: BlobStore, marked: Sequence[Blob], until: str) -> int:
    deletions = [asyncio.create_task(files.delete(blob.org_id, blob.digest)) for blob in marked]
    if deletions:
        await asyncio.wait(deletions, timeout=_DELETING)
    async with db.upkeep(system()) as tx:
        for blob, deletion in zip(marked, deletions, strict=True):
            if _succeeded(deletion):
                await store.end_removal(tx, blob, until)
            elif deletion.done():
                await store.break_off_removal(tx, blob, until, clock.stamp())
    for deletion in deletions:
        deletion.cancel()
    faults = [fault for deletion in deletions if deletion.done() and (fault := deletion.exception())]
    if faults:
        raise faults[0]
    return sum(map(_succeeded, deletions))


def _succeeded(deletion: asyncio.Task[None]) -> bool:
    return deletion.done() and not deletion.exception()


async def search(db: Db, kept: Sequence[Kept]) -> int:
    """Find what nothing names and the collector does not know of; how many that were.

    There is none while everybody who stops naming a blob says so. This looks at every blob, and need not be often.
    """
    after, total = ("", ""), 0
    while page := await store.select(db, after, _BATCH):
        if forgotten := await store.select_forgotten(db, kept, after, _BATCH):
            async with db.upkeep(system()) as tx:
                for blob in forgotten:
                    await store.release(tx, blob.org_id, [blob.digest], clock.stamp())
        total += len(forgotten)
        after = (page[-1].org_id, page[-1].digest)
    if total:
        log.warning("%d blobs were found that nothing names; they are collected", total)
    return total
