"""Object metadata in request and response headers."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qsl

import msgspec

from teamspace.repository import Checksum, StoredHeaders, VersionDraft, VersionRow, Visibility, WriteCondition, naming
from teamspace.s3.domain.checksums import ALGORITHMS
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.requests import S3Request

METADATA = "x-amz-meta-"
MAX_METADATA = 2048
MAX_TAGS, MAX_TAG, MAX_TAG_VALUE = 10, 128, 256
_STORED = ("content-type", "cache-control", "content-disposition", "content-encoding", "content-language", "expires")
_UNKNOWN_TYPE = "binary/octet-stream"
_UNSUPPORTED = ("x-amz-server-side-encryption", "x-amz-object-lock-", "x-amz-website-redirect-location")
_CANNED: Mapping[str, Visibility | None] = {
    "private": None, "bucket-owner-read": "team", "bucket-owner-full-control": "team",
}  # fmt: skip
"""The bucket's owner is the team, so `bucket-owner-*` means visible to its members. `private` changes nothing."""
_HEADER = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_TAG = re.compile(r"[\w\s+\-=.:/@]*")


# Requests


def validate_key(text: str) -> str:
    if len(text.encode()) > naming.MAX_KEY:
        raise S3Error("KeyTooLongError", "Your key is too long")
    return naming.validate_key(text)


def version_draft(request: S3Request, checksum: Checksum | None = None) -> VersionDraft:
    """Return the version to write, without its bytes."""
    headers = request.headers
    for name in headers:
        if name.startswith(_UNSUPPORTED):
            raise S3Error("NotImplemented", f"The header {name} is not supported.")
    filename = naming.choose_filename(None, validate_key(request.key))
    return VersionDraft(
        request.key, filename, naming.parse_content_type_or_guess(headers.get("content-type", ""), filename),
        visibility=parse_visibility(headers), actor_kind="s3",
        carried=StoredHeaders(_stored_headers(headers), _parse_metadata(headers), checksum), tags=_parse_tags(headers),
    )  # fmt: skip


def parse_visibility(headers: Mapping[str, str]) -> Visibility | None:
    canned = headers.get("x-amz-acl", "private")
    if canned not in _CANNED or any(name.startswith("x-amz-grant-") for name in headers):
        raise S3Error(
            "AccessControlListNotSupported",
            "Access is managed in the repository: the ACL can be private, or bucket-owner-full-control for the team.",
        )
    return _CANNED[canned]


def _stored_headers(headers: Mapping[str, str]) -> dict[str, str]:
    stored = {name: headers[name] for name in _STORED if headers.get(name)}
    encodings = [part.strip() for part in stored.pop("content-encoding", "").split(",")]
    if encoding := ", ".join(part for part in encodings if part not in ("", "aws-chunked")):
        stored["content-encoding"] = encoding
    return stored


def _parse_metadata(headers: Mapping[str, str]) -> dict[str, str]:
    metadata = {name.removeprefix(METADATA): value for name, value in headers.items() if name.startswith(METADATA)}
    if sum(len(name) + len(value.encode("latin-1", "replace")) for name, value in metadata.items()) > MAX_METADATA:
        raise S3Error("MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size")
    return metadata


def _parse_tags(headers: Mapping[str, str]) -> dict[str, str] | None:
    text = headers.get("x-amz-tagging")
    if not text:
        return None
    try:
        return validate_tags(parse_qsl(text, keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise S3Error("InvalidArgument", "The header x-amz-tagging must be URL-encoded.") from None


def validate_tags(pairs: list[tuple[str, str]]) -> dict[str, str]:
    if len(pairs) > MAX_TAGS:
        raise S3Error("InvalidTag", f"Object tags cannot be greater than {MAX_TAGS}")
    if len({name for name, _ in pairs}) < len(pairs):
        raise S3Error("InvalidTag", "Cannot provide multiple Tags with the same key")
    for name, value in pairs:
        if not 1 <= len(name) <= MAX_TAG or not _TAG.fullmatch(name):
            raise S3Error("InvalidTag", "The TagKey you have provided is invalid")
        if len(value) > MAX_TAG_VALUE or not _TAG.fullmatch(value):
            raise S3Error("InvalidTag", "The TagValue you have provided is invalid")
    return dict(pairs)


def parse_condition(headers: Mapping[str, str]) -> WriteCondition:
    """Return the precondition of a write from If-Match and If-None-Match."""
    none_match, match = headers.get("if-none-match"), headers.get("if-match")
    if none_match is not None:
        return (
            WriteCondition(exists=False)
            if none_match.strip() == "*"
            else WriteCondition(not_etag=unquote_etag(none_match))
        )
    if match is None:
        return WriteCondition()
    return WriteCondition(etag=unquote_etag(match))


def parse_delete_condition(match: str | None, size: str | None, modified: str | None) -> WriteCondition:
    """Return the precondition of a deletion."""
    condition = parse_condition({} if match is None else {"if-match": match})
    if size is not None and not (size.isascii() and size.isdigit() and len(size) < 16):
        raise S3Error("InvalidArgument", "The size must be a number.")
    date = None if modified is None else parse_http_date(modified)
    if modified is not None and date is None:
        raise S3Error("InvalidArgument", "The last-modified time must be a date.")
    return msgspec.structs.replace(condition, size=None if size is None else int(size), modified=date)


def parse_http_date(text: str) -> int | None:
    """Return an HTTP date in seconds since the epoch, or None if it is not one."""
    try:
        return int(parsedate_to_datetime(text).timestamp())
    except (ValueError, OverflowError):
        return None


def unquote_etag(tag: str) -> str:
    return tag.strip().removeprefix("W/").strip('"')


# Responses


def response_headers(version: VersionRow) -> dict[str, str]:
    """Return all headers except those about the bytes."""
    carried = version.carried or StoredHeaders()
    headers = {name: value for name, value in carried.headers.items() if name != "content-type"}
    headers |= {f"{METADATA}{name}": value for name, value in carried.metadata.items()}
    if version.tags:
        headers["x-amz-tagging-count"] = str(len(version.tags))
    return headers | {"x-amz-version-id": version.id}


def content_type(version: VersionRow) -> str:
    """Return the type as the S3 client sent it, or the stored one if the object was not written over S3."""
    if version.carried is None:
        return version.content_type
    return version.carried.headers.get("content-type", _UNKNOWN_TYPE)


def checksum_headers(checksum: Checksum | None) -> dict[str, str]:
    if checksum is None or not checksum.value:
        return {}
    return {ALGORITHMS[checksum.algorithm].header: checksum.value, "x-amz-checksum-type": checksum_type(checksum)}


def checksum_type(checksum: Checksum) -> str:
    return "COMPOSITE" if checksum.of_parts else "FULL_OBJECT"


def parse_overrides(query: Mapping[str, str]) -> dict[str, str]:
    """Return the response headers that the query overrides. The query is signed, so only key holders can."""
    overrides = {
        name.removeprefix("response-"): value
        for name, value in query.items()
        if name.startswith("response-") and name.removeprefix("response-") in _STORED
    }
    for name, value in overrides.items():
        if not _HEADER.fullmatch(value):
            raise S3Error("InvalidArgument", f"response-{name} contains characters that are not allowed in a header.")
    return overrides
