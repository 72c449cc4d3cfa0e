"""Find and list objects and versions."""

import json
from collections.abc import Sequence

import msgspec

from teamspace.core import paging
from teamspace.core.db import Db, Fence, Reads
from teamspace.core.errors import BadRequest, Forbidden, NotFound
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.repository import access, store
from teamspace.repository.domain import key_order, naming
from teamspace.repository.schemas import (
    AccessLevel,
    FolderCount,
    FolderFacts,
    ObjectItem,
    ObjectListing,
    ObjectQuery,
    ObjectRow,
    RepositoryObject,
    Version,
    VersionQuery,
    VersionRow,
    shown_title,
)

_ABOVE_ALL_NUMBERS = 2**53
MAX_COUNTED = 100
"""How many items of a folder are counted."""


async def get_visible(db: Reads, who: Principal, object_id: str) -> ObjectRow:
    """Return an object that `who` can read, or raise NotFound. Includes the whole company for holders of org:read."""
    row = await store.get(db, access.fence_of_named(who), object_id)
    if row is None:
        raise NotFound()
    return row


async def get_by_id_or_key(db: Reads, who: Principal, name: str) -> ObjectRow:
    """Return an object that `who` can read by its id, or by its key in their team; otherwise raise NotFound."""
    row = await store.get(db, access.fence_of_named(who), name)
    row = row or await store.get_fenced_at_key(db, access.fence(who, P.FILES_READ), who.team_id, name)
    if row is None:
        raise NotFound()
    return row


def read_fence(who: Principal, *, across_org: bool) -> Fence:
    """Return the fence of the objects that `who` can read, for other packages; `across_org` for the whole company."""
    return access.fence(who, P.FILES_READ, across_org=across_org)


def write_fence_without_grants(who: Principal) -> Fence:
    """Return the fence of the objects that `who` can write by ownership or role, for other packages."""
    return access.fence_without_grants(who, P.FILES_WRITE)


async def require(db: Reads, who: Principal, object_id: str, permission: P) -> ObjectRow:
    """Return the object if `who` has `permission` on it; NotFound if they cannot see it, else Forbidden."""
    fence = access.fence(who, permission)
    readable = access.fence_of_named(who)
    row = await store.get(db, readable, object_id)
    if row is None:
        # A token can be limited to writing; it may then see the objects it may write.
        row = await store.get(db, fence, object_id)
        if row is None:
            raise NotFound()
    elif not await store.admits(db, fence, object_id):
        if not await store.admits(db, readable, object_id):  # deleted meanwhile
            raise NotFound()
        raise Forbidden("repository.needs", permission=permission)
    return row


async def find(db: Db, who: Principal, object_id: str, query: VersionQuery) -> RepositoryObject:
    return await describe(db, who, await get_visible(db, who, object_id), query)


async def get_permissions(db: Reads, who: Principal, row: ObjectRow) -> list[P]:
    """Return the caller's permissions on the object."""
    _, *others = AccessLevel.MANAGE.permissions
    fences = [access.fence_of_named(who), *(access.fence(who, permission) for permission in others)]
    rights = await store.get_rights(db, fences, row.id)
    return rights.permissions if rights else []


async def describe(db: Reads, who: Principal, row: ObjectRow, query: VersionQuery | None = None) -> RepositoryObject:
    query = query or VersionQuery()
    rows = await store.select_versions(db, row.id, _below(query), query.size + 1)
    page = paging.page(rows, query, lambda version: str(version.number))
    return RepositoryObject(
        **msgspec.structs.asdict(_item(row, await get_linked(db, [row.id]))), permissions=await get_permissions(db, who, row),
        text_fault=row.text_fault, versions=[to_version(version, version.name) for version in page.items], next_cursor=page.next_cursor,
    )  # fmt: skip


def _below(query: VersionQuery) -> int:
    if query.cursor is None:
        return _ABOVE_ALL_NUMBERS
    if not (query.before.isascii() and query.before.isdigit() and len(query.before) < 17):
        raise BadRequest.at("cursor", "value.cursor")
    return int(query.before)


def to_version(row: VersionRow, name: str | None) -> Version:
    return Version(
        id=row.id, number=row.number, name=name, size=row.size, sha256=row.sha256, content_type=row.content_type,
        author=row.author_id, actor_kind=row.actor_kind, run_id=row.run_id, created_at=row.created_at,
    )  # fmt: skip


async def get_version(db: Reads, row: ObjectRow, number: int) -> VersionRow:
    """Return a version of an object that a fence has admitted; NotFound for delete markers."""
    version = await store.get_version(db, row.id, number)
    if version is None or version.removal:
        raise NotFound("repository.no_version")
    return version


async def get_at_key(db: Reads, who: Principal, key: str) -> ObjectRow | None:
    """Return the object at a key of the caller's team if they can read it, even if it is deleted."""
    return await store.get_fenced_at_key(db, access.fence_with_deleted(who, P.FILES_READ), who.team_id, key)


async def get_version_at_key(db: Reads, who: Principal, key: str, version_id: str | None) -> VersionRow | None:
    """Return a version at a key by its id, or the newest, which may be a delete marker."""
    if version_id is None:
        return await store.get_current_version(db, access.fence_with_deleted(who, P.FILES_READ), who.team_id, key)
    row = await get_at_key(db, who, key)
    return None if row is None else await store.get_version_by_id(db, row.id, version_id)


