"""Read the content of versions, from one blob or from the parts of a multipart upload."""

import hashlib
import logging
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial

from teamspace import blobs
from teamspace.blobs import BlobStore
from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal
from teamspace.core.replies import StoredContent
from teamspace.events import Change
from teamspace.jobs import Authority, JobSubject, JobTitle, Obsolete, Queue
from teamspace.repository import store
from teamspace.repository.domain import changes, finding, naming
from teamspace.repository.schemas import (
    Checksum,
    ContentQuery,
    HashParts,
    HashPartsResult,
    ObjectRow,
    PartRow,
    VersionRow,
    WholeBlob,
    shown_title,
)

HASH_PARTS = "repo.hash_parts"
SUBJECT = "object"
log = logging.getLogger("teamspace.repository")
_MD5 = re.compile(r"[0-9a-f]{32}")
"""The ETag of a version that was uploaded at once is its MD5; that of a multipart upload is not."""
INLINE_TYPES = frozenset(
    {"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "application/pdf", "text/plain"}
)
"""Types that a browser may display; none of them can run scripts on this origin."""
CONTENT_POLICY = "default-src 'none'; sandbox; frame-ancestors 'self'"
MEDIA_TYPES = frozenset({
    "audio/mpeg", "audio/mp4", "audio/aac", "audio/ogg", "audio/wav", "audio/x-wav", "audio/flac", "audio/webm",
    "video/mp4", "video/webm", "video/ogg",
})  # fmt: skip
VIEWED_TYPES = INLINE_TYPES | MEDIA_TYPES
_PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"
"""Browsers show no PDF in a sandbox. Their viewer runs no script of the file on this origin."""

ReadRange = Callable[[int, int], AsyncGenerator[bytes, None]]


async def get_content(db: Db, files: BlobStore, who: Principal, object_id: str, query: ContentQuery) -> StoredContent:
    row = await finding.get_visible(db, who, object_id)
    version = await finding.get_version(db, row, query.version or row.version)
    inline = version.content_type in INLINE_TYPES and query.download is None
    return _to_content(version, partial(read_range, db, files, version), CONTENT_POLICY, inline=inline)


def present(version: VersionRow, read: ReadRange, *, inline: bool) -> StoredContent:
    """Return a version for a page that shows it, without a script's having fetched it: also sound, films and PDFs.

    An attachment if it is not wanted inline, or its type is not safe.
    """
    inline = inline and version.content_type in VIEWED_TYPES
    is_pdf = inline and version.content_type == "application/pdf"
    return _to_content(version, read, _PDF_POLICY if is_pdf else CONTENT_POLICY, inline=inline)


def _to_content(version: VersionRow, read: ReadRange, policy: str, *, inline: bool) -> StoredContent:
    is_text = inline and version.content_type == "text/plain"
    return StoredContent(
        size=version.size, content_type="text/plain; charset=utf-8" if is_text else version.content_type,
        tag=str(version.number), modified=clock.seconds(version.created_at), read=read,
        headers={
            "content-disposition": naming.content_disposition("inline" if inline else "attachment", version.filename),
            "content-security-policy": policy,
        },
    )  # fmt: skip


async def read_range(
    db: Reads, files: BlobStore, version: VersionRow, start: int, length: int
) -> AsyncGenerator[bytes, None]:
    """Read bytes of a version that a fence has admitted. Damaged or missing blobs are logged and raise."""
    try:
        async for chunk in _read_blobs(db, files, version, start, length):
            yield chunk
    except (blobs.BlobMissing, blobs.DamagedBlob) as fault:
        log.error("cannot read version %s of object %s: %s", version.number, version.object_id, fault)
        raise


async def _read_blobs(
    db: Reads, files: BlobStore, version: VersionRow, start: int, length: int
) -> AsyncGenerator[bytes, None]:
    if version.blob is not None:
        async for chunk in blobs.read_range(db, files, version.org_id, version.blob, start, length):
            yield chunk
        return
    end = start + length
    for part in await store.select_parts(db, version.id, start, end):
        first, last = max(start, part.start), min(end, part.start + part.size)
        async for chunk in blobs.read_range(db, files, version.org_id, part.blob, first - part.start, last - first):
            yield chunk


async def get_current_version(db: Reads, row: ObjectRow) -> VersionRow:
    """Return the current version of an object that a fence has admitted; it may be a delete marker."""
    version = await store.get_version(db, row.id, row.version)
    if version is None:
        raise NotFound()
    return version


async def list_versions(db: Reads, rows: Sequence[ObjectRow], limit: int) -> dict[str, list[VersionRow]]:
    """Return the versions of objects that a fence has admitted, by object id, newest first, with delete markers.

    For one object at most `limit`; for several all, since callers only pass objects with few versions.
    """
    if len(rows) == 1:
        return {row.id: await store.select_all_versions(db, row.id, row.numbered + 1, limit) for row in rows}
    found: dict[str, list[VersionRow]] = {row.id: [] for row in rows}
    for version in await store.select_versions_of(db, list(found)) if rows else ():
        found[version.object_id].append(version)
    return found


async def list_older_versions(
    db: Reads, who: Principal, key: str, version_id: str, limit: int
) -> list[tuple[ObjectRow, VersionRow]]:
    """Return the versions of a key that are older than the given one, if `who` can read the object."""
    row = await finding.get_at_key(db, who, key)
    version = None if row is None else await store.get_version_by_id(db, row.id, version_id)
    if row is None or version is None:
        return []
    return [(row, older) for older in await store.select_all_versions(db, row.id, version.number, limit)]


async def list_parts(db: Reads, version: VersionRow) -> list[PartRow]:
    """Return the parts of a multipart version; none if it has one blob."""
    return [] if version.blob is not None else await store.select_parts(db, version.id, -1, version.size + 1)


async def find_whole_blob(db: Reads, version: VersionRow, start: int, length: int) -> WholeBlob | None:
    """Return the blob with exactly these bytes of a version that a fence has admitted, or None."""
    if version.blob is not None:
        is_whole = length == version.size and _MD5.fullmatch(version.etag)
        return WholeBlob(version.size, version.blob, version.etag, version.checksum) if is_whole else None
    for part in await store.select_parts(db, version.id, start, start + length):
        if (part.start, part.size) == (start, length):
            return WholeBlob(part.size, part.blob, part.md5, _part_checksum(part, version))
    return None


def _part_checksum(part: PartRow, version: VersionRow) -> Checksum | None:
    if version.checksum is None or part.checksum is None:
        return None
    return Checksum(version.checksum.algorithm, part.checksum)


async def read_text(db: Reads, files: BlobStore, row: ObjectRow) -> str:
    """Return the content of a small text object that a fence has admitted."""
    version = await finding.get_version(db, row, row.version)
    return b"".join([chunk async for chunk in read_range(db, files, version, 0, version.size)]).decode(errors="replace")


async def enqueue_hash(tx: Tx, queue: Queue, who: Principal, row: ObjectRow, version: VersionRow) -> None:
    """Have the SHA-256 of a version computed. The server does it for itself, so a token's scope does not matter."""
    title = JobTitle(shown_title(row), JobSubject(SUBJECT, row.id))
    await queue.enqueue(tx, Authority.of(who).unscoped(), HASH_PARTS, HashParts(row.id, version.id), title=title)


async def hash_parts(db: Db, files: BlobStore, who: Principal, request: HashParts) -> HashPartsResult:
    """Read a multipart version once to compute its SHA-256."""
    try:
        row = await finding.get_visible(db, who, request.object_id)
    except NotFound:
        raise Obsolete("repository.object_gone") from None
    version = await store.get_version_by_id(db, row.id, request.version_id)
    if version is None:
        raise Obsolete("repository.version_gone")
    if version.sha256 is not None:
        return HashPartsResult(version.sha256)
    sha256 = hashlib.sha256()
    async for chunk in read_range(db, files, version, 0, version.size):
        sha256.update(chunk)
    async with db.maintenance(who) as tx:
        await store.set_sha256(tx, version.id, sha256.hexdigest())
        await changes.record(tx, row, Change.UPDATED)
    return HashPartsResult(sha256.hexdigest())
