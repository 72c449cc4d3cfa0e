"""List objects (versions 1 and 2 of the API) and object versions with delete markers."""

import json
from collections.abc import Callable, Sequence
from itertools import accumulate, takewhile
from urllib.parse import quote, unquote_plus

import msgspec

from teamspace.core import paging
from teamspace.core.errors import BadRequest
from teamspace.repository import ObjectRow, VersionRow, key_order, reading
from teamspace.s3.domain import xml
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.requests import S3Request, S3Response, parse_number

MAX_COUNT = 1000
Position = tuple[str, str]


class ListParams(msgspec.Struct, frozen=True):
    """Parameters of all lists."""

    prefix: str
    delimiter: str
    size: int
    encode: Callable[[str], str]
    encoding: str


def list_params(request: S3Request, size_param: str = "max-keys") -> ListParams:
    encoding = request.query.get("encoding-type", "")
    if encoding not in ("", "url"):
        raise S3Error("InvalidArgument", "Invalid Encoding Method specified in Request")
    if request.query.get("allow-unordered") == "true" and request.query.get("delimiter"):
        raise S3Error("InvalidArgument", "allow-unordered cannot be combined with a delimiter.")
    return ListParams(
        request.query.get("prefix", ""), request.query.get("delimiter", ""),
        min(parse_number(request.query, size_param, MAX_COUNT), MAX_COUNT),
        url_encode if encoding else str, encoding,
    )  # fmt: skip


def url_encode(text: str) -> str:
    return quote(text, safe="/*-._~")


async def list_objects(request: S3Request) -> S3Response:
    """List objects after a marker, which is a key or a folder."""
    params, marker = list_params(request), request.query.get("marker", "")
    walk = await _walk(request, params, after_marker(marker, params))
    last = walk.entries[-1] if walk.entries else ""
    next_marker = params.encode(last if isinstance(last, str) else last.key)
    return _response(
        request, params, walk, xml.text("Marker", params.encode(marker)),
        xml.text("NextMarker", next_marker) if walk.next_position and params.delimiter else "",
        with_owner=True,
    )  # fmt: skip


async def list_objects_v2(request: S3Request) -> S3Response:
    """List objects, continuing from a token."""
    params, token = list_params(request), request.query.get("continuation-token")
    start = request.query.get("start-after", "")
    walk = await _walk(request, params, _decode_token(request, token) if token else after_marker(start, params))
    return _response(
        request, params, walk, xml.text("KeyCount", len(walk.entries)),
        xml.text("StartAfter", params.encode(start)) if start else "",
        xml.text("ContinuationToken", token) if token is not None else "",
        xml.text("NextContinuationToken", _encode_token(request, walk.next_position)) if walk.next_position else "",
        with_owner=request.query.get("fetch-owner") == "true",
    )  # fmt: skip


async def _walk(request: S3Request, params: ListParams, after: Position | None) -> key_order.Walk:
    if not params.size:
        return key_order.Walk([], None)
    return await key_order.walk_team(
        request.db, request.who, prefix=params.prefix, delimiter=params.delimiter, after=after, size=params.size
    )


def after_marker(marker: str, params: ListParams) -> Position | None:
    """Return the position after a key, or after all keys of a folder."""
    if not marker:
        return None
    if key_order.folder_of(marker, params.prefix, params.delimiter) == marker:
        return key_order.position_after(marker) or (marker, key_order.AFTER_ANY_ID)
    return marker, key_order.AFTER_ANY_ID


def _encode_token(request: S3Request, position: Position) -> str:
    return paging.sign_cursor(request.db.vault, paging.encode_cursor(json.dumps(position)))


def _decode_token(request: S3Request, token: str) -> Position:
    try:
        key, id = json.loads(paging.decode_cursor(paging.verify_cursor(request.db.vault, token)))
        if isinstance(key, str) and isinstance(id, str):
            return key, id
    except (ValueError, TypeError, BadRequest):
        pass
    raise S3Error("InvalidArgument", "The continuation token provided is incorrect")


def _response(request: S3Request, params: ListParams, walk: key_order.Walk, *own: str, with_owner: bool) -> S3Response:
    objects = (entry for entry in walk.entries if not isinstance(entry, str))
    body = xml.document(
        "ListBucketResult", xml.text("Name", request.bucket), *common_elements(params),
        xml.text("MaxKeys", params.size), *own,
        xml.text("IsTruncated", xml.boolean(walk.next_position is not None)),
        *(_contents_element(row, params, owner_element(request) if with_owner else "") for row in objects),
        *folder_elements(walk.entries, params),
    )  # fmt: skip
    return S3Response(body=body)


def common_elements(params: ListParams) -> list[str]:
    return [
        xml.text("Prefix", _encode_prefix(params)),
        xml.text("Delimiter", params.encode(params.delimiter)) if params.delimiter else "",
        xml.text("EncodingType", params.encoding) if params.encoding else "",
    ]


def _encode_prefix(params: ListParams) -> str:
    """Encode the prefix only if necessary, since not every client decodes it."""
    is_same = unquote_plus(params.prefix) == params.prefix and xml.is_representable(params.prefix)
    return params.prefix if is_same else params.encode(params.prefix)


def folder_elements(entries: Sequence[object], params: ListParams) -> list[str]:
    return [
        xml.element("CommonPrefixes", xml.text("Prefix", params.encode(entry)))
        for entry in entries
        if isinstance(entry, str)
    ]


