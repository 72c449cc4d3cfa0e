"""Keeping bytes and letting go of them, so that neither a crash nor a race loses any that a row names.

A blob is pinned in the database, then written and synced, then named by a row. The collector takes a
blob only when nothing names it and its pin is old, and removes the file before its own commit: whoever
wants the same bytes meanwhile waits for that commit, finds no row, and writes them anew.
"""

import hashlib
from collections.abc import Sequence

from teamspace.blobs import store
from teamspace.blobs.schemas import BlobStore, DamagedBlob
from teamspace.core import clock
from teamspace.core.db import Db
from teamspace.core.principal import Principal, system
from teamspace.core.tables import Kept

GRACE = clock.DAY
_BATCH = 50


async def keep(db: Db, files: BlobStore, who: Principal, org_id: str, data: bytes) -> str:
    """The digest under which the bytes are safe now; a row should name it within a day."""
    digest = hashlib.sha256(data).hexdigest()
    async with db.upkeep(who) as tx:
        await store.pin(tx, org_id, digest, len(data), clock.stamp())
    await files.put(org_id, digest, data)
    return digest


async def read(files: BlobStore, org_id: str, digest: str) -> bytes:
    """The bytes, proven to be the ones that were kept."""
    data = await files.get(org_id, digest)
    if hashlib.sha256(data).hexdigest() != digest:
        raise DamagedBlob(f"blob {digest} is damaged")
    return data


async def collect(db: Db, files: BlobStore, kept: Sequence[Kept]) -> int:
    """Remove what nothing names any more, unless a backup is reading it just now; how many that were."""
    with files.collecting() as free:
        if not free:
            return 0
        files.discard_stale(clock.now() - GRACE)
        return await _collect(db, files, kept)


async def _collect(db: Db, files: BlobStore, kept: Sequence[Kept]) -> int:
    total = 0
    while True:
        async with db.upkeep(system()) as tx:
            unused = await store.delete_unused(tx, kept, clock.ago(GRACE), _BATCH)
            for blob in unused:
                await files.delete(blob.org_id, blob.digest)
        total += len(unused)
        if len(unused) < _BATCH:
            return total
