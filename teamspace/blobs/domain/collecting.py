"""Garbage collection of blobs that no row references.

A transaction that releases a reference schedules the blob, and the collector only checks scheduled blobs. It marks the
unreferenced ones, deletes the files outside any transaction, since a bucket can be slow, and then the rows. A marked
blob cannot be referenced: an upload of the same bytes waits until they are deleted, and writes them again.
"""

import asyncio
import logging
import time
from collections.abc import Sequence

from teamspace.blobs import store
from teamspace.blobs.domain import storing
from teamspace.blobs.schemas import Blob, BlobStore
from teamspace.core import clock, pools
from teamspace.core.db import Db
from teamspace.core.principal import system
from teamspace.core.tables import BlobColumn

log = logging.getLogger("teamspace.blobs")
_BATCH_SIZE = 100
_REMOVAL_SECONDS = 300
"""How long a blob stays marked if the collector dies before it is done."""
_DELETE_TIMEOUT = 30.0
"""The timeout for deleting a batch: far shorter, so that no file is deleted after its mark has expired."""


async def collect(db: Db, files: BlobStore, blob_columns: Sequence[BlobColumn], *, retention: float) -> int:
    """Delete blobs unreferenced for `retention` seconds; return how many. Does nothing while a backup is running."""
    with files.collecting() as is_allowed:
        if not is_allowed:
            return 0
        await pools.UPKEEP.run(files.check)
        await pools.UPKEEP.run(
            files.discard_stale, time.time() - storing.UNREFERENCED_SECONDS
        )  # the clock of the files' mtime
        due = clock.ago(retention)
        total = 0
        while True:
            checked, removed = await _collect_batch(db, files, blob_columns, due)
            total += removed
            if checked < _BATCH_SIZE:
                return total


async def _collect_batch(db: Db, files: BlobStore, blob_columns: Sequence[BlobColumn], due: str) -> tuple[int, int]:
    """Return how many blobs were checked, and how many deleted."""
    now, until = clock.stamp(), clock.later(_REMOVAL_SECONDS)
    async with db.maintenance(system()) as tx:
        referenced = await store.clear_referenced(tx, blob_columns, due=due, now=now, limit=_BATCH_SIZE)
        in_rows = await store.delete_unused_rows(tx, blob_columns, due=due, now=now, limit=_BATCH_SIZE - referenced)
        left = _BATCH_SIZE - referenced - in_rows
        in_files = await store.begin_removal(tx, blob_columns, due=due, now=now, until=until, limit=left)
    removed = await _remove(db, files, in_files, until)
    return referenced + in_rows + len(in_files), in_rows + removed


async def _remove(db: Db, files: BlobStore, marked: Sequence[Blob], until: str) -> int:
    deletions = [asyncio.create_task(files.delete(blob.org_id, blob.digest)) for blob in marked]
    if deletions:
        await asyncio.wait(deletions, timeout=_DELETE_TIMEOUT)
    async with db.maintenance(system()) as tx:
        for blob, deletion in zip(marked, deletions, strict=True):
            if _succeeded(deletion):
                await store.end_removal(tx, blob, until)
            elif deletion.done():
                await store.abort_removal(tx, blob, until, clock.stamp())
    for deletion in deletions:
        deletion.cancel()
    faults = [fault for deletion in deletions if deletion.done() and (fault := deletion.exception())]
    if faults:
        raise faults[0]
    return sum(map(_succeeded, deletions))


def _succeeded(deletion: asyncio.Task[None]) -> bool:
    return deletion.done() and not deletion.exception()


async def find_untracked(db: Db, blob_columns: Sequence[BlobColumn]) -> int:
    """Schedule unreferenced blobs that were never released; return how many.

    There are none unless a release was forgotten. This reads every blob row, so run it rarely.
    """
    after, total = ("", ""), 0
    while page := await store.select(db, after, _BATCH_SIZE):
        if untracked := await store.select_untracked(db, blob_columns, after, _BATCH_SIZE):
            async with db.maintenance(system()) as tx:
                for blob in untracked:
                    await store.release_references(tx, blob.org_id, [blob.digest], clock.stamp())
        total += len(untracked)
        after = (page[-1].org_id, page[-1].digest)
    if total:
        log.warning("found %d unreferenced blobs that were never released; they will be collected", total)
    return total
