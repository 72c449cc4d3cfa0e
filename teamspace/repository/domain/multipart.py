"""Multipart uploads: each part is stored when it arrives, and on completion the parts become one version.

Parts cannot be read before that, so the blob of a replaced or aborted part is released at once.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from teamspace import blobs, quota
from teamspace.blobs import StagedBlob
from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx, retry_on_conflict
from teamspace.core.errors import Conflict, NotFound
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal, system
from teamspace.jobs import Queue
from teamspace.repository import access, store
from teamspace.repository.domain import naming, reading, writing
from teamspace.repository.schemas import (
    Checksum,
    EndedUpload,
    ObjectRow,
    UploadPartRow,
    UploadRow,
    VersionContent,
    VersionDraft,
    VersionRow,
    WholeBlob,
    WriteCondition,
)

MAX_PARTS = 10_000
MIN_PART = 5 * 1024 * 1024
"""The smallest part in bytes, except the last."""
UPLOAD_EXPIRY = clock.DAY
"""An upload without a new part for this long is aborted, and the result of a completed one is forgotten."""
_BATCH_SIZE = 100


class PartChanged(Conflict):
    """A chosen part was replaced or removed."""


async def begin(db: Db, who: Principal, draft: VersionDraft) -> UploadRow:
    await writing.check_write(db, who, draft, WriteCondition())
    now = clock.stamp()
    row = UploadRow(new_id(), who.org_id, who.team_id, who.user_id, draft.key, draft, None, now, now)
    async with db.write(who, "upload.begin") as tx:
        tx.target, tx.detail = row.id, {"key": draft.key}
        await store.insert_upload(tx, row)
    return row


async def find(db: Reads, who: Principal, key: str, upload_id: str, *, ended: bool = False) -> UploadRow:
    """Return an unfinished upload of the caller; with `ended` also a completed one."""
    row = await store.get_upload(db, access.own_uploads_fence(who), upload_id)
    if row is None or row.key != key or (row.version_id is not None and not ended):
        raise NotFound("repository.no_upload")
    return row


async def find_own(db: Reads, who: Principal, upload_id: str, *, ended: bool = False) -> UploadRow:
    """Return an unfinished upload of the caller by its id; with `ended` also a completed one."""
    row = await store.get_upload(db, access.own_uploads_fence(who), upload_id)
    if row is None or (row.version_id is not None and not ended):
        raise NotFound("repository.no_upload")
    return row


async def find_settled(db: Db, who: Principal, key: str, upload_id: str) -> UploadRow:
    """Return the upload, even completed, after waiting for commits that are in progress."""
    await db.wait_for_commits()
    return await find(db, who, key, upload_id, ended=True)


async def list_uploads(
    db: Reads, who: Principal, *, prefix: str, after: tuple[str, str], limit: int
) -> list[UploadRow]:  # fmt: skip
    return await store.select_uploads(
        db, access.own_uploads_fence(who), end=naming.successor(prefix), after=max(after, (prefix, "")), limit=limit
    )


async def list_parts(db: Reads, upload: UploadRow, after: int = 0, limit: int = MAX_PARTS) -> list[UploadPartRow]:
    return await store.select_upload_parts(db, upload.id, after, limit)


async def room_for_part(db: Reads, upload: UploadRow, number: int) -> quota.StorageRoom:
    """Return the free quota for a part that replaces the one with this number."""
    replaced = await store.get_upload_part(db, upload.id, number)
    return await quota.storage_room(db, upload.org_id, upload.team_id, replaced.size if replaced else 0)


async def add_part(
    db: Db, who: Principal, upload: UploadRow, number: int, staged: StagedBlob, checksum: str | None
) -> UploadPartRow:
    """Make a stored blob a part; replaces a part with the same number."""
    part = UploadPartRow(number, staged.size, staged.digest, staged.md5, checksum, clock.stamp())
    async with _put_part(db, who, upload, part) as tx:
        await blobs.reference_staged(tx, upload.org_id, staged)
    return part


async def add_stored_part(
    db: Db, who: Principal, upload: UploadRow, number: int, source: WholeBlob, checksum: str | None
) -> UploadPartRow:
    """Make an existing blob a part, without copying bytes."""
    part = UploadPartRow(number, source.size, source.blob, source.md5, checksum, clock.stamp())
    async with _put_part(db, who, upload, part) as tx:
        await blobs.add_reference(tx, upload.org_id, part.blob)
    return part


@asynccontextmanager
async def _put_part(db: Db, who: Principal, upload: UploadRow, part: UploadPartRow) -> AsyncIterator[Tx]:
    async with db.write(who, "upload.add_part") as tx:
        tx.target, tx.detail = upload.id, {"key": upload.key, "part": part.number}
        await _touch(tx, upload)
        yield tx
        replaced = await store.get_upload_part(tx, upload.id, part.number)
        await store.put_upload_part(tx, upload.id, upload.org_id, part)
        await quota.add_stored(tx, upload.org_id, upload.team_id, size=part.size - (replaced.size if replaced else 0))
        if replaced:
            await blobs.release_references(tx, upload.org_id, [replaced.blob])


async def _touch(tx: Tx, upload: UploadRow) -> None:
    if not await store.touch_upload(tx, upload.id, clock.stamp()):
        raise NotFound("repository.no_upload")


async def complete(
    db: Db, queue: Queue, who: Principal, upload: UploadRow, chosen: Sequence[UploadPartRow],
    checksum: Checksum | None, condition: WriteCondition,
) -> tuple[ObjectRow, VersionRow]:  # fmt: skip
    """Make the chosen parts the next version of the key, and release the others."""
    draft = upload.work.with_checksum(checksum)

    async def write() -> tuple[ObjectRow, VersionRow]:
        async with writing.write_key(db, who, draft, condition) as (tx, existing):
            await _touch(tx, upload)
            freed = await _release_other_parts(tx, upload, chosen)
            row, version = await writing.insert_next_version(tx, queue, who, existing, draft, _content(chosen))
            await store.move_parts_to_version(tx, upload.id, version.id)
            await store.end_upload(tx, upload.id, version.id)
            if version.sha256 is None:
                await reading.enqueue_hash(tx, queue, who, row, version)
            await writing.finish(tx, draft, existing, row, version, freed=freed)
            return row, version

    return await retry_on_conflict(write)


async def _release_other_parts(tx: Tx, upload: UploadRow, chosen: Sequence[UploadPartRow]) -> int:
    """Delete the parts that were not chosen; return the bytes of all parts, including those."""
    parts = await list_parts(tx, upload)
    await asyncio.sleep(0)  # there can be thousands: others get their turn
    stored = {part.number: part for part in parts}
    if any(stored.get(part.number) != part for part in chosen):
        raise PartChanged("repository.part_changed")
    if others := stored.keys() - {part.number for part in chosen}:
        await store.delete_upload_parts(tx, upload.id, sorted(others))
        await blobs.release_references(tx, upload.org_id, [stored[number].blob for number in sorted(others)])
    return sum(part.size for part in stored.values())


def _content(chosen: Sequence[UploadPartRow]) -> VersionContent:
    md5_of_md5s = hashlib.md5(b"".join(bytes.fromhex(part.md5) for part in chosen), usedforsecurity=False)
    return VersionContent(
        size=sum(part.size for part in chosen), etag=f"{md5_of_md5s.hexdigest()}-{len(chosen)}", blob=None,
        sha256=chosen[0].blob if len(chosen) == 1 else None,
    )  # fmt: skip


async def abort(db: Db, who: Principal, upload: UploadRow) -> None:
    async with db.write(who, "upload.abort") as tx:
        tx.target, tx.detail = upload.id, {"key": upload.key}
        await _touch(tx, upload)
        await _delete_uploads(tx, [EndedUpload(upload.id, upload.org_id, has_parts=True)])


async def abort_stale_uploads(db: Db) -> int:
    """Abort uploads without recent activity, one at a time, and forget completed ones; return how many."""
    total = 0
    while True:
        async with db.maintenance(system()) as tx:
            stale = await store.select_stale_uploads(tx, clock.ago(UPLOAD_EXPIRY), _BATCH_SIZE)
            ended = [upload for upload in stale if not upload.has_parts] or stale[:1]
            await _delete_uploads(tx, ended)
        total += len(ended)
        if not ended:
            return total


async def _delete_uploads(tx: Tx, uploads: Sequence[EndedUpload]) -> None:
    """Delete uploads with their parts. Teams are updated in one order, to avoid deadlocks."""
    upload_ids = [upload.id for upload in uploads]
    for usage in await store.select_upload_usage(tx, upload_ids):
        await quota.add_stored(tx, usage.org_id, usage.team_id, size=-usage.size)
    for upload in uploads:
        if upload.has_parts:
            parts = await store.select_upload_parts(tx, upload.id, 0, MAX_PARTS)
            await blobs.release_references(tx, upload.org_id, [part.blob for part in parts])
    await store.delete_uploads(tx, upload_ids)
