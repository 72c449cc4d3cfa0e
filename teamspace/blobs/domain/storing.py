"""Store blobs, so that neither a crash nor a race loses one that a row references; `collecting` deletes the others.

A small blob is inserted in the transaction that references it. A large one is first registered in the database, then
written and synced, then referenced by a row; until then the collector ignores it.
"""

import asyncio
from collections.abc import Sequence

from teamspace.blobs import store
from teamspace.blobs.domain.staging import as_stream, stage
from teamspace.blobs.schemas import BlobStore, StagedBlob
from teamspace.core import clock
from teamspace.core.db import Db, Tx
from teamspace.core.errors import Overloaded, StorageFull
from teamspace.core.principal import Principal

UNREFERENCED_SECONDS = clock.DAY
"""How long a stored blob can stay unreferenced before it may be collected."""
_WAIT_FOR_REMOVAL = 30.0
_RETRY_DELAY = 0.05


async def store_bytes(db: Db, files: BlobStore, who: Principal, org_id: str, data: bytes) -> str:
    """Store bytes and return their digest; a row must reference it within a day."""
    async with stage(files, as_stream(data)) as staged:
        if staged.data is not None:
            async with db.maintenance(who) as tx:
                await store.upsert(tx, org_id, staged, clock.later(UNREFERENCED_SECONDS), clock.stamp())
        await store_staged(db, files, who, org_id, staged)
        return staged.digest


async def store_staged(db: Db, files: BlobStore, who: Principal, org_id: str, staged: StagedBlob) -> None:
    """Write a large staged blob to the store; a small one is stored when it is referenced.

    Callers always have the bytes: knowing a digest gives no access to a blob.
    """
    if staged.data is None:
        await _register(db, who, org_id, staged)  # before the file: otherwise a crash could leave a file without a row
        await files.put(org_id, staged.digest, staged.path)


async def _register(db: Db, who: Principal, org_id: str, staged: StagedBlob) -> None:
    """Insert the blob's row; if the same bytes are being deleted, wait until that is done."""
    try:
        async with asyncio.timeout(_WAIT_FOR_REMOVAL):
            while True:
                async with db.maintenance(who) as tx:
                    if await store.upsert(tx, org_id, staged, clock.later(UNREFERENCED_SECONDS), clock.stamp()):
                        return
                await asyncio.sleep(_RETRY_DELAY)
    except TimeoutError:
        raise Overloaded("storage.being_deleted", 60) from None


async def reference_staged(tx: Tx, org_id: str, staged: StagedBlob) -> None:
    """Reference a stored blob in the transaction that inserts the referencing row."""
    if staged.data is None:
        await add_reference(tx, org_id, staged.digest)
    else:
        await store.put_small(tx, org_id, staged, clock.stamp())


async def add_reference(tx: Tx, org_id: str, digest: str) -> None:
    """Reference a blob in the transaction that inserts the referencing row. After a day it may have been collected."""
    if not await store.add_reference(tx, org_id, digest):
        raise StorageFull("storage.slow_upload")


async def release_references(tx: Tx, org_id: str, digests: Sequence[str]) -> None:
    """Schedule the blobs for collection, in the transaction that deletes the referencing rows.

    Blobs that other rows still reference are kept.
    """
    if digests:  # a delete marker has none
        await store.release_references(tx, org_id, digests, clock.stamp())
