"""Copies: a new version on the same bytes, which are not read."""

from teamspace import blobs
from teamspace.core.db import Db, Tx, persistently
from teamspace.core.principal import Principal
from teamspace.jobs import Queue
from teamspace.repository import store
from teamspace.repository.domain import reading, writing
from teamspace.repository.schemas import Condition, HashParts, ObjectRow, Substance, VersionRow, Work


async def copy(
    db: Db, queue: Queue, who: Principal, source: VersionRow, source_key: str, work: Work, condition: Condition
) -> tuple[ObjectRow, VersionRow]:
    """A version that a fence has admitted becomes the next one of a key; nobody deletes the source meanwhile."""
    substance = Substance(source.size, source.etag, source.blob, source.sha256)

    async def write() -> tuple[ObjectRow, VersionRow]:
        async with writing.written(db, who, work, condition, source_key) as (tx, before):
            if source.blob is not None:
                await blobs.hold(tx, who.org_id, source.blob)
            row, version = await writing.add(tx, queue, who, before, work, substance)
            if source.blob is None:
                await _copy_parts(tx, queue, who, source, version)
            return row, version

    return await persistently(write)


async def _copy_parts(tx: Tx, queue: Queue, who: Principal, source: VersionRow, version: VersionRow) -> None:
    await store.copy_parts(tx, source.id, version.id)
    if version.sha256 is None:
        await queue.enqueue(tx, who, reading.HASH_PARTS, HashParts(version.object_id, version.id))
