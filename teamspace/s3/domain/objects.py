"""Object operations: read, write, delete, attributes."""

from email.utils import formatdate
from functools import partial

import msgspec

from teamspace import blobs, repository
from teamspace.core import clock
from teamspace.core.db import Db, WriteBatch, retry_on_conflict
from teamspace.core.replies import StoredContent
from teamspace.repository import Checksum, VersionRow, WriteCondition, deleting, reading, writing
from teamspace.s3.domain import bodies, checksums, object_headers, xml
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.requests import S3Request, S3Response, parse_number

MAX_PARTS_SHOWN = 1000
_CONDITIONS = ("if-match", "x-amz-if-match-size", "x-amz-if-match-last-modified-time")


async def get(request: S3Request) -> StoredContent:
    """Return the content, with ranges and conditions; also for HEAD."""
    version = await find_version(request)
    headers = object_headers.response_headers(version) | object_headers.parse_overrides(request.query)
    if request.headers.get("x-amz-checksum-mode", "").upper() == "ENABLED":
        headers |= object_headers.checksum_headers(version.checksum)
    kind = headers.pop("content-type", object_headers.content_type(version))
    stored = StoredContent(
        size=version.size, read=partial(reading.read_range, request.db, request.services.files, version),
        content_type=kind, tag=version.etag, modified=clock.seconds(version.created_at), headers=headers,
    )  # fmt: skip
    return await _single_part(request, version, stored) if "partNumber" in request.query else stored


async def find_version(request: S3Request) -> VersionRow:
    """Return the requested version if the caller can read it."""
    version_id = request.query.get("versionId")
    version = await repository.get_version_at_key(request.db, request.who, request.key, version_id)
    if version is not None and not version.removal:
        return version
    if version_id is None:
        raise no_such_key(_marker_headers(version) if version else None)
    if version is None:
        raise S3Error("NoSuchVersion", "The specified version does not exist.")
    raise S3Error(
        "MethodNotAllowed", "This version is a delete marker.", _marker_headers(version) | {"allow": "DELETE"}
    )


def no_such_key(headers: dict[str, str] | None = None) -> S3Error:
    return S3Error("NoSuchKey", "The specified key does not exist.", headers)


def _marker_headers(version: VersionRow) -> dict[str, str]:
    return {"x-amz-delete-marker": "true", "x-amz-version-id": version.id}


async def _single_part(request: S3Request, version: VersionRow, stored: StoredContent) -> StoredContent:
    """Limit the content to one part, by its upload number; a version that was uploaded at once has only part 1."""
    requested = parse_number(request.query, "partNumber", 1, minimum=1)
    parts = await reading.list_parts(request.db, version)
    if not parts and requested == 1:
        return msgspec.structs.replace(stored, span=(0, version.size) if version.size else None)
    part = next((part for part in parts if part.number == requested), None)
    if part is None:
        raise S3Error("InvalidPart", "There is no part with that number.")
    headers = {**stored.headers, "x-amz-mp-parts-count": str(len(parts))}
    if version.checksum and (header := checksums.ALGORITHMS[version.checksum.algorithm].header) in headers:
        headers |= {header: part.checksum} if part.checksum else {}
    if not part.size:
        return msgspec.structs.replace(stored, headers=headers, size=0)
    return msgspec.structs.replace(stored, headers=headers, span=(part.start, part.start + part.size))


# Writing


async def put(request: S3Request) -> S3Response:
    """Write an object. Access is checked when all bytes have arrived, for large bodies also before the first."""
    draft, condition = object_headers.version_draft(request), object_headers.parse_condition(request.headers)
    requested = checksums.parse_expected(request.headers, request.payload.trailers)
    room = None
    if request.length is None or request.length > request.services.files.small:
        room = await writing.check_write(request.db, request.who, draft, condition, request.length)
    async with request.services.uploads.take(), bodies.stage_body(request, requested, room) as (staged, checksum):
        await blobs.store_staged(request.db, request.services.files, request.who, request.who.org_id, staged)
        written = await writing.put(
            request.db, request.services.queue, request.who, draft.with_checksum(checksum), condition, staged
        )  # fmt: skip
    version = written.version
    return S3Response(
        headers={
            "etag": f'"{version.etag}"',
            "x-amz-version-id": version.id,
            **object_headers.checksum_headers(checksum),
        },
    )


