"""Looking at the repository: one object, its versions, a list of objects, and the bytes."""

import json

import msgspec

from teamspace.core import paging
from teamspace.core.db import Db, Fence, Reads
from teamspace.core.errors import BadRequest, Forbidden, NotFound
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.repository import access, store
from teamspace.repository.domain import walking
from teamspace.repository.schemas import (
    Capability,
    Listing,
    Object,
    ObjectItem,
    ObjectQuery,
    ObjectRow,
    Version,
    VersionQuery,
    VersionRow,
)

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
        **msgspec.structs.asdict(_item(row)), permissions=await permissions(db, who, row), text_fault=row.text_fault,
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


async def version_of(db: Reads, row: ObjectRow, number: int) -> VersionRow:
    """A version with bytes, of an object that a fence has admitted."""
    version = await store.get_version(db, row.id, number)
    if version is None or version.removal:
        raise NotFound("There is no such version of it.")
    return version


async def at(db: Reads, who: Principal, key: str) -> ObjectRow | None:
    """What `who` can read at a key of their team, even if it was removed."""
    return await store.get_fenced(db, access.with_removed(who, P.FILES_READ), who.team_id, key)


async def version_at(db: Reads, who: Principal, key: str, version_id: str | None) -> VersionRow | None:
    """A version of that by its id, or the newest, be it the mark of a removal."""
    if version_id is None:
        return await store.get_shown(db, access.with_removed(who, P.FILES_READ), who.team_id, key)
    row = await at(db, who, key)
    return None if row is None else await store.get_version_of(db, row.id, version_id)


async def as_of(db: Reads, row: ObjectRow, number: int) -> ObjectRow:
    """An object that a fence has admitted, as it was with another version."""
    version = await version_of(db, row, number)
    return msgspec.structs.replace(with_version(row, version), updated_at=version.created_at)


def with_version(row: ObjectRow, version: VersionRow) -> ObjectRow:
    return msgspec.structs.replace(
        row, version=version.number, size=version.size, sha256=version.sha256, content_type=version.content_type,
        filename=version.filename, title=version.title,
    )  # fmt: skip


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
    only_team = None if query.scope or query.shared else who.team_id
    after = _place(query.cursor) if query.cursor else None
    walk = await walking.walk(
        db, who, fence, only_team=only_team, prefix=query.prefix or "", delimiter=query.delimiter or "", after=after,
        size=query.size,
    )  # fmt: skip
    return Listing(
        items=[_item(entry) for entry in walk.entries if not isinstance(entry, str)],
        folders=[entry for entry in walk.entries if isinstance(entry, str)],
        next_cursor=paging.sealed(json.dumps(walk.place)) if walk.place else None,
    )


def _item(row: ObjectRow) -> ObjectItem:
    return ObjectItem(
        id=row.id, key=row.key, filename=row.filename, content_type=row.content_type, size=row.size, sha256=row.sha256,
        visibility=row.visibility, owner=row.owner_id, team_id=row.team_id, version=row.version,
        text_state=row.text_state, created_at=row.created_at, updated_at=row.updated_at,
    )  # fmt: skip


def _place(cursor: str) -> tuple[str, str]:
    try:
        key, id = json.loads(paging.opened(cursor))
        if isinstance(key, str) and isinstance(id, str):
            key.encode()
            return key, id
    except (ValueError, TypeError):
        pass
    raise BadRequest.at("cursor", "is not a cursor of this list")
