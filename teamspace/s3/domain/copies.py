"""Copy objects within the bucket. Bytes are only read for a new checksum or for a range of the source."""

from urllib.parse import unquote_plus

import msgspec

from teamspace.core import clock
from teamspace.repository import Checksum, StoredHeaders, VersionDraft, VersionRow, copying, reading
from teamspace.s3.domain import checksums, object_headers, objects, xml
from teamspace.s3.domain.checksums import ExpectedChecksum
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.requests import S3Request, S3Response

_SOURCE = "x-amz-copy-source"


async def copy(request: S3Request) -> S3Response:
    key, version = await find_source(request)
    draft = await _draft(request, version)
    if key == request.key and not _parse_source(request)[2] and not _replaces_metadata(request):
        raise S3Error(
            "InvalidRequest",
            "This copy request is illegal because it is trying to copy an object to itself without changing the"
            " object's metadata, storage class, website redirect location or encryption attributes.",
        )
    condition = object_headers.parse_condition(request.headers)
    _, copied = await copying.copy(request.db, request.services.queue, request.who, version, key, draft, condition)
    body = xml.document(
        "CopyObjectResult", xml.text("LastModified", copied.created_at), xml.text("ETag", f'"{copied.etag}"'),
        *(objects.checksum_elements(copied.checksum) if copied.checksum else []),
    )  # fmt: skip
    return S3Response(
        body=body, headers={"x-amz-version-id": copied.id, "x-amz-copy-source-version-id": version.id}
    )  # fmt: skip


async def find_source(request: S3Request) -> tuple[str, VersionRow]:
    """Return the key and version of x-amz-copy-source, after checking its conditions."""
    bucket, key, version_id = _parse_source(request)
    if not key:
        raise S3Error("InvalidArgument", "Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
    if bucket != request.bucket:
        raise S3Error("NoSuchBucket", "The specified bucket does not exist")
    query = {"versionId": version_id} if version_id else {}
    version = await objects.find_version(msgspec.structs.replace(request, key=key, query=query))
    _check_conditions(request, version)
    return key, version


def _parse_source(request: S3Request) -> tuple[str, str, str]:
    """Return bucket, key and version id; the version id is "" if it is missing."""
    path, _, version_id = request.headers[_SOURCE].partition("?versionId=")
    # Form-encoded: S3 reads a plus as a space, and clients rely on it.
    bucket, _, key = unquote_plus(path).removeprefix("/").partition("/")
    return bucket, key, version_id


def _check_conditions(request: S3Request, version: VersionRow) -> None:
    headers = request.headers
    match, none_match = headers.get(f"{_SOURCE}-if-match"), headers.get(f"{_SOURCE}-if-none-match")
    since, unchanged = _date(request, "if-modified-since"), _date(request, "if-unmodified-since")
    modified = int(clock.seconds(version.created_at))
    refused = (
        (match is not None and object_headers.unquote_etag(match) not in ("*", version.etag))
        or (none_match is not None and object_headers.unquote_etag(none_match) in ("*", version.etag))
        or (none_match is None and since is not None and modified <= since)
        or (match is None and unchanged is not None and modified > unchanged)
    )
    if refused:
        raise S3Error("PreconditionFailed", "At least one of the pre-conditions you specified did not hold")


def _date(request: S3Request, name: str) -> int | None:
    return object_headers.parse_http_date(request.headers.get(f"{_SOURCE}-{name}", ""))


def _replaces_metadata(request: S3Request) -> bool:
    """Whether the copy takes its headers from the request, not from the source."""
    return _directive(request, "metadata") == "REPLACE"


def _directive(request: S3Request, what: str) -> str:
    directive = request.headers.get(f"x-amz-{what}-directive", "COPY")
    if directive not in ("COPY", "REPLACE"):
        raise S3Error("InvalidArgument", f"Unknown {what} directive.")
    return directive


async def _draft(request: S3Request, version: VersionRow) -> VersionDraft:
    own = object_headers.version_draft(request)
    carried, content_type = own.carried, own.content_type
    if not _replaces_metadata(request):
        carried = version.carried or StoredHeaders({"content-type": version.content_type})
        content_type = version.content_type
    tags = version.tags if _directive(request, "tagging") == "COPY" else own.tags
    draft = msgspec.structs.replace(own, carried=carried, content_type=content_type, tags=tags)
    return draft.with_checksum(await _checksum(request, version))


async def _checksum(request: S3Request, version: VersionRow) -> Checksum | None:
    """Return the source's checksum, or read the source to compute one with the requested algorithm."""
    algorithm = checksums.parse_expected(request.headers, ()).algorithm
    if algorithm is None or (version.checksum and version.checksum.algorithm == algorithm.name):
        return version.checksum
    checksum_state = algorithm.start()
    async for _ in checksums.update_while_reading(
        reading.read_range(request.db, request.services.files, version, 0, version.size), checksum_state
    ):
        pass
    return Checksum(algorithm.name, checksums.verify(ExpectedChecksum(), checksum_state.digest(), {}))
