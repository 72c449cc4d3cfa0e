"""Looking at the repository: one object, its versions, a list of objects, and the bytes."""

import json
import logging
from collections.abc import AsyncIterator
from functools import partial

import msgspec

from teamspace import blobs
from teamspace.blobs import BlobStore
from teamspace.core import clock, paging
from teamspace.core.db import Db, Fence, Reads
from teamspace.core.errors import BadRequest, Forbidden, NotFound
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Stored
from teamspace.repository import access, store
from teamspace.repository.domain import naming
from teamspace.repository.schemas import (
    Capability,
    ContentQuery,
    Listing,
    Object,
    ObjectItem,
    ObjectQuery,
    ObjectRow,
    Version,
    VersionQuery,
    VersionRow,
)

log = logging.getLogger("teamspace.repository")
INLINE = frozenset(
    {"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "application/pdf", "text/plain"}
)
"""What a browser may show by itself; anything that could run on this origin is not among it."""
_BEYOND_ALL = 2**53


async def seen(db: Reads, who: Principal, object_id: str) -> ObjectRow:
    """A reader of the company needs no `?scope=org` here: the id has named the object already."""
    row = await store.get(db, access.fence(who, P.FILES_READ, across_org=True), object_id)
    if row is None:
        raise NotFound()
    return row


def readable(who: Principal, *, across_org: bool) -> Fence:
    """For others who show objects: the rows of `objects` that `who` can read, in the team or in the whole company."""
    return access.fence(who, P.FILES_READ, across_org=across_org)


async def held(db: Reads, who: Principal, object_id: str, permission: P) -> ObjectRow:
    """The object, if `who` holds `permission` on it: 404 when it cannot be seen, 403 when it can."""
    fence = access.fence(who, permission)
    row = await store.get(db, access.fence(who, P.FILES_READ, across_org=True), object_id)
    if row is None:
        # A token may be scoped to writing alone; then what it may write is what it may know of.
        row = await store.get(db, fence, object_id)
        if row is None:
            raise NotFound()
    elif not await store.admits(db, fence, object_id):
        raise Forbidden(f"This needs {permission} on the object: ask its owner.")
    return row


async def find(db: Db, who: Principal, object_id: str, query: VersionQuery) -> Object:
    return await shown(db, who, await seen(db, who, object_id), query)


async def permissions(db: Reads, who: Principal, row: ObjectRow) -> list[P]:
    """What `who` may do with it."""
    fences = [access.fence(who, permission, across_org=True) for permission in Capability.MANAGE.permissions]
    rights = await store.get_rights(db, fences, row.id)
    return rights.permissions if rights else []


async def shown(db: Reads, who: Principal, row: ObjectRow, query: VersionQuery | None = None) -> Object:
    query = query or VersionQuery()
    rows = await store.select_versions(db, row.id, _below(query), query.size + 1)
    page = paging.page(rows, query, lambda version: str(version.number))
    return Object(
        id=row.id, key=row.key, filename=row.filename, content_type=row.content_type, size=row.size, sha256=row.sha256,
        visibility=row.visibility, owner=row.owner_id, team_id=row.team_id, version=row.version,
        text_state=row.text_state, created_at=row.created_at, updated_at=row.updated_at, permissions=await permissions(db, who, row), text_fault=row.text_fault,
        versions=[_version(version) for version in page.items], next_cursor=page.next_cursor,
    )  # fmt: skip


def _below(query: VersionQuery) -> int:
    if query.cursor is None:
        return _BEYOND_ALL
    if not (query.before.isascii() and query.before.isdigit() and len(query.before) < 17):
        raise BadRequest.at("cursor", "is not a cursor of this list")
    return int(query.before)


def _version(row: VersionRow) -> Version:
    return Version(
        id=row.id, number=row.number, size=row.size, sha256=row.sha256, content_type=row.content_type,
        author=row.author_id, actor_kind=row.actor_kind, run_id=row.run_id, created_at=row.created_at,
    )  # fmt: skip


# Bytes


async def content(db: Db, files: BlobStore, who: Principal, object_id: str, query: ContentQuery) -> Stored:
    row = await seen(db, who, object_id)
    version = await store.get_version(db, row.id, query.version or row.version)
    if version is None:
        raise NotFound("There is no such version of it.")
    inline = version.content_type in INLINE and query.download is None
    kind = f"{version.content_type}; charset=utf-8" if version.content_type == "text/plain" else version.content_type
    return Stored(
        size=version.size, content_type=kind if inline else version.content_type, tag=str(version.number),
        modified=clock.seconds(version.created_at), read=partial(_read, db, files, version),
        headers={
            "content-disposition": naming.disposition("inline" if inline else "attachment", version.filename),
            "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'self'",
        },
    )  # fmt: skip


async def _read(db: Reads, files: BlobStore, version: VersionRow, start: int, length: int) -> AsyncIterator[bytes]:
    """A part of a version; damage ends the answer, and is on record."""
    try:
        async for chunk in blobs.span(db, files, version.org_id, version.sha256, start, length):
            yield chunk
    except (blobs.BlobMissing, blobs.DamagedBlob) as fault:
        log.error("version %s of object %s cannot be read: %s", version.number, version.object_id, fault)
        raise


async def as_of(db: Reads, row: ObjectRow, number: int) -> ObjectRow:
    """An object that a fence has admitted, as it was with another version."""
    version = await store.get_version(db, row.id, number)
    if version is None:
        raise NotFound("There is no such version of it.")
    return msgspec.structs.replace(
        row, version=version.number, size=version.size, sha256=version.sha256, content_type=version.content_type,
        filename=version.filename, title=version.title, updated_at=version.created_at,
    )  # fmt: skip


async def text_of(files: BlobStore, row: ObjectRow) -> str:
    """Of an object that is text, is known to be small, and that a fence has admitted."""
    return (await blobs.read(files, row.org_id, row.sha256)).decode("utf-8", errors="replace")


# Lists


async def documents(db: Db, who: Principal, before: str, limit: int) -> list[ObjectRow]:
    """The Markdown that `who` can read, newest first."""
    return await store.select_documents(db, access.fence(who, P.FILES_READ), before, limit)


async def listing(db: Db, who: Principal, query: ObjectQuery) -> Listing:
    fence = _fence_of(who, query)
    if query.prefix is None and query.delimiter is None:
        rows = await store.select_newest(db, fence, query.before, query.size + 1)
        page = paging.page(rows, query, lambda item: item.id)
        return Listing(page.items, [], page.next_cursor)
    return await _by_key(db, who, fence, query)


def _fence_of(who: Principal, query: ObjectQuery) -> Fence:
    if query.scope == "org" and not who.holds(P.ORG_READ):
        raise Forbidden("The scope org needs org:read, by a role in the company.")
    if query.shared:
        return access.shared(who)
    return access.fence(who, P.FILES_READ, across_org=query.scope == "org")


async def _by_key(db: Db, who: Principal, fence: Fence, query: ObjectQuery) -> Listing:
    """Whatever lies in a folder is passed over in one step, however much it is."""
    prefix = query.prefix or ""
    only_team = None if query.scope or query.shared else who.team_id
    entries: list[ObjectItem | str] = []
    places: list[tuple[str, str]] = []
    after: tuple[str, str] | None = _place(query.cursor) if query.cursor else (prefix, "")
    while after is not None and len(entries) <= query.size:
        rows = await store.select_by_key(
            db, fence, only_team=only_team, prefix=prefix, beyond=naming.successor(prefix), after=after,
            limit=query.size + 1 - len(entries),
        )  # fmt: skip
        if not rows:
            break
        for row in rows:
            folder = _folder(row.key, prefix) if query.delimiter else None
            after = _beyond(folder) if folder else (row.key, row.id)
            entries.append(folder or row)
            places.append(after or (row.key, "~"))
            if folder:
                break
    shown = entries[: query.size]
    more = len(entries) > query.size
    return Listing(
        items=[entry for entry in shown if not isinstance(entry, str)],
        folders=[entry for entry in shown if isinstance(entry, str)],
        next_cursor=paging.sealed(json.dumps(places[query.size - 1])) if more else None,
    )


def _folder(key: str, prefix: str) -> str | None:
    end = key.find("/", len(prefix))
    return key[: end + 1] if end >= 0 else None


def _beyond(folder: str) -> tuple[str, str] | None:
    following = naming.successor(folder)
    return None if following is None else (following, "")


def _place(cursor: str) -> tuple[str, str]:
    try:
        key, id = json.loads(paging.opened(cursor))
        if isinstance(key, str) and isinstance(id, str):
            key.encode()
            return key, id
    except (ValueError, TypeError):
        pass
    raise BadRequest.at("cursor", "is not a cursor of this list")
