"""Uploads in parts: each part is stored when it comes, and all of them become a version at once.

Nobody reads a part before that, so one that is replaced or given up leaves its bytes to the collector without a grace.
"""

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from teamspace import blobs, quota
from teamspace.blobs import Draft
from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx, persistently
from teamspace.core.errors import Conflict, NotFound
from teamspace.core.ids import new_id
from teamspace.core.principal import Principal, system
from teamspace.jobs import Queue
from teamspace.repository import access, store
from teamspace.repository.domain import naming, reading, writing
from teamspace.repository.schemas import (
    Checksum,
    Condition,
    EndedUpload,
    HashParts,
    ObjectRow,
    Substance,
    UploadPartRow,
    UploadRow,
    VersionRow,
    Whole,
    Work,
)

MOST_PARTS = 10_000
PATIENCE = clock.DAY
"""After this long without a new part an upload is given up, and what came of a completed one is forgotten."""
_AT_ONCE = 100


class PartChanged(Conflict):
    """What was chosen is not there any more."""


async def begin(db: Db, who: Principal, work: Work) -> UploadRow:
    await writing.check(db, who, work, Condition())
    now = clock.stamp()
    row = UploadRow(new_id(), who.org_id, who.team_id, who.user_id, work.key, work, None, now, now)
    async with db.write(who, "upload.begin") as tx:
        tx.target, tx.detail = row.id, {"key": work.key}
        await store.insert_upload(tx, row)
    return row


async def find(db: Reads, who: Principal, key: str, upload_id: str, *, ended: bool = False) -> UploadRow:
    """An upload of the caller's own that is under way, or that has `ended`."""
    row = await store.get_upload(db, access.own_uploads(who), upload_id)
    if row is None or row.key != key or (row.version_id is not None and not ended):
        raise NotFound("There is no such upload.")
    return row


async def settled(db: Db, who: Principal, key: str, upload_id: str) -> UploadRow:
    """The same, be it ended, once what is just happening to it can be read."""
    await db.settled()
    return await find(db, who, key, upload_id, ended=True)


async def listing(
    db: Reads, who: Principal, *, prefix: str, after: tuple[str, str], limit: int
) -> list[UploadRow]:  # fmt: skip
    return await store.select_uploads(
        db, access.own_uploads(who), beyond=naming.successor(prefix), after=max(after, (prefix, "")), limit=limit
    )


async def parts(db: Reads, upload: UploadRow, after: int = 0, limit: int = MOST_PARTS) -> list[UploadPartRow]:
    return await store.select_upload_parts(db, upload.id, after, limit)


async def room(db: Reads, upload: UploadRow, number: int) -> quota.Room:
    """What there is room for in place of the part of that number."""
    before = await store.get_upload_part(db, upload.id, number)
    return await quota.room(db, upload.org_id, upload.team_id, before.size if before else 0)


async def add_part(
    db: Db, who: Principal, upload: UploadRow, number: int, draft: Draft, checksum: str | None
) -> UploadPartRow:
    """A draft that was stored becomes a part, in place of one of the same number."""
    part = UploadPartRow(number, draft.size, draft.digest, draft.md5, checksum, clock.stamp())
    async with _changed(db, who, upload, part) as tx:
        await blobs.name(tx, upload.org_id, draft)
    return part


async def take_part(
    db: Db, who: Principal, upload: UploadRow, number: int, source: Whole, checksum: str | None
) -> UploadPartRow:
    """Bytes that are stored already become a part, and nothing is stored but that they do."""
    part = UploadPartRow(number, source.size, source.blob, source.md5, checksum, clock.stamp())
    async with _changed(db, who, upload, part) as tx:
        await blobs.hold(tx, upload.org_id, part.blob)
    return part


