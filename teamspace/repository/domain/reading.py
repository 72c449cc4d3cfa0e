"""The bytes of a version: all of them or a part, from one blob or from the parts in which they came."""

import hashlib
import logging
import re
from collections.abc import AsyncIterator, Sequence
from functools import partial

from teamspace import blobs
from teamspace.blobs import BlobStore
from teamspace.core import clock
from teamspace.core.db import Db, Reads
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal
from teamspace.core.replies import Stored
from teamspace.repository import store
from teamspace.repository.domain import finding, naming
from teamspace.repository.schemas import (
    Checksum,
    ContentQuery,
    Hashed,
    HashParts,
    ObjectRow,
    PartRow,
    VersionRow,
    Whole,
)

HASH_PARTS = "repo.hash_parts"
log = logging.getLogger("teamspace.repository")
_MD5 = re.compile(r"[0-9a-f]{32}")
"""The tag of what came whole; a tag of parts is none."""
INLINE = frozenset(
    {"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "application/pdf", "text/plain"}
)
"""What a browser may show by itself; anything that could run on this origin is not among it."""


async def content(db: Db, files: BlobStore, who: Principal, object_id: str, query: ContentQuery) -> Stored:
    row = await finding.seen(db, who, object_id)
    version = await finding.version_of(db, row, query.version or row.version)
    inline = version.content_type in INLINE and query.download is None
    kind = f"{version.content_type}; charset=utf-8" if version.content_type == "text/plain" else version.content_type
    return Stored(
        size=version.size, content_type=kind if inline else version.content_type, tag=str(version.number),
        modified=clock.seconds(version.created_at), read=partial(span, db, files, version),
        headers={
            "content-disposition": naming.disposition("inline" if inline else "attachment", version.filename),
            "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'self'",
        },
    )  # fmt: skip


async def span(db: Reads, files: BlobStore, version: VersionRow, start: int, length: int) -> AsyncIterator[bytes]:
    """A part of a version that a fence has admitted; damage ends it, and is on record."""
    try:
        async for chunk in _span(db, files, version, start, length):
            yield chunk
    except (blobs.BlobMissing, blobs.DamagedBlob) as fault:
        log.error("version %s of object %s cannot be read: %s", version.number, version.object_id, fault)
        raise


async def _span(db: Reads, files: BlobStore, version: VersionRow, start: int, length: int) -> AsyncIterator[bytes]:
    if version.blob is not None:
        async for chunk in blobs.span(db, files, version.org_id, version.blob, start, length):
            yield chunk
        return
    end = start + length
    for part in await store.select_parts(db, version.id, start, end):
        first, last = max(start, part.start), min(end, part.start + part.size)
        async for chunk in blobs.span(db, files, version.org_id, part.blob, first - part.start, last - first):
            yield chunk


async def newest(db: Reads, row: ObjectRow) -> VersionRow:
    """The version that an object shows, be it the mark that it was removed; a fence has admitted it."""
    version = await store.get_version(db, row.id, row.version)
    if version is None:
        raise NotFound()
    return version


async def all_versions(db: Reads, rows: Sequence[ObjectRow], limit: int) -> dict[str, list[VersionRow]]:
    """Of objects that a fence has admitted, by their ids: newest first, with the marks of removals.

    Of one object at most `limit`, of several all: who asks for those knows that they are few.
    """
    if len(rows) == 1:
        return {row.id: await store.select_all_versions(db, row.id, row.numbered + 1, limit) for row in rows}
    found: dict[str, list[VersionRow]] = {row.id: [] for row in rows}
    for version in await store.select_versions_of(db, list(found)) if rows else ():
        found[version.object_id].append(version)
    return found


async def older_versions(
    db: Reads, who: Principal, key: str, version_id: str, limit: int
) -> list[tuple[ObjectRow, VersionRow]]:
    """Than one of what is at a key, as far as `who` can read that."""
    row = await finding.at(db, who, key)
    version = None if row is None else await store.get_version_of(db, row.id, version_id)
    if row is None or version is None:
        return []
    return [(row, older) for older in await store.select_all_versions(db, row.id, version.number, limit)]


async def parts(db: Reads, version: VersionRow) -> list[PartRow]:
    """Those in which a version came; none if it came whole."""
    return [] if version.blob is not None else await store.select_parts(db, version.id, -1, version.size + 1)


async def whole_blob(db: Reads, version: VersionRow, start: int, length: int) -> Whole | None:
    """What holds exactly these bytes of a version that a fence has admitted; None where no blob does."""
    if version.blob is not None:
        is_whole = length == version.size and _MD5.fullmatch(version.etag)
        return Whole(version.size, version.blob, version.etag, version.checksum) if is_whole else None
    for part in await store.select_parts(db, version.id, start, start + length):
        if (part.start, part.size) == (start, length):
            return Whole(part.size, part.blob, part.md5, _sum_of(part, version))
    return None


def _sum_of(part: PartRow, version: VersionRow) -> Checksum | None:
    if version.checksum is None or part.checksum is None:
        return None
    return Checksum(version.checksum.algorithm, part.checksum)


async def text_of(db: Reads, files: BlobStore, row: ObjectRow) -> str:
    """Of an object that is text, is known to be small, and that a fence has admitted."""
    version = await finding.version_of(db, row, row.version)
    return b"".join([chunk async for chunk in span(db, files, version, 0, version.size)]).decode(errors="replace")


async def hash_parts(db: Db, files: BlobStore, who: Principal, wish: HashParts) -> Hashed:
    """What came in parts is read through once, for the digest of the whole."""
    row = await finding.seen(db, who, wish.object_id)
    version = await store.get_version_of(db, row.id, wish.version_id)
    if version is None:
        raise NotFound("There is no such version of it.")
    if version.sha256 is not None:
        return Hashed(version.sha256)
    sha256 = hashlib.sha256()
    async for chunk in span(db, files, version, 0, version.size):
        sha256.update(chunk)
    async with db.upkeep(who) as tx:
        await store.set_sha256(tx, version.id, sha256.hexdigest())
    return Hashed(sha256.hexdigest())
