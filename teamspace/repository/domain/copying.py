"""Copy objects: a new version that refers to the same blobs; no bytes are read."""

from teamspace import blobs
from teamspace.core.db import Db, Tx, retry_on_conflict
from teamspace.core.principal import Principal
from teamspace.jobs import Queue
from teamspace.repository import store
from teamspace.repository.domain import reading, writing
from teamspace.repository.schemas import ObjectRow, VersionContent, VersionDraft, VersionRow, WriteCondition


async def copy(
    db: Db,
    queue: Queue,
    who: Principal,
    source: VersionRow,
    source_key: str,
    draft: VersionDraft,
    condition: WriteCondition,
) -> tuple[ObjectRow, VersionRow]:
    """Copy a version that a fence has admitted to a key. The source key is locked, so that it cannot be deleted."""

    async def write() -> tuple[ObjectRow, VersionRow]:
        async with writing.write_key(db, who, draft, condition, source_key) as (tx, existing):
            return await insert_copy(tx, queue, who, existing, source, draft)

    return await retry_on_conflict(write)


async def insert_copy(
    tx: Tx, queue: Queue, who: Principal, existing: ObjectRow | None, source: VersionRow, draft: VersionDraft
) -> tuple[ObjectRow, VersionRow]:
    """Insert a copy of a version, in a transaction that has locked both keys and checked access."""
    content = VersionContent(source.size, source.etag, source.blob, source.sha256)
    if source.blob is not None:
        await blobs.add_reference(tx, who.org_id, source.blob)
    row, version = await writing.insert_next_version(tx, queue, who, existing, draft, content)
    if source.blob is None:
        await _copy_parts(tx, queue, who, source, row, version)
    await writing.finish(tx, draft, existing, row, version)
    return row, version


async def _copy_parts(
    tx: Tx, queue: Queue, who: Principal, source: VersionRow, row: ObjectRow, version: VersionRow
) -> None:
    await store.copy_parts(tx, source.id, version.id)
    if version.sha256 is None:
        await reading.enqueue_hash(tx, queue, who, row, version)
