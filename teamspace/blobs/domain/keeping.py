"""Keeping bytes and letting go of them, so that neither a crash nor a race loses any that a row names.

A small blob comes in the transaction whose row names it. A large one is pinned in the database, then written
and synced, then named by a row. The collector takes a blob only when nothing names it and its pin is old, and
removes the file before its own commit: whoever wants the same bytes meanwhile waits for that commit, finds no
row, and writes them anew.
"""

import asyncio
import time
from collections.abc import Sequence

from teamspace.blobs import store
from teamspace.blobs.domain.drafts import drafted, once
from teamspace.blobs.schemas import Blob, BlobStore, Draft
from teamspace.core import clock, pools
from teamspace.core.db import Db, Tx
from teamspace.core.errors import StorageFull
from teamspace.core.principal import Principal, system
from teamspace.core.tables import Kept

GRACE = clock.DAY
_BATCH = 50


async def keep(db: Db, files: BlobStore, who: Principal, org_id: str, data: bytes) -> str:
    """The digest under which the bytes are safe now; a row should name it within a day."""
    async with drafted(files, once(data)) as draft:
        await store_draft(db, files, who, org_id, draft)
        if draft.data is not None:
            async with db.upkeep(who) as tx:
                await name(tx, org_id, draft)
        return draft.digest


async def store_draft(db: Db, files: BlobStore, who: Principal, org_id: str, draft: Draft) -> None:
    """A large draft becomes a blob, under its digest; a small one does when it is named.

    The bytes were brought: to know a digest opens nothing.
    """
    if draft.data is not None:
        return
    async with db.upkeep(who) as tx:  # on disk before the file is: else a crash could leave one that no row knows
        await store.pin(tx, org_id, draft, clock.stamp())
    await files.put(org_id, draft.digest, draft.path)


async def name(tx: Tx, org_id: str, draft: Draft) -> None:
    """For the transaction whose row names a draft that was stored."""
    if draft.data is None:
        await hold(tx, org_id, draft.digest)
    else:
        await store.pin(tx, org_id, draft, clock.stamp())


async def hold(tx: Tx, org_id: str, digest: str) -> None:
    """For the transaction that names a blob. Whoever takes longer than the grace to come to it has lost it."""
    if not await store.hold(tx, org_id, digest):
        raise StorageFull("It took too long to be stored, and was collected meanwhile: send it again.")


async def release(tx: Tx, org_id: str, digests: Sequence[str]) -> None:
    """Rows that named them go with this transaction: the grace begins now."""
    if digests:  # the mark of a removal has none
        await store.touch(tx, org_id, digests, clock.stamp())


async def collect(db: Db, files: BlobStore, kept: Sequence[Kept]) -> int:
    """Remove what nothing names any more, unless a backup is reading it just now; how many that were."""
    with files.collecting() as free:
        if not free:
            return 0
        await pools.UPKEEP.run(files.check)  # one that is away must not hold up a transaction
        files.discard_stale(time.time() - GRACE)  # by the clock that dated the files
        return await _collect(db, files, kept)


async def _collect(db: Db, files: BlobStore, kept: Sequence[Kept]) -> int:
    total = 0
    while True:
        async with db.upkeep(system()) as tx:
            unused = await store.delete_unused(tx, kept, clock.ago(GRACE), _BATCH)
            await _deleted(files, unused)
        total += len(unused)
        if len(unused) < _BATCH:
            return total


async def _deleted(files: BlobStore, unused: Sequence[Blob]) -> None:
    """All at once, since a bucket may be far. Each has ended when this does, however the others end: the next to bring
    these bytes only waits for the transaction."""
    stored = [blob for blob in unused if not blob.in_row]
    ends = await asyncio.gather(*(files.delete(blob.org_id, blob.digest) for blob in stored), return_exceptions=True)
    for fault in filter(None, ends):
        raise fault