def _contents_element(row: ObjectRow, params: ListParams, owner: str) -> str:
    return xml.element(
        "Contents", xml.text("Key", params.encode(row.key)), xml.text("LastModified", row.written_at),
        xml.text("ETag", f'"{row.etag}"'), xml.text("Size", row.size), xml.text("StorageClass", "STANDARD"), owner,
    )  # fmt: skip


def owner_element(request: S3Request) -> str:
    """Return the team as owner of the bucket; the owners of objects are not shown."""
    return xml.element("Owner", *owner_fields(request))


def owner_fields(request: S3Request) -> tuple[str, str]:
    return xml.text("ID", request.who.team_id), xml.text("DisplayName", request.bucket)


# Versions


class _Page(msgspec.Struct):
    entries: list[tuple[ObjectRow, VersionRow] | str]
    next_marker: tuple[str, str] | None = None


async def list_versions(request: S3Request) -> S3Response:
    """List versions and delete markers, newest first within a key."""
    params = list_params(request)
    marker, version_marker = request.query.get("key-marker", ""), request.query.get("version-id-marker", "")
    if version_marker and not marker:
        raise S3Error("InvalidArgument", "A version-id marker cannot be specified without a key marker.")
    page = await _collect_versions(request, params, marker, version_marker) if params.size else _Page([])
    body = xml.document(
        "ListVersionsResult", xml.text("Name", request.bucket), *common_elements(params),
        xml.text("KeyMarker", params.encode(marker)),
        xml.text("VersionIdMarker", version_marker), xml.text("MaxKeys", params.size),
        xml.text("IsTruncated", xml.boolean(page.next_marker is not None)), *_next_marker_elements(page, params),
        *(
            _version_element(*entry, params, owner_element(request))
            for entry in page.entries
            if not isinstance(entry, str)
        ),
        *folder_elements(page.entries, params),
    )  # fmt: skip
    return S3Response(body=body)


def _next_marker_elements(page: _Page, params: ListParams) -> list[str]:
    if page.next_marker is None:
        return []
    key, version_id = page.next_marker
    return [
        xml.text("NextKeyMarker", params.encode(key)),
        xml.text("NextVersionIdMarker", version_id) if version_id else "",
    ]


async def _collect_versions(request: S3Request, params: ListParams, marker: str, version_marker: str) -> _Page:
    page = _Page([])
    if version_marker:
        await _add_older_versions(request, params, page, marker, version_marker)
    after = after_marker(marker, params)
    while page.next_marker is None:
        size = params.size - len(page.entries)
        walk = await key_order.walk_team(
            request.db,
            request.who,
            prefix=params.prefix,
            delimiter=params.delimiter,
            after=after,
            size=max(size, 1),
            with_deleted=True,
        )
        await _add_entries(request, params, page, walk.entries)
        if walk.next_position is None:
            return page
        after = walk.next_position
    return page


async def _add_older_versions(request: S3Request, params: ListParams, page: _Page, key: str, version_id: str) -> None:
    """Add the versions of the key that are older than the marker."""
    older = await reading.list_older_versions(request.db, request.who, key, version_id, params.size + 1)
    for row, version in older[: params.size]:
        page.entries.append((row, version))
    if len(older) > params.size:
        page.next_marker = _last_marker(page)


async def _add_entries(request: S3Request, params: ListParams, page: _Page, entries: Sequence[ObjectRow | str]) -> None:
    """Add entries until the page is full. Objects whose versions certainly fit are read in one query."""
    done = 0
    while done < len(entries) and page.next_marker is None:
        room = params.size - len(page.entries)
        batch = entries[done : done + _count_fitting(entries[done:], room)]
        rows = [entry for entry in batch if not isinstance(entry, str)]
        versions = await reading.list_versions(request.db, rows, room + 1)
        for entry in batch:
            _add(page, params, [entry] if isinstance(entry, str) else [(entry, each) for each in versions[entry.id]])
        done += len(batch)


def _count_fitting(entries: Sequence[ObjectRow | str], room: int) -> int:
    """Return how many entries fit, at least 1. `numbered` is the highest number of versions an object can have."""
    totals = accumulate(1 if isinstance(entry, str) else entry.numbered for entry in entries)
    return max(sum(1 for total in takewhile(lambda total: total <= room, totals)), 1)


def _add(page: _Page, params: ListParams, found: Sequence[tuple[ObjectRow, VersionRow] | str]) -> None:
    room = params.size - len(page.entries)
    page.entries += found[:room]
    if len(found) > room:
        page.next_marker = _last_marker(page)


def _last_marker(page: _Page) -> tuple[str, str]:
    last = page.entries[-1]
    return (last, "") if isinstance(last, str) else (last[0].key, last[1].id)


def _version_element(row: ObjectRow, version: VersionRow, params: ListParams, owner: str) -> str:
    common = (
        xml.text("Key", params.encode(row.key)), xml.text("VersionId", version.id),
        xml.text("IsLatest", xml.boolean(version.number == row.version)), xml.text("LastModified", version.created_at),
    )  # fmt: skip
    if version.removal:
        return xml.element("DeleteMarker", *common, owner)
    return xml.element(
        "Version", *common, xml.text("ETag", f'"{version.etag}"'), xml.text("Size", version.size),
        xml.text("StorageClass", "STANDARD"), owner,
    )  # fmt: skip
