"""What is in the bucket: keys and folders in both of S3's ways, and versions with the marks of what was deleted."""

import json
from collections.abc import Callable, Sequence
from itertools import accumulate, takewhile
from urllib.parse import quote, unquote_plus

import msgspec

from teamspace.core import paging
from teamspace.core.errors import BadRequest
from teamspace.repository import ObjectRow, VersionRow, reading, walking
from teamspace.s3.domain import xml
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.visits import Answer, Visit, number

MOST = 1000
Place = tuple[str, str]


class Asked(msgspec.Struct, frozen=True):
    """What all lists take."""

    prefix: str
    delimiter: str
    size: int
    encode: Callable[[str], str]
    encoding: str


def asked(visit: Visit, most: str = "max-keys") -> Asked:
    encoding = visit.query.get("encoding-type", "")
    if encoding not in ("", "url"):
        raise Fault("InvalidArgument", "Invalid Encoding Method specified in Request")
    if visit.query.get("allow-unordered") == "true" and visit.query.get("delimiter"):
        raise Fault("InvalidArgument", "A list may be without an order, or in folders, and not both.")
    return Asked(
        visit.query.get("prefix", ""), visit.query.get("delimiter", ""), min(number(visit.query, most, MOST), MOST),
        quoted if encoding else str, encoding,
    )  # fmt: skip


def quoted(text: str) -> str:
    return quote(text, safe="/*-._~")


async def first(visit: Visit) -> Answer:
    """The first way: from a marker on, which is a key or a folder."""
    wish, marker = asked(visit), visit.query.get("marker", "")
    walk = await _walk(visit, wish, after_marker(marker, wish))
    last = walk.entries[-1] if walk.entries else ""
    following = wish.encode(last if isinstance(last, str) else last.key)
    return _listed(
        visit, wish, walk, xml.text("Marker", wish.encode(marker)),
        xml.text("NextMarker", following) if walk.place and wish.delimiter else "",
        with_owner=True,
    )  # fmt: skip


async def second(visit: Visit) -> Answer:
    """The second way: a token says where to go on."""
    wish, token = asked(visit), visit.query.get("continuation-token")
    start = visit.query.get("start-after", "")
    walk = await _walk(visit, wish, _place(visit, token) if token else after_marker(start, wish))
    return _listed(
        visit, wish, walk, xml.text("KeyCount", len(walk.entries)),
        xml.text("StartAfter", wish.encode(start)) if start else "",
        xml.text("ContinuationToken", token) if token is not None else "",
        xml.text("NextContinuationToken", _token(visit, walk.place)) if walk.place else "",
        with_owner=visit.query.get("fetch-owner") == "true",
    )  # fmt: skip


async def _walk(visit: Visit, wish: Asked, after: Place | None) -> walking.Walk:
    if not wish.size:
        return walking.Walk([], None)
    return await walking.of_team(
        visit.db, visit.who, prefix=wish.prefix, delimiter=wish.delimiter, after=after, size=wish.size
    )


def after_marker(marker: str, wish: Asked) -> Place | None:
    """Beyond a key, or beyond all that lies in a folder."""
    if not marker:
        return None
    if walking.folder_of(marker, wish.prefix, wish.delimiter) == marker:
        return walking.beyond(marker) or (marker, walking.BEYOND_ANY_ID)
    return marker, walking.BEYOND_ANY_ID


def _token(visit: Visit, place: Place) -> str:
    return paging.signed(visit.db.vault, paging.sealed(json.dumps(place)))


def _place(visit: Visit, token: str) -> Place:
    try:
        key, id = json.loads(paging.opened(paging.verified(visit.db.vault, token)))
        if isinstance(key, str) and isinstance(id, str):
            return key, id
    except (ValueError, TypeError, BadRequest):
        pass
    raise Fault("InvalidArgument", "The continuation token provided is incorrect")


def _listed(visit: Visit, wish: Asked, walk: walking.Walk, *own: str, with_owner: bool) -> Answer:
    objects = (entry for entry in walk.entries if not isinstance(entry, str))
    body = xml.document(
        "ListBucketResult", xml.text("Name", visit.bucket), *head(wish), xml.text("MaxKeys", wish.size), *own,
        xml.text("IsTruncated", xml.truth(walk.place is not None)),
        *(_contents(row, wish, owner(visit) if with_owner else "") for row in objects), *folders(walk.entries, wish),
    )  # fmt: skip
    return Answer(body=body)


def head(wish: Asked) -> list[str]:
    return [
        xml.text("Prefix", _echoed(wish)),
        xml.text("Delimiter", wish.encode(wish.delimiter)) if wish.delimiter else "",
        xml.text("EncodingType", wish.encoding) if wish.encoding else "",
    ]


def _echoed(wish: Asked) -> str:
    """The prefix, which not every client decodes: one that means the same either way stays as it is."""
    is_same = unquote_plus(wish.prefix) == wish.prefix and xml.can_hold(wish.prefix)
    return wish.prefix if is_same else wish.encode(wish.prefix)


def folders(entries: Sequence[object], wish: Asked) -> list[str]:
    return [
        xml.element("CommonPrefixes", xml.text("Prefix", wish.encode(entry)))
        for entry in entries
        if isinstance(entry, str)
    ]