# Deleting


async def delete(request: S3Request) -> S3Response:
    condition = object_headers.parse_delete_condition(*(request.headers.get(name) for name in _CONDITIONS))
    key, version_id = object_headers.validate_key(request.key), request.query.get("versionId")
    deleted = await retry_on_conflict(lambda: delete_key_or_version(request, request.db, key, version_id, condition))
    if deleted is None:
        return S3Response(204, headers={"x-amz-version-id": version_id} if version_id else {})
    headers = {"x-amz-version-id": deleted.id}
    return S3Response(204, headers=headers | ({"x-amz-delete-marker": "true"} if deleted.removal else {}))


async def delete_key_or_version(
    request: S3Request, db: Db | WriteBatch, key: str, version_id: str | None, condition: WriteCondition
) -> VersionRow | None:
    """Return the new delete marker, or the deleted version."""
    if version_id is None:
        return await deleting.add_delete_marker(db, request.who, key, condition, "s3")
    return await deleting.delete_version(db, request.services.queue, request.who, key, version_id, condition)


# Attributes


async def get_attributes(request: S3Request) -> S3Response:
    """Return the requested attributes."""
    requested = {name.strip() for name in request.headers.get("x-amz-object-attributes", "").split(",")}
    version = await find_version(request)
    checksum = version.checksum
    elements = {
        "ETag": xml.text("ETag", version.etag),
        "Checksum": xml.element("Checksum", *checksum_elements(checksum)) if checksum else "",
        "ObjectParts": await _object_parts(request, version) if "ObjectParts" in requested else "",
        "StorageClass": xml.text("StorageClass", "STANDARD"),
        "ObjectSize": xml.text("ObjectSize", version.size),
    }
    if not requested <= elements.keys():
        raise S3Error("InvalidArgument", f"x-amz-object-attributes must be some of {', '.join(elements)}.")
    body = xml.document("GetObjectAttributesResponse", *(text for name, text in elements.items() if name in requested))
    modified = formatdate(clock.seconds(version.created_at), usegmt=True)
    return S3Response(body=body, headers={"last-modified": modified, "x-amz-version-id": version.id})


def checksum_elements(checksum: Checksum) -> list[str]:
    element = checksums.ALGORITHMS[checksum.algorithm].element
    return [xml.text(element, checksum.value), xml.text("ChecksumType", object_headers.checksum_type(checksum))]


async def _object_parts(request: S3Request, version: VersionRow) -> str:
    parts = await reading.list_parts(request.db, version)
    if not parts:
        return ""
    after = parse_number(request.headers, "x-amz-part-number-marker", 0)
    limit = min(parse_number(request.headers, "x-amz-max-parts", MAX_PARTS_SHOWN), MAX_PARTS_SHOWN)
    remaining = [part for part in parts if part.number > after]
    checksum = version.checksum
    element = checksums.ALGORITHMS[checksum.algorithm].element if checksum else ""
    elements = [
        xml.element(
            "Part", xml.text("PartNumber", part.number), xml.text("Size", part.size),
            xml.text(element, part.checksum) if element and part.checksum else "",
        )
        for part in remaining[:limit]
    ]  # fmt: skip
    last = remaining[:limit][-1].number if remaining[:limit] else after
    return xml.element(
        "ObjectParts", xml.text("PartsCount", len(parts)), xml.text("PartNumberMarker", after),
        xml.text("NextPartNumberMarker", last), xml.text("MaxParts", limit),
        xml.text("IsTruncated", xml.boolean(len(remaining) > limit)), *elements,
    )  # fmt: skip