@asynccontextmanager
async def _changed(db: Db, who: Principal, upload: UploadRow, part: UploadPartRow) -> AsyncIterator[Tx]:
    async with db.write(who, "upload.part") as tx:
        tx.target, tx.detail = upload.id, {"key": upload.key, "part": part.number}
        await _touch(tx, upload)
        yield tx
        before = await store.get_upload_part(tx, upload.id, part.number)
        await store.put_upload_part(tx, upload.id, upload.org_id, part)
        await quota.store_more(tx, upload.org_id, upload.team_id, size=part.size - (before.size if before else 0))
        if before:
            await blobs.release(tx, upload.org_id, [before.blob])


async def _touch(tx: Tx, upload: UploadRow) -> None:
    if not await store.touch_upload(tx, upload.id, clock.stamp()):
        raise NotFound("There is no such upload.")


async def complete(
    db: Db, queue: Queue, who: Principal, upload: UploadRow, chosen: Sequence[UploadPartRow],
    checksum: Checksum | None, condition: Condition,
) -> tuple[ObjectRow, VersionRow]:  # fmt: skip
    """The chosen parts become the next version of the key; the others are let go of."""
    work = upload.work.summed(checksum)

    async def write() -> tuple[ObjectRow, VersionRow]:
        async with writing.written(db, who, work, condition) as (tx, before):
            await _touch(tx, upload)
            freed = await _leave_only(tx, upload, chosen)
            row, version = await writing.add(tx, queue, who, before, work, _substance(chosen), freed=freed)
            await store.give_parts(tx, upload.id, version.id)
            await store.end_upload(tx, upload.id, version.id)
            if version.sha256 is None:
                await queue.enqueue(tx, who, reading.HASH_PARTS, HashParts(row.id, version.id))
            return row, version

    return await persistently(write)


async def _leave_only(tx: Tx, upload: UploadRow, chosen: Sequence[UploadPartRow]) -> int:
    """What all parts took up, those that are let go of included."""
    there = {part.number: part for part in await parts(tx, upload)}
    if any(there.get(part.number) != part for part in chosen):
        raise PartChanged("A part was sent again meanwhile.")
    for number in there.keys() - {part.number for part in chosen}:
        await store.delete_upload_part(tx, upload.id, number)
        await blobs.release(tx, upload.org_id, [there[number].blob])
    return sum(part.size for part in there.values())


def _substance(chosen: Sequence[UploadPartRow]) -> Substance:
    together = hashlib.md5(b"".join(bytes.fromhex(part.md5) for part in chosen), usedforsecurity=False)
    return Substance(
        size=sum(part.size for part in chosen), etag=f"{together.hexdigest()}-{len(chosen)}", blob=None,
        sha256=chosen[0].blob if len(chosen) == 1 else None,
    )  # fmt: skip


async def abort(db: Db, who: Principal, upload: UploadRow) -> None:
    async with db.write(who, "upload.abort") as tx:
        tx.target, tx.detail = upload.id, {"key": upload.key}
        await _touch(tx, upload)
        await _free(tx, [EndedUpload(upload.id, upload.org_id)])


async def reap(db: Db) -> int:
    """Give up what nobody has gone on with, and forget what ended; how many that were."""
    total = 0
    while True:
        async with db.upkeep(system()) as tx:
            old = await store.select_old_uploads(tx, clock.ago(PATIENCE), _AT_ONCE)
            if old:
                await _free(tx, old)
        total += len(old)
        if len(old) < _AT_ONCE:
            return total


async def _free(tx: Tx, uploads: Sequence[EndedUpload]) -> None:
    """They are no more, with their parts; all teams in one order, so that two never wait for each other."""
    upload_ids = [upload.id for upload in uploads]
    for held in await store.select_held(tx, upload_ids):
        await quota.store_more(tx, held.org_id, held.team_id, size=-held.size)
    for upload in uploads:
        await _release_parts(tx, upload)
    await store.delete_uploads(tx, upload_ids)


async def _release_parts(tx: Tx, upload: EndedUpload) -> None:
    after = 0
    while some := await store.select_upload_parts(tx, upload.id, after, _AT_ONCE):
        await blobs.release(tx, upload.org_id, [part.blob for part in some])
        after = some[-1].number
