"""Keeping bytes, so that neither a crash nor a race loses any that a row names; `collecting` lets go of the others.

A small blob comes in the transaction whose row names it. A large one is put on record in the database, then written
and synced, then named by a row; until then the collector leaves it alone.
"""

import asyncio
from collections.abc import Sequence

from teamspace.blobs import store
from teamspace.blobs.domain.drafts import drafted, once
from teamspace.blobs.schemas import BlobStore, Draft
from teamspace.core import clock
from teamspace.core.db import Db, Tx
from teamspace.core.errors import Overloaded, StorageFull
from teamspace.core.principal import Principal

UNNAMED = clock.DAY
"""For how long bytes that were brought wait for a row to name them."""
_WAIT_FOR_REMOVAL = 30.0
_LOOK_AGAIN = 0.05


async def keep(db: Db, files: BlobStore, who: Principal, org_id: str, data: bytes) -> str:
    """The digest under which the bytes are safe now; a row should name it within a day."""
    async with drafted(files, once(data)) as draft:
        if draft.data is not None:
            async with db.upkeep(who) as tx:
                await store.pin(tx, org_id, draft, clock.later(UNNAMED), clock.stamp())
        await store_draft(db, files, who, org_id, draft)
        return draft.digest


async def store_draft(db: Db, files: BlobStore, who: Principal, org_id: str, draft: Draft) -> None:
    """A large draft becomes a blob, under its digest; a small one does when it is named.

    The bytes were brought: to know a digest opens nothing.
    """
    if draft.data is None:
        await _pin(db, who, org_id, draft)  # before there is a file: else a crash could leave one that no row knows
        await files.put(org_id, draft.digest, draft.path)


async def _pin(db: Db, who: Principal, org_id: str, draft: Draft) -> None:
    """Should the same bytes be just being deleted, then after that."""
    try:
        async with asyncio.timeout(_WAIT_FOR_REMOVAL):
            while True:
                async with db.upkeep(who) as tx:
                    if await store.pin(tx, org_id, draft, clock.later(UNNAMED), clock.stamp()):
                        return
                await asyncio.sleep(_LOOK_AGAIN)
    except TimeoutError:
        raise Overloaded("The same bytes are being deleted.", 60) from None


async def name(tx: Tx, org_id: str, draft: Draft) -> None:
    """For the transaction whose row names a draft that was stored."""
    if draft.data is None:
        await hold(tx, org_id, draft.digest)
    else:
        await store.pin(tx, org_id, draft, None, clock.stamp())


async def hold(tx: Tx, org_id: str, digest: str) -> None:
    """For the transaction that names a blob. Whoever takes longer than a day to come to it has lost it."""
    if not await store.hold(tx, org_id, digest):
        raise StorageFull("It took too long to be stored, and was collected meanwhile: send it again.")


async def release(tx: Tx, org_id: str, digests: Sequence[str]) -> None:
    """Rows that named them go with this transaction: unless others do, the collector takes them."""
    if digests:  # the mark of a removal has none
        await store.release(tx, org_id, digests, clock.stamp())