async def get_as_of_version(db: Reads, row: ObjectRow, number: int) -> ObjectRow:
    """Return an object that a fence has admitted, with the values of an older version."""
    version = await get_version(db, row, number)
    return msgspec.structs.replace(with_version(row, version), updated_at=version.created_at)


def with_version(row: ObjectRow, version: VersionRow) -> ObjectRow:
    return msgspec.structs.replace(
        row, version=version.number, size=version.size, sha256=version.sha256, content_type=version.content_type,
        filename=version.filename, title=version.title,
    )  # fmt: skip


# Lists


async def list_documents(db: Db, who: Principal, tag: str | None, before: str, limit: int) -> list[ObjectRow]:
    """List the Markdown documents that `who` can read, newest first; only those with the tag, if there is one."""
    return await store.select_documents(db, access.fence(who, P.FILES_READ), tag, before, limit)


async def get_labels(db: Reads, object_ids: Sequence[str]) -> dict[str, list[str]]:
    """Return the tags of documents that a fence has admitted, by their ids."""
    labels: dict[str, list[str]] = {object_id: [] for object_id in object_ids}
    for row in await store.select_labels_of(db, object_ids) if object_ids else ():
        labels[row.object_id].append(row.tag)
    return labels


async def get_linked(db: Reads, object_ids: Sequence[str]) -> set[str]:
    """Return those of the objects, which a fence has admitted, that have a public link that has not expired."""
    return await store.select_linked(db, object_ids) if object_ids else set()


async def get_readable(db: Reads, who: Principal, object_ids: Sequence[str]) -> list[ObjectItem]:
    """Return those of the objects that `who` can read."""
    return await store.select_by_ids(db, read_fence(who, across_org=True), object_ids)


async def filter_allowed(db: Reads, who: Principal, permission: P, object_ids: Sequence[str]) -> set[str]:
    """Return those of the objects on which `who` has `permission`."""
    return {item.id for item in await store.select_by_ids(db, access.fence(who, permission), object_ids)}


async def list_objects(db: Db, who: Principal, query: ObjectQuery) -> ObjectListing:
    fence = _list_fence(who, query)
    if query.prefix is None and query.delimiter is None:
        rows = await store.select_newest(db, fence, query.before, query.size + 1)
        page = paging.page(rows, query, lambda item: item.id)
        return ObjectListing(page.items, [], page.next_cursor)
    return await _list_by_key(db, who, fence, query)


def _list_fence(who: Principal, query: ObjectQuery) -> Fence:
    if query.scope == "org" and not who.has_permission(P.ORG_READ):
        raise Forbidden("rights.company_scope")
    if query.shared:
        return access.shared_fence(who)
    return access.fence(who, P.FILES_READ, across_org=query.scope == "org")


async def _list_by_key(db: Db, who: Principal, fence: Fence, query: ObjectQuery) -> ObjectListing:
    only_team = None if query.scope or query.shared else who.team_id
    after = _decode_position(query.cursor) if query.cursor else None
    walk = await key_order.walk(
        db, who, fence, only_team=only_team, prefix=query.prefix or "", delimiter=query.delimiter or "", after=after,
        size=query.size,
    )  # fmt: skip
    folders = [entry for entry in walk.entries if isinstance(entry, str)]
    rows = [entry for entry in walk.entries if not isinstance(entry, str)]
    linked = await get_linked(db, [row.id for row in rows])
    return ObjectListing(
        items=[_item(row, linked) for row in rows],
        folders=folders,
        next_cursor=paging.encode_cursor(json.dumps(walk.next_position)) if walk.next_position else None,
        folder_facts=await _get_facts(db, who, fence, folders, only_team) if query.facts else None,
    )


async def _get_facts(
    db: Db, who: Principal, fence: Fence, folders: list[str], only_team: str | None
) -> list[FolderFacts]:
    """Count what is in each folder, up to a number that costs little. Folders that the token's prefixes cut are left
    out: what lies outside of them would have to be read."""
    ends = [
        (folder, end)
        for folder in folders
        if (end := naming.successor(folder)) and access.allowed_prefixes(who, P.FILES_READ, folder) == [folder]
    ]
    counted = await store.select_folder_facts(db, fence, ends, only_team, MAX_COUNTED + 1) if ends else []
    found = {count.folder: count for count in counted}
    return [_facts(found[folder]) for folder, _ in ends if folder in found]


def _facts(count: FolderCount) -> FolderFacts:
    is_complete = count.items <= MAX_COUNTED
    return FolderFacts(
        count.folder, min(count.items, MAX_COUNTED), is_complete, count.updated_at if is_complete else None
    )  # fmt: skip


def _item(row: ObjectRow, linked: set[str]) -> ObjectItem:
    return ObjectItem(
        id=row.id, key=row.key, filename=row.filename, title=shown_title(row), content_type=row.content_type,
        size=row.size, sha256=row.sha256, visibility=row.visibility, owner=row.owner_id, team_id=row.team_id, version=row.version,
        text_state=row.text_state, created_at=row.created_at, updated_at=row.updated_at, has_public_link=row.id in linked,
    )  # fmt: skip


def _decode_position(cursor: str) -> tuple[str, str]:
    try:
        key, id = json.loads(paging.decode_cursor(cursor))
        if isinstance(key, str) and isinstance(id, str):
            key.encode()
            return key, id
    except (ValueError, TypeError):
        pass
    raise BadRequest.at("cursor", "value.cursor")