def _contents(row: ObjectRow, wish: Asked, owner: str) -> str:
    return xml.element(
        "Contents", xml.text("Key", wish.encode(row.key)), xml.text("LastModified", row.written_at),
        xml.text("ETag", f'"{row.etag}"'), xml.text("Size", row.size), xml.text("StorageClass", "STANDARD"), owner,
    )  # fmt: skip


def owner(visit: Visit) -> str:
    """The team, whose bucket it is; who may do what with an object is the repository's business."""
    return xml.element("Owner", *named(visit))


def named(visit: Visit) -> tuple[str, str]:
    return xml.text("ID", visit.who.team_id), xml.text("DisplayName", visit.bucket)


# Versions


class _Page(msgspec.Struct):
    entries: list[tuple[ObjectRow, VersionRow] | str]
    following: tuple[str, str] | None = None


async def versions(visit: Visit) -> Answer:
    """Newest first within a key, removals among them."""
    wish = asked(visit)
    marker, version_marker = visit.query.get("key-marker", ""), visit.query.get("version-id-marker", "")
    if version_marker and not marker:
        raise Fault("InvalidArgument", "A version-id marker cannot be specified without a key marker.")
    page = await _versions(visit, wish, marker, version_marker) if wish.size else _Page([])
    body = xml.document(
        "ListVersionsResult", xml.text("Name", visit.bucket), *head(wish), xml.text("KeyMarker", wish.encode(marker)),
        xml.text("VersionIdMarker", version_marker), xml.text("MaxKeys", wish.size),
        xml.text("IsTruncated", xml.truth(page.following is not None)), *_following(page, wish),
        *(_version(*entry, wish, owner(visit)) for entry in page.entries if not isinstance(entry, str)),
        *folders(page.entries, wish),
    )  # fmt: skip
    return Answer(body=body)


def _following(page: _Page, wish: Asked) -> list[str]:
    if page.following is None:
        return []
    key, version_id = page.following
    return [
        xml.text("NextKeyMarker", wish.encode(key)),
        xml.text("NextVersionIdMarker", version_id) if version_id else "",
    ]


async def _versions(visit: Visit, wish: Asked, marker: str, version_marker: str) -> _Page:
    page = _Page([])
    if version_marker:
        await _rest(visit, wish, page, marker, version_marker)
    after = after_marker(marker, wish)
    while page.following is None:
        size = wish.size - len(page.entries)
        walk = await walking.of_team(
            visit.db,
            visit.who,
            prefix=wish.prefix,
            delimiter=wish.delimiter,
            after=after,
            size=max(size, 1),
            removed=True,
        )
        await _add_all(visit, wish, page, walk.entries)
        if walk.place is None:
            return page
        after = walk.place
    return page


async def _rest(visit: Visit, wish: Asked, page: _Page, key: str, version_id: str) -> None:
    """What is older than the marked version of the same key."""
    older = await reading.older_versions(visit.db, visit.who, key, version_id, wish.size + 1)
    for row, version in older[: wish.size]:
        page.entries.append((row, version))
    if len(older) > wish.size:
        page.following = _mark(page)


async def _add_all(visit: Visit, wish: Asked, page: _Page, entries: Sequence[ObjectRow | str]) -> None:
    """As far as there is room. Objects whose versions are sure to fit are asked for together."""
    done = 0
    while done < len(entries) and page.following is None:
        room = wish.size - len(page.entries)
        batch = entries[done : done + _fitting(entries[done:], room)]
        rows = [entry for entry in batch if not isinstance(entry, str)]
        versions = await reading.all_versions(visit.db, rows, room + 1)
        for entry in batch:
            _add(page, wish, [entry] if isinstance(entry, str) else [(entry, each) for each in versions[entry.id]])
        done += len(batch)


def _fitting(entries: Sequence[ObjectRow | str], room: int) -> int:
    """How many of them, but at least one; an object has no more versions than it ever numbered."""
    needed = accumulate(1 if isinstance(entry, str) else entry.numbered for entry in entries)
    return max(sum(1 for total in takewhile(lambda total: total <= room, needed)), 1)


def _add(page: _Page, wish: Asked, found: Sequence[tuple[ObjectRow, VersionRow] | str]) -> None:
    room = wish.size - len(page.entries)
    page.entries += found[:room]
    if len(found) > room:
        page.following = _mark(page)


def _mark(page: _Page) -> tuple[str, str]:
    last = page.entries[-1]
    return (last, "") if isinstance(last, str) else (last[0].key, last[1].id)


def _version(row: ObjectRow, version: VersionRow, wish: Asked, owner: str) -> str:
    common = (
        xml.text("Key", wish.encode(row.key)), xml.text("VersionId", version.id),
        xml.text("IsLatest", xml.truth(version.number == row.version)), xml.text("LastModified", version.created_at),
    )  # fmt: skip
    if version.removal:
        return xml.element("DeleteMarker", *common, owner)
    return xml.element(
        "Version", *common, xml.text("ETag", f'"{version.etag}"'), xml.text("Size", version.size),
        xml.text("StorageClass", "STANDARD"), owner,
    )  # fmt: skip
