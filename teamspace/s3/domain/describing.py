"""What headers say of an object, on the way in and on the way out."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from urllib.parse import parse_qsl

import msgspec

from teamspace.repository import Carried, Checksum, Condition, VersionRow, Visibility, Work, naming
from teamspace.s3.domain.checksums import ALGORITHMS
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import Visit

METADATA = "x-amz-meta-"
MOST_METADATA = 2048
MOST_TAGS, LONGEST_TAG, LONGEST_TAG_VALUE = 10, 128, 256
_KEPT = ("content-type", "cache-control", "content-disposition", "content-encoding", "content-language", "expires")
_UNKNOWN_TYPE = "binary/octet-stream"
_NOT_OFFERED = ("x-amz-server-side-encryption", "x-amz-object-lock-", "x-amz-website-redirect-location")
_CANNED: Mapping[str, Visibility | None] = {
    "private": None, "bucket-owner-read": "team", "bucket-owner-full-control": "team",
}  # fmt: skip
"""The bucket's owner is the team: what it may read, its members may. `private` leaves what is there as it is."""
_HEADER = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_TAG = re.compile(r"[\w\s+\-=.:/@]*")


# In


def key(text: str) -> str:
    if len(text.encode()) > naming.LONGEST_KEY:
        raise Fault("KeyTooLongError", "Your key is too long")
    return naming.key(text)


def work(visit: Visit, checksum: Checksum | None = None) -> Work:
    """What is to be written, but for the bytes."""
    headers = visit.headers
    for name in headers:
        if name.startswith(_NOT_OFFERED):
            raise Fault("NotImplemented", f"The header {name} is not supported.")
    filename = naming.filename(None, key(visit.key))
    return Work(
        visit.key, filename, naming.leniently(headers.get("content-type", ""), filename), visibility=visibility(headers),
        actor_kind="s3", carried=Carried(_kept(headers), _metadata(headers), checksum), tags=_tags(headers),
    )  # fmt: skip


def visibility(headers: Mapping[str, str]) -> Visibility | None:
    canned = headers.get("x-amz-acl", "private")
    if canned not in _CANNED or any(name.startswith("x-amz-grant-") for name in headers):
        raise Fault(
            "AccessControlListNotSupported",
            "Rights are the repository's: the ACL may be private, or bucket-owner-full-control for the team.",
        )
    return _CANNED[canned]


def _kept(headers: Mapping[str, str]) -> dict[str, str]:
    kept = {name: headers[name] for name in _KEPT if headers.get(name)}
    encodings = [part.strip() for part in kept.pop("content-encoding", "").split(",")]
    if encoding := ", ".join(part for part in encodings if part not in ("", "aws-chunked")):
        kept["content-encoding"] = encoding
    return kept


def _metadata(headers: Mapping[str, str]) -> dict[str, str]:
    given = {name.removeprefix(METADATA): value for name, value in headers.items() if name.startswith(METADATA)}
    if sum(len(name) + len(value.encode("latin-1", "replace")) for name, value in given.items()) > MOST_METADATA:
        raise Fault("MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size")
    return given


def _tags(headers: Mapping[str, str]) -> dict[str, str] | None:
    text = headers.get("x-amz-tagging")
    if not text:
        return None
    try:
        return tags(parse_qsl(text, keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise Fault("InvalidArgument", "The header x-amz-tagging must be encoded as a query.") from None


def tags(pairs: list[tuple[str, str]]) -> dict[str, str]:
    if len(pairs) > MOST_TAGS:
        raise Fault("InvalidTag", f"Object tags cannot be greater than {MOST_TAGS}")
    if len({name for name, _ in pairs}) < len(pairs):
        raise Fault("InvalidTag", "Cannot provide multiple Tags with the same key")
    for name, value in pairs:
        if not 1 <= len(name) <= LONGEST_TAG or not _TAG.fullmatch(name):
            raise Fault("InvalidTag", "The TagKey you have provided is invalid")
        if len(value) > LONGEST_TAG_VALUE or not _TAG.fullmatch(value):
            raise Fault("InvalidTag", "The TagValue you have provided is invalid")
    return dict(pairs)


def condition(headers: Mapping[str, str]) -> Condition:
    """Of a write: that there is nothing yet, or still the same."""
    none_match, match = headers.get("if-none-match"), headers.get("if-match")
    if none_match is not None:
        return Condition(exists=False) if none_match.strip() == "*" else Condition(not_etag=unquoted(none_match))
    if match is None:
        return Condition()
    return Condition(etag=unquoted(match))


def of_deletion(match: str | None, size: str | None, modified: str | None) -> Condition:
    """That what is to be deleted is still the same."""
    known = condition({} if match is None else {"if-match": match})
    if size is not None and not (size.isascii() and size.isdigit() and len(size) < 16):
        raise Fault("InvalidArgument", "The size must be a number.")
    date = None if modified is None else moment(modified)
    if modified is not None and date is None:
        raise Fault("InvalidArgument", "The time of the last change must be a date.")
    return msgspec.structs.replace(known, size=None if size is None else int(size), modified=date)


def moment(text: str) -> int | None:
    """A date of HTTP in seconds; None when it is none."""
    try:
        return int(parsedate_to_datetime(text).timestamp())
    except (ValueError, OverflowError):
        return None


def unquoted(tag: str) -> str:
    return tag.strip().removeprefix("W/").strip('"')


# Out


def described(version: VersionRow) -> dict[str, str]:
    """All but what concerns the bytes."""
    carried = version.carried or Carried()
    headers = {name: value for name, value in carried.headers.items() if name != "content-type"}
    headers |= {f"{METADATA}{name}": value for name, value in carried.metadata.items()}
    if version.tags:
        headers["x-amz-tagging-count"] = str(len(version.tags))
    return headers | {"x-amz-version-id": version.id}


def content_type(version: VersionRow) -> str:
    """As it was sent; what came through another door has the type that it was given there."""
    if version.carried is None:
        return version.content_type
    return version.carried.headers.get("content-type", _UNKNOWN_TYPE)


def sums(checksum: Checksum | None) -> dict[str, str]:
    if checksum is None or not checksum.value:
        return {}
    return {ALGORITHMS[checksum.algorithm].header: checksum.value, "x-amz-checksum-type": kind_of(checksum)}


def kind_of(checksum: Checksum) -> str:
    return "COMPOSITE" if checksum.of_parts else "FULL_OBJECT"


def overridden(query: Mapping[str, str]) -> dict[str, str]:
    """Headers that the request asks for in place of what is kept; it is signed, so nobody else asks."""
    wanted = {
        name.removeprefix("response-"): value
        for name, value in query.items()
        if name.startswith("response-") and name.removeprefix("response-") in _KEPT
    }
    for name, value in wanted.items():
        if not _HEADER.fullmatch(value):
            raise Fault("InvalidArgument", f"response-{name} holds what no header may hold.")
    return wanted
