"""Thumbnails of images and PDFs: made when somebody first asks for one, kept as a blob of the version.

A job for every upload would draw what nobody looks at, and nothing for files from before. A request that finds none waits
while it is drawn in the sandboxed process: one at a time in this server process, so that text extraction always has a
reader, and with a limit of how many wait. Whatever goes wrong with a file is remembered: it is not tried again.
"""

from collections.abc import AsyncGenerator
from contextlib import nullcontext
from functools import partial

from teamspace import blobs, extraction
from teamspace.blobs import BlobStore
from teamspace.core import clock
from teamspace.core.db import Db, Tx
from teamspace.core.errors import NotFound
from teamspace.core.limits import ConcurrencyLimit
from teamspace.core.principal import Principal
from teamspace.core.replies import StoredContent
from teamspace.extraction import ExtractionFailed, ReaderPool, Thumbnails
from teamspace.repository import store
from teamspace.repository.domain import finding, locks, reading
from teamspace.repository.schemas import ObjectRow, ThumbnailQuery, ThumbnailRow, VersionRow

_WAITING = 64


class Drawings:
    """One thumbnail at a time in this process, and some that wait."""

    def __init__(self) -> None:
        self.limit = ConcurrencyLimit("busy.thumbnails", 1, _WAITING)


async def get(
    db: Db, files: BlobStore, readers: ReaderPool, drawings: Drawings, who: Principal, object_id: str,
    query: ThumbnailQuery,
) -> StoredContent:  # fmt: skip
    """Return a thumbnail of a version that the caller can read; NotFound if there can be none."""
    row = await finding.get_visible(db, who, object_id)
    version = await finding.get_version(db, row, query.version or row.version)
    found = await store.get_thumbnail(db, version.id)
    if found is None and _can_draw(version):
        found = await _make(db, files, readers, drawings, who, row, version)
    if found is None or found.blob is None:
        raise NotFound("repository.no_thumbnail")
    both = Thumbnails(await blobs.read(db, files, version.org_id, found.blob))
    data = both.small if query.size == "small" else both.large
    return StoredContent(
        size=len(data), content_type="image/webp", tag=f"{version.id}-{query.size}",
        modified=clock.seconds(version.created_at), read=partial(_slice, data),
        headers={
            "cache-control": "private, no-cache", "content-disposition": "inline",
            "content-security-policy": reading.CONTENT_POLICY,
        },
    )  # fmt: skip


async def _slice(data: bytes, start: int, length: int) -> AsyncGenerator[bytes, None]:
    yield data[start : start + length]


def _can_draw(version: VersionRow) -> bool:
    is_drawn = extraction.drawn_kind_of(version.content_type) is not None
    return is_drawn and 0 < version.size <= extraction.FILE_BYTES


async def _make(
    db: Db, files: BlobStore, readers: ReaderPool, drawings: Drawings, who: Principal, row: ObjectRow, version: VersionRow
) -> ThumbnailRow | None:  # fmt: skip
    """Draw the thumbnails, unless a request before this one has, and return them."""
    async with drawings.limit.take():
        if await store.get_thumbnail(db, version.id) is None:
            await _draw(db, files, readers, who, row, version)
    return await store.get_thumbnail(db, version.id)


async def _draw(
    db: Db, files: BlobStore, readers: ReaderPool, who: Principal, row: ObjectRow, version: VersionRow
) -> None:
    content = reading.read_range(db, files, version, 0, version.size)
    kind = extraction.drawn_kind_of(version.content_type)
    assert kind is not None
    try:
        async with readers.acquire(nullcontext) as reader, blobs.stage_copy(files, content, small=0) as copy:
            assert copy.path is not None
            drawn = await reader.draw(copy.path, kind)
    except ExtractionFailed as failure:
        async with db.maintenance(who) as tx:
            if await _is_open(tx, row, version):
                await store.insert_thumbnail(tx, ThumbnailRow(version.id, version.org_id, None, failure.reason))
        return
    async with blobs.stage(files, blobs.as_stream(drawn.packed)) as staged:
        await blobs.store_staged(db, files, who, version.org_id, staged)
        async with db.maintenance(who) as tx:
            if await _is_open(tx, row, version):
                await blobs.reference_staged(tx, row.org_id, staged)
                await store.insert_thumbnail(tx, ThumbnailRow(version.id, version.org_id, staged.digest, None))


async def _is_open(tx: Tx, row: ObjectRow, version: VersionRow) -> bool:
    """Lock the object; return whether the version is still there, and no other process has drawn it."""
    await locks.lock_object(tx, row)
    if await store.get_version_by_id(tx, row.id, version.id) is None:
        return False
    return await store.get_thumbnail(tx, version.id) is None
