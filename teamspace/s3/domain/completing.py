"""Complete or abort multipart uploads."""

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from urllib.parse import quote
from xml.etree.ElementTree import Element

import msgspec

from teamspace import repository
from teamspace.core import pools
from teamspace.core.errors import NotFound, Refusal
from teamspace.repository import Checksum, UploadPartRow, UploadRow, VersionRow, multipart
from teamspace.s3.domain import bodies, checksums, object_headers, objects, uploads, xml
from teamspace.s3.domain.checksums import ALGORITHMS
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.requests import S3Request, S3Response, parse_number

MIN_PART = multipart.MIN_PART
_THREAD_PARTS = 500


async def abort(request: S3Request) -> S3Response:
    try:
        await multipart.abort(request.db, request.who, await uploads.find(request))
    except NotFound:
        raise uploads.no_such_upload() from None
    return S3Response(204)


async def complete(request: S3Request) -> S3Response:
    """Complete an upload. A repeated request gets the same response, in case the first one was lost."""
    # The checksum headers are about the object, not about this body.
    headers = {name: value for name, value in request.headers.items() if not name.startswith(checksums.PREFIX)}
    root = await bodies.read_xml(request, "CompleteMultipartUpload", headers)
    listed = _parse_parts(root) if len(root) < _THREAD_PARTS else await pools.TEXT.run(_parse_parts, root)
    upload = await uploads.find(request, ended=True)
    if upload.version_id is None:
        try:
            return _response(request, await _assemble(request, upload, listed))
        except (S3Error, Refusal):
            upload = await uploads.find(request, settled=True)  # another request may have completed it
            if upload.version_id is None:
                raise
    version = await repository.get_version_at_key(request.db, request.who, request.key, upload.version_id)
    if version is None:
        raise uploads.no_such_upload()
    return _response(request, version)


async def _assemble(request: S3Request, upload: UploadRow, listed: Sequence["_ListedPart"]) -> VersionRow:
    chosen = _choose_parts(listed, await multipart.list_parts(request.db, upload))
    if parse_number(request.headers, "x-amz-mp-object-size", size := sum(part.size for part in chosen)) != size:
        raise S3Error("InvalidRequest", f"The parts have {size} bytes, which is not the value of x-amz-mp-object-size.")
    checksum = _combine_checksum(request, upload, chosen)
    await asyncio.sleep(0)  # thousands of parts take a while; the write goes through all of them again
    try:
        _, version = await multipart.complete(
            request.db,
            request.services.queue,
            request.who,
            upload,
            chosen,
            checksum,
            object_headers.parse_condition(request.headers),
        )
    except multipart.PartChanged as refusal:
        raise S3Error("InvalidPart", str(refusal)) from None
    return version


class _ListedPart(msgspec.Struct, frozen=True):
    number: int
    etag: str
    checksum: str


def _parse_parts(root: Element) -> list[_ListedPart]:
    listed = []
    for part in xml.children(root, "Part"):
        number_text = xml.child_text(part, "PartNumber", "").strip()
        if not (number_text.isascii() and number_text.isdigit() and len(number_text) < 9):
            raise xml.malformed()
        values = [xml.child_text(part, algorithm.element) for algorithm in ALGORITHMS.values()]
        etag = object_headers.unquote_etag(xml.child_text(part, "ETag", ""))
        listed.append(_ListedPart(int(number_text), etag, next(filter(None, values), "")))
    if not 1 <= len(listed) <= multipart.MAX_PARTS:
        raise xml.malformed()
    if any(before.number > after.number for before, after in pairwise(listed)):
        raise S3Error(
            "InvalidPartOrder", "The list of parts was not in ascending order. Parts must be ordered by part number."
        )
    return list({part.number: part for part in listed}.values())  # of duplicates the last one counts


def _choose_parts(listed: Sequence[_ListedPart], parts: Sequence[UploadPartRow]) -> list[UploadPartRow]:
    stored = {part.number: part for part in parts}
    for item in listed:
        part = stored.get(item.number)
        if part is None or part.md5 != item.etag or (item.checksum and part.checksum not in (None, item.checksum)):
            raise S3Error(
                "InvalidPart",
                "One or more of the specified parts could not be found. The part may not have been uploaded, or the"
                " specified entity tag may not match the part's entity tag.",
            )
    chosen = [stored[item.number] for item in listed]
    if any(part.size < MIN_PART for part in chosen[:-1]):
        raise S3Error("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
    return chosen


def _combine_checksum(request: S3Request, upload: UploadRow, chosen: Sequence[UploadPartRow]) -> Checksum | None:
    """Return the checksum of the whole; it must equal the client's, if there is one."""
    declared, algorithm = uploads.declared_checksum(upload), uploads.algorithm_of(upload)
    _check_declared(request, declared)
    if algorithm is None or declared is None:
        return None
    if declared.of_parts:
        value = checksums.combine_composite(algorithm, [part.checksum or "" for part in chosen])
    else:
        value = checksums.combine_full_object(algorithm, [(part.checksum or "", part.size) for part in chosen])
    expected = request.headers.get(algorithm.header, value).partition("-")[0]
    checksums.check_format(algorithm, expected)
    if expected != value.partition("-")[0]:
        raise S3Error("BadDigest", f"The {algorithm.name} you specified did not match the calculated checksum.")
    return Checksum(algorithm.name, value, declared.of_parts)


def _check_declared(request: S3Request, declared: Checksum | None) -> None:
    """Check that algorithm and type are those declared when the upload was created."""
    declared_type = uploads.declared_headers(declared).get("x-amz-checksum-type")
    sent_type = request.headers.get("x-amz-checksum-type", declared_type)
    sent = {name for name, algorithm in ALGORITHMS.items() if algorithm.header in request.headers}
    if sent_type != declared_type or sent - ({declared.algorithm} if declared else set()):
        raise S3Error("InvalidRequest", "The checksum is not of the type declared when the upload was created.")


def _response(request: S3Request, version: VersionRow) -> S3Response:
    body = xml.document(
        "CompleteMultipartUploadResult",
        xml.text("Location", f"{request.services.address}/{request.bucket}/{quote(request.key)}"),
        xml.text("Bucket", request.bucket), xml.text("Key", request.key), xml.text("ETag", f'"{version.etag}"'),
        *(objects.checksum_elements(version.checksum) if version.checksum else []),
    )  # fmt: skip
    return S3Response(body=body, headers={"x-amz-version-id": version.id})
