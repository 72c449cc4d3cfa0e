"""Copies within the bucket: no byte is moved, unless only a part of a source is wanted."""

from urllib.parse import unquote_plus

import msgspec

from teamspace.core import clock
from teamspace.repository import Carried, Checksum, VersionRow, Work, copying, reading
from teamspace.s3.domain import checksums, describing, objects, xml
from teamspace.s3.domain.checksums import Wanted
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import Answer, Visit

_SOURCE = "x-amz-copy-source"


async def copy(visit: Visit) -> Answer:
    key, version = await source(visit)
    work = await _work(visit, version)
    if key == visit.key and not _named(visit)[2] and not _replaces(visit):
        raise Fault(
            "InvalidRequest",
            "This copy request is illegal because it is trying to copy an object to itself without changing the"
            " object's metadata, storage class, website redirect location or encryption attributes.",
        )
    condition = describing.condition(visit.headers)
    _, made = await copying.copy(visit.db, visit.house.queue, visit.who, version, key, work, condition)
    body = xml.document(
        "CopyObjectResult", xml.text("LastModified", made.created_at), xml.text("ETag", f'"{made.etag}"'),
        *(objects.sum_elements(made.checksum) if made.checksum else []),
    )  # fmt: skip
    return Answer(
        body=body, headers={"x-amz-version-id": made.id, "x-amz-copy-source-version-id": version.id}
    )  # fmt: skip


async def source(visit: Visit) -> tuple[str, VersionRow]:
    """The key and the version that the header names, under the header's conditions."""
    bucket, key, version_id = _named(visit)
    if not key:
        raise Fault("InvalidArgument", "Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
    if bucket != visit.bucket:
        raise Fault("NoSuchBucket", "The specified bucket does not exist")
    query = {"versionId": version_id} if version_id else {}
    version = await objects.found(msgspec.structs.replace(visit, key=key, query=query))
    _check(visit, version)
    return key, version


def _named(visit: Visit) -> tuple[str, str, str]:
    """Bucket, key and version that the header names; a version perhaps not."""
    path, _, version_id = visit.headers[_SOURCE].partition("?versionId=")
    # Encoded as in a form: S3 takes a plus for a space, and clients count on it.
    bucket, _, key = unquote_plus(path).removeprefix("/").partition("/")
    return bucket, key, version_id


def _check(visit: Visit, version: VersionRow) -> None:
    headers = visit.headers
    match, none_match = headers.get(f"{_SOURCE}-if-match"), headers.get(f"{_SOURCE}-if-none-match")
    since, unchanged = _date(visit, "if-modified-since"), _date(visit, "if-unmodified-since")
    modified = int(clock.seconds(version.created_at))
    refused = (
        (match is not None and describing.unquoted(match) not in ("*", version.etag))
        or (none_match is not None and describing.unquoted(none_match) in ("*", version.etag))
        or (none_match is None and since is not None and modified <= since)
        or (match is None and unchanged is not None and modified > unchanged)
    )
    if refused:
        raise Fault("PreconditionFailed", "At least one of the pre-conditions you specified did not hold")


def _date(visit: Visit, name: str) -> int | None:
    return describing.moment(visit.headers.get(f"{_SOURCE}-{name}", ""))


def _replaces(visit: Visit) -> bool:
    """Whether the copy's own headers count, and not those of the source."""
    return _directive(visit, "metadata") == "REPLACE"


def _directive(visit: Visit, what: str) -> str:
    directive = visit.headers.get(f"x-amz-{what}-directive", "COPY")
    if directive not in ("COPY", "REPLACE"):
        raise Fault("InvalidArgument", f"Unknown {what} directive.")
    return directive


async def _work(visit: Visit, version: VersionRow) -> Work:
    own = describing.work(visit)
    carried, content_type = own.carried, own.content_type
    if not _replaces(visit):
        carried = version.carried or Carried({"content-type": version.content_type})
        content_type = version.content_type
    tags = version.tags if _directive(visit, "tagging") == "COPY" else own.tags
    copied = msgspec.structs.replace(own, carried=carried, content_type=content_type, tags=tags)
    return copied.summed(await _checksum(visit, version))


async def _checksum(visit: Visit, version: VersionRow) -> Checksum | None:
    """The source's; in another algorithm if one is asked for, which takes reading it."""
    algorithm = checksums.wanted(visit.headers, ()).algorithm
    if algorithm is None or (version.checksum and version.checksum.algorithm == algorithm.name):
        return version.checksum
    running = algorithm.start()
    async for _ in checksums.summed(reading.span(visit.db, visit.house.files, version, 0, version.size), running):
        pass
    return Checksum(algorithm.name, checksums.checked(Wanted(), running.digest(), {}))
