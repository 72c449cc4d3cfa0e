"""Delete an object with all its versions, add a delete marker, or delete one version."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import takewhile

import msgspec

from teamspace import blobs, quota
from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx, WriteBatch
from teamspace.core.errors import Forbidden, NotFound, PreconditionFailed, VersionMismatch
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.events import Change
from teamspace.jobs import Queue
from teamspace.repository import access, store
from teamspace.repository.domain import changes, finding, locks, multipart, naming, reading, texts
from teamspace.repository.schemas import (
    ActorKind,
    ObjectRow,
    OldVersion,
    TrashedObject,
    VersionDraft,
    VersionRow,
    WriteCondition,
)

_BATCH_SIZE = 500


async def delete(
    db: Db, who: Principal, object_id: str, expected_version: int | None = None, *, keep: bool = True
) -> None:
    """Put an object in the trash with all its versions; its key is free.

    Without `keep`, delete it for good; one that is too large for that goes to the trash, which is then emptied soon.
    """
    async with db.write(who, "object.delete") as tx:
        row = await finding.require(tx, who, object_id, P.FILES_DELETE)
        await locks.lock_object(tx, row)
        row = await finding.require(tx, who, object_id, P.FILES_DELETE)
        if expected_version not in (None, row.version):
            raise VersionMismatch(row.version)
        await discard(tx, who, row, keep=keep)


async def discard(tx: Tx, who: Principal, row: ObjectRow, *, keep: bool) -> None:
    """Delete an object as `delete` does, in a transaction that has locked its key and checked access."""
    if not keep and not await is_large(tx, row.id):
        return await _delete_object(tx, row)
    tx.target, tx.detail, tx.team_id = row.id, {"key": row.key}, row.team_id
    await changes.record_removal(tx, row, Change.DELETED)
    by_right = await store.admits(tx, access.fence_without_grants(who, P.FILES_DELETE), row.id)
    grantee = None if by_right else who.user_id
    await store.trash(tx, row.id, by=who.user_id, grantee=grantee, now=clock.stamp())
    await texts.set_aside(tx, row)


async def _delete_object(tx: Tx, row: ObjectRow) -> None:
    tx.action, tx.target, tx.detail, tx.team_id = "object.delete", row.id, {"key": row.key}, row.team_id
    await changes.record_removal(tx, row, Change.DELETED)
    await texts.remove_from_index(tx, row)
    await delete_rows(tx, row)


async def delete_rows(tx: Tx, row: ObjectRow | TrashedObject) -> None:
    """Delete an object that is not large, with all its versions."""
    await _delete_versions(tx, row, await store.select_oldest_versions(tx, row.id, _BATCH_SIZE))
    while await _forget_source(tx, row):
        pass
    await store.delete(tx, row.id)
    await quota.add_stored(tx, row.org_id, row.team_id, objects=-1)


async def is_large(db: Reads, object_id: str) -> bool:
    """Whether deleting an object in one transaction would hold up others."""
    return await store.is_larger_than(
        db, object_id, versions=_BATCH_SIZE, parts=multipart.MAX_PARTS, derived=_BATCH_SIZE
    )  # fmt: skip


async def delete_oldest(tx: Tx, row: TrashedObject) -> int:
    """Delete some of what a large object has, but never its newest version; return how many versions are gone."""
    *oldest, _ = await store.select_oldest_versions(tx, row.id, _BATCH_SIZE + 1)
    whole = list(takewhile(lambda version: not version.in_parts, oldest))
    batch = whole or oldest[:1]
    await _delete_versions(tx, row, batch)
    await _forget_source(tx, row)
    return len(batch)


async def _delete_versions(tx: Tx, row: ObjectRow | TrashedObject, versions: Sequence[OldVersion]) -> None:
    """Delete the oldest versions. Blobs without other references are collected after the retention."""
    if not versions:
        return
    ids = [version.id for version in versions]
    await blobs.release_references(tx, row.org_id, await store.select_blobs(tx, ids))
    await store.delete_versions(tx, ids)
    await store.delete_derivations_up_to(tx, row.id, versions[-1].number)
    await quota.add_stored(tx, row.org_id, row.team_id, size=-sum(version.size for version in versions))


async def _forget_source(tx: Tx, row: ObjectRow | TrashedObject) -> bool:
    """Delete some derivations from an object; return whether there were any."""
    derived = await store.lock_derived(tx, row.id, _BATCH_SIZE)
    if derived:
        await store.forget_source(tx, row.id, derived, _BATCH_SIZE)
    return bool(derived)


@asynccontextmanager
async def delete_many(db: Db, who: Principal, keys: Sequence[str]) -> AsyncIterator[WriteBatch]:
    """Open a batch to delete many keys of the caller's team in one commit."""
    async with db.write_many(who, *locks.key_locks(who.team_id, *keys)) as batch:
        yield batch


async def add_delete_marker(
    db: Db | WriteBatch, who: Principal, key: str, condition: WriteCondition, actor_kind: ActorKind
) -> VersionRow | None:
    """Add a delete marker as the newest version; all older versions stay.

    A key without an object gets a marker as well. Returns None if the key has an object that the caller cannot see.
    """
    if not who.in_scope(P.FILES_DELETE, key):
        raise Forbidden("rights.needs", permission=P.FILES_DELETE)
    if await _find_markable(db, who, key, condition) is None:
        return None
    async with db.write(who, "object.remove") as tx:
        await locks.lock_keys(tx, who.team_id, key)
        row = await _find_markable(tx, who, key, condition)
        if row is None:
            return None
        marker = _marker_row(who, row, actor_kind)
        tx.target, tx.detail = row.id, {"key": row.key, "version": marker.number}
        await changes.record_removal(tx, row, Change.DELETED)
        if row.numbered:
            await store.update(tx, _with_marker(row, marker))
            await texts.remove_from_index(tx, row)
        else:
            tx.action = "object.create"
            await store.insert(tx, _with_marker(row, marker))
        await store.insert_version(tx, marker)
        await quota.add_stored(tx, row.org_id, row.team_id, objects=int(not row.numbered))
        return marker


