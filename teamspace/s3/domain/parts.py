"""Upload parts of a multipart upload, or copy them from existing objects."""

import re
from collections.abc import AsyncIterator, Awaitable

import msgspec

from teamspace import blobs
from teamspace.core.errors import NotFound
from teamspace.repository import UploadPartRow, UploadRow, VersionRow, WholeBlob, multipart, reading
from teamspace.s3.domain import bodies, checksums, copies, uploads, xml
from teamspace.s3.domain.checksums import ALGORITHMS, Algorithm, ExpectedChecksum
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.requests import S3Request, S3Response, parse_number

_RANGE = re.compile(r"bytes=(\d{1,15})-(\d{1,15})", re.ASCII)


async def put(request: S3Request) -> S3Response:
    number, upload = _part_number(request), await uploads.find(request)
    expected = _parse_expected(request, upload)
    room = await multipart.room_for_part(request.db, upload, number)
    room.check(request.length or 0)
    async with request.services.uploads.take(), bodies.stage_body(request, expected, room) as (staged, checksum):
        await blobs.store_staged(request.db, request.services.files, request.who, request.who.org_id, staged)
        value = checksum.value if checksum and uploads.algorithm_of(upload) else None
        await _or_no_such_upload(multipart.add_part(request.db, request.who, upload, number, staged, value))
    headers = {ALGORITHMS[checksum.algorithm].header: checksum.value} if checksum else {}
    return S3Response(headers={"etag": f'"{staged.md5}"', **headers})


async def _or_no_such_upload(put_part: Awaitable[UploadPartRow]) -> UploadPartRow:
    try:
        return await put_part
    except NotFound:
        raise uploads.no_such_upload() from None


def _part_number(request: S3Request) -> int:
    found = parse_number(request.query, "partNumber", 0)
    if not 1 <= found <= multipart.MAX_PARTS:
        raise S3Error(
            "InvalidArgument", f"Part number must be an integer between 1 and {multipart.MAX_PARTS}, inclusive"
        )
    return found


def _parse_expected(request: S3Request, upload: UploadRow) -> ExpectedChecksum:
    """Return the expected checksum of the part; the algorithm declared for the upload is always computed."""
    expected, declared = (
        checksums.parse_expected(request.headers, request.payload.trailers),
        uploads.algorithm_of(upload),
    )
    if declared is None or expected.algorithm is declared:
        return expected
    if expected.algorithm is None:
        return msgspec.structs.replace(expected, algorithm=declared)
    raise S3Error(
        "InvalidRequest",
        f"Checksum Type mismatch occurred, expected checksum Type: {declared.name}, actual: {expected.algorithm.name}",
    )


async def copy(request: S3Request) -> S3Response:
    number, upload = _part_number(request), await uploads.find(request)
    _, version = await copies.find_source(request)
    start, length = _range(request, version)
    part = await _copy_range(request, upload, number, version, start, length)
    body = xml.document(
        "CopyPartResult", xml.text("LastModified", part.created_at), xml.text("ETag", f'"{part.md5}"'),
        *([xml.text(algorithm.element, part.checksum)] if (algorithm := uploads.algorithm_of(upload)) and part.checksum else []),
    )  # fmt: skip
    return S3Response(body=body, headers={"x-amz-copy-source-version-id": version.id})


def _range(request: S3Request, version: VersionRow) -> tuple[int, int]:
    text = request.headers.get("x-amz-copy-source-range")
    if text is None:
        return 0, version.size
    match = _RANGE.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise S3Error("InvalidArgument", "The x-amz-copy-source-range value must be of the form bytes=first-last.")
    first, last = int(match[1]), int(match[2])
    if last >= version.size:
        raise S3Error("InvalidRange", f"Range specified is not valid for source object of size: {version.size}")
    return first, last + 1 - first


async def _copy_range(
    request: S3Request, upload: UploadRow, number: int, version: VersionRow, start: int, length: int
) -> UploadPartRow:
    """Reference the blob if one has exactly these bytes; otherwise read and store them as a new blob."""
    (await multipart.room_for_part(request.db, upload, number)).check(length)
    chunks = reading.read_range(request.db, request.services.files, version, start, length)
    algorithm = uploads.algorithm_of(upload)
    if blob := await reading.find_whole_blob(request.db, version, start, length):
        async with request.services.uploads.take():
            value = await _find_checksum(blob, algorithm, chunks) if algorithm else None
        return await _or_no_such_upload(multipart.add_stored_part(request.db, request.who, upload, number, blob, value))
    checksum_state = algorithm.start() if algorithm else None
    async with (
        request.services.uploads.take(),
        blobs.stage(
            request.services.files, checksums.update_while_reading(chunks, checksum_state) if checksum_state else chunks
        ) as staged,
    ):
        await blobs.store_staged(request.db, request.services.files, request.who, request.who.org_id, staged)
        value = checksums.encode(checksum_state.digest()) if checksum_state else None
        return await _or_no_such_upload(multipart.add_part(request.db, request.who, upload, number, staged, value))


async def _find_checksum(blob: WholeBlob, algorithm: Algorithm, chunks: AsyncIterator[bytes]) -> str:
    """Return the stored checksum, or read the bytes to compute it."""
    known = blob.checksum
    if known and known.algorithm == algorithm.name and known.value and not known.of_parts:
        return known.value
    checksum_state = algorithm.start()
    async for chunk in chunks:
        await checksums.update(checksum_state, chunk)
    return checksums.encode(checksum_state.digest())
