"""One object: its bytes, its facts, writing it and deleting it."""

from email.utils import formatdate
from functools import partial

import msgspec

from teamspace import blobs, repository
from teamspace.core import clock
from teamspace.core.db import Db, Units, persistently
from teamspace.core.replies import Stored
from teamspace.repository import Checksum, Condition, VersionRow, reading, removing, writing
from teamspace.s3.domain import bodies, checksums, describing, xml
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import Answer, Visit, number

MOST_PARTS_SHOWN = 1000
_CONDITIONS = ("if-match", "x-amz-if-match-size", "x-amz-if-match-last-modified-time")


async def get(visit: Visit) -> Stored:
    """The bytes, with ranges and conditions; a HEAD is the same without them."""
    version = await found(visit)
    headers = describing.described(version) | describing.overridden(visit.query)
    if visit.headers.get("x-amz-checksum-mode", "").upper() == "ENABLED":
        headers |= describing.sums(version.checksum)
    kind = headers.pop("content-type", describing.content_type(version))
    stored = Stored(
        size=version.size, read=partial(reading.span, visit.db, visit.house.files, version), content_type=kind,
        tag=version.etag, modified=clock.seconds(version.created_at), headers=headers,
    )  # fmt: skip
    return await _one_part(visit, version, stored) if "partNumber" in visit.query else stored


async def found(visit: Visit) -> VersionRow:
    """The version that is asked for, of what the caller can read."""
    version_id = visit.query.get("versionId")
    version = await repository.version_at(visit.db, visit.who, visit.key, version_id)
    if version is not None and not version.removal:
        return version
    if version_id is None:
        raise no_such_key(_marked(version) if version else None)
    if version is None:
        raise Fault("NoSuchVersion", "The specified version does not exist.")
    raise Fault("MethodNotAllowed", "This version is a delete marker.", _marked(version) | {"allow": "DELETE"})


def no_such_key(headers: dict[str, str] | None = None) -> Fault:
    return Fault("NoSuchKey", "The specified key does not exist.", headers)


def _marked(version: VersionRow) -> dict[str, str]:
    return {"x-amz-delete-marker": "true", "x-amz-version-id": version.id}


async def _one_part(visit: Visit, version: VersionRow, stored: Stored) -> Stored:
    """By the number under which it was uploaded; what came whole is its own first part."""
    wanted = number(visit.query, "partNumber", 1, least=1)
    parts = await reading.parts(visit.db, version)
    if not parts and wanted == 1:
        return msgspec.structs.replace(stored, only=(0, version.size) if version.size else None)
    part = next((part for part in parts if part.number == wanted), None)
    if part is None:
        raise Fault("InvalidPart", "There is no part of that number.")
    headers = {**stored.headers, "x-amz-mp-parts-count": str(len(parts))}
    if version.checksum and (header := checksums.ALGORITHMS[version.checksum.algorithm].header) in headers:
        headers |= {header: part.checksum} if part.checksum else {}
    if not part.size:
        return msgspec.structs.replace(stored, headers=headers, size=0)
    return msgspec.structs.replace(stored, headers=headers, only=(part.start, part.start + part.size))


# Writing


async def put(visit: Visit) -> Answer:
    """Whether it may be written is asked when all bytes are there, and where they are many before the first is read."""
    work, condition = describing.work(visit), describing.condition(visit.headers)
    wanted = checksums.wanted(visit.headers, visit.payload.trailers)
    room = None
    if visit.length is None or visit.length > blobs.SMALL:
        room = await writing.check(visit.db, visit.who, work, condition, visit.length)
    async with visit.house.uploads.take(), bodies.drafted(visit, wanted, room) as (draft, checksum):
        await blobs.store_draft(visit.db, visit.house.files, visit.who, visit.who.org_id, draft)
        written = await writing.put(
            visit.db, visit.house.queue, visit.who, work.summed(checksum), condition, draft
        )  # fmt: skip
    version = written.version
    return Answer(
        headers={"etag": f'"{version.etag}"', "x-amz-version-id": version.id, **describing.sums(checksum)},
    )


# Deleting


async def delete(visit: Visit) -> Answer:
    condition = describing.of_deletion(*(visit.headers.get(name) for name in _CONDITIONS))
    key, version_id = describing.key(visit.key), visit.query.get("versionId")
    gone = await persistently(lambda: removed(visit, visit.db, key, version_id, condition))
    if gone is None:
        return Answer(204, headers={"x-amz-version-id": version_id} if version_id else {})
    headers = {"x-amz-version-id": gone.id}
    return Answer(204, headers=headers | ({"x-amz-delete-marker": "true"} if gone.removal else {}))


async def removed(
    visit: Visit, db: Db | Units, key: str, version_id: str | None, condition: Condition
) -> VersionRow | None:
    """The mark that a key was deleted, or the version that is no more."""
    if version_id is None:
        return await removing.mark(db, visit.who, key, condition, "s3")
    return await removing.drop_version(db, visit.house.queue, visit.who, key, version_id, condition)


# Facts


async def attributes(visit: Visit) -> Answer:
    """Only those that are asked for."""
    wanted = {name.strip() for name in visit.headers.get("x-amz-object-attributes", "").split(",")}
    version = await found(visit)
    checksum = version.checksum
    shown = {
        "ETag": xml.text("ETag", version.etag),
        "Checksum": xml.element("Checksum", *sum_elements(checksum)) if checksum else "",
        "ObjectParts": await _object_parts(visit, version) if "ObjectParts" in wanted else "",
        "StorageClass": xml.text("StorageClass", "STANDARD"),
        "ObjectSize": xml.text("ObjectSize", version.size),
    }
    if not wanted <= shown.keys():
        raise Fault("InvalidArgument", f"x-amz-object-attributes must name some of {', '.join(shown)}.")
    body = xml.document("GetObjectAttributesResponse", *(text for name, text in shown.items() if name in wanted))
    modified = formatdate(clock.seconds(version.created_at), usegmt=True)
    return Answer(body=body, headers={"last-modified": modified, "x-amz-version-id": version.id})


def sum_elements(checksum: Checksum) -> list[str]:
    element = checksums.ALGORITHMS[checksum.algorithm].element
    return [xml.text(element, checksum.value), xml.text("ChecksumType", describing.kind_of(checksum))]


async def _object_parts(visit: Visit, version: VersionRow) -> str:
    parts = await reading.parts(visit.db, version)
    if not parts:
        return ""
    after = number(visit.headers, "x-amz-part-number-marker", 0)
    most = min(number(visit.headers, "x-amz-max-parts", MOST_PARTS_SHOWN), MOST_PARTS_SHOWN)
    beyond = [part for part in parts if part.number > after]
    checksum = version.checksum
    element = checksums.ALGORITHMS[checksum.algorithm].element if checksum else ""
    shown = [
        xml.element(
            "Part", xml.text("PartNumber", part.number), xml.text("Size", part.size),
            xml.text(element, part.checksum) if element and part.checksum else "",
        )
        for part in beyond[:most]
    ]  # fmt: skip
    last = beyond[:most][-1].number if beyond[:most] else after
    return xml.element(
        "ObjectParts", xml.text("PartsCount", len(parts)), xml.text("PartNumberMarker", after),
        xml.text("NextPartNumberMarker", last), xml.text("MaxParts", most),
        xml.text("IsTruncated", xml.truth(len(beyond) > most)), *shown,
    )  # fmt: skip