async def _find_markable(db: Reads, who: Principal, key: str, condition: WriteCondition) -> ObjectRow | None:
    """Return the object at the key, or a new one without versions if the key is unused and `who` could create it."""
    row = await _find_deletable(db, who, key)
    if condition != WriteCondition():
        _check_condition(await reading.get_current_version(db, row) if row else None, condition)
    if row is None and access.can_create(who, key) and await store.get_at_key(db, who.team_id, key) is None:
        return _new_row(who, key)
    return row


def _check_condition(version: VersionRow | None, condition: WriteCondition) -> None:
    if version is None:
        raise NotFound("repository.nothing_at_key")
    is_met = (
        not version.removal
        and condition.exists is not False
        and condition.accepts(version.etag)
        and condition.size in (None, version.size)
        and condition.modified in (None, int(clock.seconds(version.created_at)))
    )
    if not is_met:
        raise PreconditionFailed("repository.conditions")


async def delete_version(
    db: Db | WriteBatch, queue: Queue, who: Principal, key: str, version_id: str, condition: WriteCondition
) -> VersionRow | None:
    """Delete one version; its number is never used again. Returns None if there is no such version."""
    if await _find_deletable_version(db, who, key, version_id) is None:
        return None
    async with db.write(who, "object.drop_version") as tx:
        await locks.lock_keys(tx, who.team_id, key)
        found = await _find_deletable_version(tx, who, key, version_id)
        if found is None:
            return None
        row, version = found
        if condition != WriteCondition():
            _check_condition(version, condition)
        tx.target, tx.detail = row.id, {"key": row.key, "version": version.number}
        await blobs.release_references(tx, row.org_id, await store.select_blobs(tx, [version.id]))
        await store.delete_versions(tx, [version.id])
        await store.delete_derivations(tx, row.id, version.number)
        await quota.add_stored(tx, row.org_id, row.team_id, size=-version.size)
        await _show_newest(tx, queue, who, row, version)
        return version


async def _find_deletable(db: Reads, who: Principal, key: str) -> ObjectRow | None:
    row = await store.get_fenced_at_key(db, access.fence_with_deleted(who, P.FILES_DELETE), who.team_id, key)
    if row is None and await store.get_fenced_at_key(db, access.fence(who, P.FILES_READ), who.team_id, key):
        raise Forbidden("repository.needs", permission=P.FILES_DELETE)
    return row


async def _find_deletable_version(
    db: Reads, who: Principal, key: str, version_id: str
) -> tuple[ObjectRow, VersionRow] | None:
    row = await _find_deletable(db, who, key)
    version = None if row is None else await store.get_version_by_id(db, row.id, version_id)
    return None if row is None or version is None else (row, version)


async def _show_newest(tx: Tx, queue: Queue, who: Principal, row: ObjectRow, deleted: VersionRow) -> None:
    """Update the object after its newest version was deleted; without a version left, delete the object."""
    if deleted.number != row.version:
        return await changes.record(tx, row, Change.UPDATED)
    newest = await store.get_newest_version(tx, row.id)
    if newest is None:
        await _delete_object(tx, row)
    elif newest.removal:
        await changes.record_removal(tx, row, Change.DELETED)
        await store.update(tx, _with_marker(row, newest))
        await texts.remove_from_index(tx, row)
    else:
        draft = VersionDraft(row.key, newest.filename, newest.content_type, newest.title)
        updated = msgspec.structs.replace(
            finding.with_version(row, newest), removed=False, etag=newest.etag, written_at=newest.created_at,
            text_state=texts.initial_state(draft, newest.size), text_fault=None, updated_at=clock.stamp(),
        )  # fmt: skip
        await store.update(tx, updated)
        await texts.index(tx, queue, who, updated, draft)
        await changes.record(tx, row, Change.CREATED if row.removed else Change.UPDATED)


def _with_marker(row: ObjectRow, marker: VersionRow) -> ObjectRow:
    return msgspec.structs.replace(
        row, version=marker.number, numbered=max(row.numbered, marker.number), removed=True, text_state="none",
        text_fault=None, updated_at=clock.stamp(),
    )  # fmt: skip


def _new_row(who: Principal, key: str) -> ObjectRow:
    """Return an object without a version."""
    filename, now = naming.choose_filename(None, key), clock.stamp()
    return ObjectRow(
        id=new_id(), org_id=who.org_id, team_id=who.team_id, owner_id=who.user_id, key=key, filename=filename,
        title=None, content_type=naming.guess_content_type(filename), visibility="private", version=0, numbered=0,
        removed=True, size=0, sha256=None, etag="", text_state="none", text_fault=None, written_at=now,
        created_at=now, updated_at=now,
    )  # fmt: skip


def _marker_row(who: Principal, row: ObjectRow, actor_kind: ActorKind) -> VersionRow:
    return VersionRow(
        id=new_id(), object_id=row.id, org_id=row.org_id, number=row.numbered + 1, removal=True, size=0, blob=None,
        sha256=None, etag="", content_type=row.content_type, filename=row.filename, title=row.title, carried=None,
        tags=None, author_id=who.user_id, actor_kind=actor_kind, run_id=None, created_at=clock.stamp(),
    )  # fmt: skip
