"""The end of an upload in parts: completed, or given up."""

from collections.abc import Sequence
from itertools import pairwise
from urllib.parse import quote
from xml.etree.ElementTree import Element

import msgspec

from teamspace import repository
from teamspace.core.errors import NotFound, Refusal
from teamspace.repository import Checksum, UploadPartRow, UploadRow, VersionRow, assembling
from teamspace.s3.domain import bodies, checksums, describing, objects, uploads, xml
from teamspace.s3.domain.checksums import ALGORITHMS
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import Answer, Visit, number

SMALLEST_PART = 5 * 1024 * 1024


async def abort(visit: Visit) -> Answer:
    try:
        await assembling.abort(visit.db, visit.who, await uploads.found(visit))
    except NotFound:
        raise uploads.no_such_upload() from None
    return Answer(204)


async def complete(visit: Visit) -> Answer:
    """Once more gives the same answer, for whoever has not heard the first."""
    own = {name: value for name, value in visit.headers.items() if not name.startswith(checksums.PREFIX)}
    named = _named(await bodies.document(visit, "CompleteMultipartUpload", own))
    upload = await uploads.found(visit, ended=True)
    if upload.version_id is None:
        try:
            return _completed(visit, await _assembled(visit, upload, named))
        except (Fault, Refusal):
            upload = await uploads.found(visit, settled=True)  # that it has ended meanwhile may be all that was wrong
            if upload.version_id is None:
                raise
    version = await repository.version_at(visit.db, visit.who, visit.key, upload.version_id)
    if version is None:
        raise uploads.no_such_upload()
    return _completed(visit, version)


async def _assembled(visit: Visit, upload: UploadRow, named: Sequence["_Named"]) -> VersionRow:
    chosen = _chosen(named, await assembling.parts(visit.db, upload))
    if number(visit.headers, "x-amz-mp-object-size", size := sum(part.size for part in chosen)) != size:
        raise Fault("InvalidRequest", f"The parts have {size} bytes, which is not what x-amz-mp-object-size says.")
    checksum = _checksum(visit, upload, chosen)
    try:
        _, version = await assembling.complete(
            visit.db, visit.house.queue, visit.who, upload, chosen, checksum, describing.condition(visit.headers)
        )
    except assembling.PartChanged as refusal:
        raise Fault("InvalidPart", str(refusal)) from None
    return version


class _Named(msgspec.Struct, frozen=True):
    number: int
    etag: str
    checksum: str


def _named(root: Element) -> list[_Named]:
    named = []
    for part in xml.children(root, "Part"):
        place = xml.value(part, "PartNumber", "").strip()
        if not (place.isascii() and place.isdigit() and len(place) < 9):
            raise xml.malformed()
        given = [xml.value(part, algorithm.element) for algorithm in ALGORITHMS.values()]
        etag = describing.unquoted(xml.value(part, "ETag", ""))
        named.append(_Named(int(place), etag, next(filter(None, given), "")))
    if not 1 <= len(named) <= assembling.MOST_PARTS:
        raise xml.malformed()
    if any(before.number > after.number for before, after in pairwise(named)):
        raise Fault(
            "InvalidPartOrder", "The list of parts was not in ascending order. Parts must be ordered by part number."
        )
    return list({part.number: part for part in named}.values())  # of a part that is named twice the last counts


def _chosen(named: Sequence[_Named], parts: Sequence[UploadPartRow]) -> list[UploadPartRow]:
    there = {part.number: part for part in parts}
    for name in named:
        part = there.get(name.number)
        if part is None or part.md5 != name.etag or (name.checksum and part.checksum not in (None, name.checksum)):
            raise Fault(
                "InvalidPart",
                "One or more of the specified parts could not be found. The part may not have been uploaded, or the"
                " specified entity tag may not match the part's entity tag.",
            )
    chosen = [there[name.number] for name in named]
    if any(part.size < SMALLEST_PART for part in chosen[:-1]):
        raise Fault("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
    return chosen


def _checksum(visit: Visit, upload: UploadRow, chosen: Sequence[UploadPartRow]) -> Checksum | None:
    """Of the whole, which must be the one that the client names, if it does."""
    promised, algorithm = uploads.promised(upload), uploads.algorithm_of(upload)
    _check_announced(visit, promised)
    if algorithm is None or promised is None:
        return None
    if promised.of_parts:
        value = checksums.composite(algorithm, [part.checksum or "" for part in chosen])
    else:
        value = checksums.full_object(algorithm, [(part.checksum or "", part.size) for part in chosen])
    given = visit.headers.get(algorithm.header, value).partition("-")[0]
    checksums.check_form(algorithm, given)
    if given != value.partition("-")[0]:
        raise Fault("BadDigest", f"The {algorithm.name} you specified did not match the calculated checksum.")
    return Checksum(algorithm.name, value, promised.of_parts)


def _check_announced(visit: Visit, promised: Checksum | None) -> None:
    """What is said of the whole at its end must be what was said at its beginning."""
    declared = uploads.declared(promised)
    kind = visit.headers.get("x-amz-checksum-type", declared.get("x-amz-checksum-type"))
    given = {name for name, algorithm in ALGORITHMS.items() if algorithm.header in visit.headers}
    if kind != declared.get("x-amz-checksum-type") or given - ({promised.algorithm} if promised else set()):
        raise Fault("InvalidRequest", "The checksum is not of the kind with which the upload was begun.")


def _completed(visit: Visit, version: VersionRow) -> Answer:
    body = xml.document(
        "CompleteMultipartUploadResult",
        xml.text("Location", f"{visit.house.address}/{visit.bucket}/{quote(visit.key)}"),
        xml.text("Bucket", visit.bucket), xml.text("Key", visit.key), xml.text("ETag", f'"{version.etag}"'),
        *(objects.sum_elements(version.checksum) if version.checksum else []),
    )  # fmt: skip
    return Answer(body=body, headers={"x-amz-version-id": version.id})
