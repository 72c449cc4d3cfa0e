"""The parts of an upload: sent, or taken from what is there already."""

import re
from collections.abc import AsyncIterator, Awaitable

import msgspec

from teamspace import blobs
from teamspace.core.errors import NotFound
from teamspace.repository import UploadPartRow, UploadRow, VersionRow, Whole, assembling, reading
from teamspace.s3.domain import bodies, checksums, copies, uploads, xml
from teamspace.s3.domain.checksums import ALGORITHMS, Algorithm, Wanted
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import Answer, Visit, number

_RANGE = re.compile(r"bytes=(\d{1,15})-(\d{1,15})", re.ASCII)


async def put(visit: Visit) -> Answer:
    place, upload = _number(visit), await uploads.found(visit)
    wanted = _wanted(visit, upload)
    room = await assembling.room(visit.db, upload, place)
    room.check(visit.length or 0)
    async with visit.house.uploads.take(), bodies.drafted(visit, wanted, room) as (draft, checksum):
        await blobs.store_draft(visit.db, visit.house.files, visit.who, visit.who.org_id, draft)
        kept = checksum.value if checksum and uploads.algorithm_of(upload) else None
        await _kept(assembling.add_part(visit.db, visit.who, upload, place, draft, kept))
    sums = {ALGORITHMS[checksum.algorithm].header: checksum.value} if checksum else {}
    return Answer(headers={"etag": f'"{draft.md5}"', **sums})


async def _kept(putting: Awaitable[UploadPartRow]) -> UploadPartRow:
    try:
        return await putting
    except NotFound:
        raise uploads.no_such_upload() from None


def _number(visit: Visit) -> int:
    found = number(visit.query, "partNumber", 0)
    if not 1 <= found <= assembling.MOST_PARTS:
        raise Fault(
            "InvalidArgument", f"Part number must be an integer between 1 and {assembling.MOST_PARTS}, inclusive"
        )
    return found


def _wanted(visit: Visit, upload: UploadRow) -> Wanted:
    """What the part brings along; what the upload has promised is summed in any case."""
    wanted, promised = checksums.wanted(visit.headers, visit.payload.trailers), uploads.algorithm_of(upload)
    if promised is None or wanted.algorithm is promised:
        return wanted
    if wanted.algorithm is None:
        return msgspec.structs.replace(wanted, algorithm=promised)
    raise Fault(
        "InvalidRequest",
        f"Checksum Type mismatch occurred, expected checksum Type: {promised.name}, actual: {wanted.algorithm.name}",
    )


async def copy(visit: Visit) -> Answer:
    place, upload = _number(visit), await uploads.found(visit)
    _, version = await copies.source(visit)
    start, length = _range(visit, version)
    part = await _taken(visit, upload, place, version, start, length)
    body = xml.document(
        "CopyPartResult", xml.text("LastModified", part.created_at), xml.text("ETag", f'"{part.md5}"'),
        *([xml.text(algorithm.element, part.checksum)] if (algorithm := uploads.algorithm_of(upload)) and part.checksum else []),
    )  # fmt: skip
    return Answer(body=body, headers={"x-amz-copy-source-version-id": version.id})


def _range(visit: Visit, version: VersionRow) -> tuple[int, int]:
    text = visit.headers.get("x-amz-copy-source-range")
    if text is None:
        return 0, version.size
    match = _RANGE.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise Fault("InvalidArgument", "The x-amz-copy-source-range value must be of the form bytes=first-last.")
    first, last = int(match[1]), int(match[2])
    if last >= version.size:
        raise Fault("InvalidRange", f"Range specified is not valid for source object of size: {version.size}")
    return first, last + 1 - first


async def _taken(
    visit: Visit, upload: UploadRow, place: int, version: VersionRow, start: int, length: int
) -> UploadPartRow:
    """What the store has as a whole is named once more; anything else is read and stored as bytes of its own."""
    (await assembling.room(visit.db, upload, place)).check(length)
    chunks = reading.span(visit.db, visit.house.files, version, start, length)
    algorithm = uploads.algorithm_of(upload)
    if whole := await reading.whole_blob(visit.db, version, start, length):
        async with visit.house.uploads.take():
            value = await _sum(whole, algorithm, chunks) if algorithm else None
        return await _kept(assembling.take_part(visit.db, visit.who, upload, place, whole, value))
    running = algorithm.start() if algorithm else None
    async with (
        visit.house.uploads.take(),
        blobs.drafted(visit.house.files, checksums.summed(chunks, running) if running else chunks) as draft,
    ):
        await blobs.store_draft(visit.db, visit.house.files, visit.who, visit.who.org_id, draft)
        value = checksums.encoded(running.digest()) if running else None
        return await _kept(assembling.add_part(visit.db, visit.who, upload, place, draft, value))


async def _sum(whole: Whole, algorithm: Algorithm, chunks: AsyncIterator[bytes]) -> str:
    """The one that is known, or of the bytes, which are read for it."""
    known = whole.checksum
    if known and known.algorithm == algorithm.name and known.value and not known.of_parts:
        return known.value
    running = algorithm.start()
    async for chunk in chunks:
        await checksums.add(running, chunk)
    return checksums.encoded(running.digest())
