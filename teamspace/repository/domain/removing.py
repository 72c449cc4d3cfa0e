"""Deleting what is at a key: with all its versions, by a mark that leaves them, or one version alone."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from teamspace import blobs, quota
from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx, Units
from teamspace.core.errors import Forbidden, NotFound, PreconditionFailed, VersionMismatch
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.jobs import Queue
from teamspace.repository import access, store
from teamspace.repository.domain import finding, naming, reading, texts, writing
from teamspace.repository.schemas import ActorKind, Condition, ObjectRow, VersionRow, Work

_AT_ONCE = 500


async def delete(db: Db, who: Principal, object_id: str, seen: int | None = None) -> None:
    """With all its versions. The bytes of those stay for the grace, and then go unless others have the same."""
    async with db.write(who, "object.delete") as tx:
        row = await finding.held(tx, who, object_id, P.FILES_DELETE)
        await writing.hold(tx, row.team_id, row.key)
        row = await finding.held(tx, who, object_id, P.FILES_DELETE)
        if seen not in (None, row.version):
            raise VersionMismatch(row.version)
        await _delete(tx, row)


async def _delete(tx: Tx, row: ObjectRow) -> None:
    tx.action, tx.target, tx.detail, tx.team_id = "object.delete", row.id, {"key": row.key}, row.team_id
    after = ""
    while used := await store.select_blobs(tx, row.id, after, _AT_ONCE):
        await blobs.release(tx, row.org_id, used)
        after = used[-1]
    await texts.drop(tx, row)
    size = await store.get_total_size(tx, row.id)
    await store.delete(tx, row.id)
    await quota.store_more(tx, row.org_id, row.team_id, size=-size, objects=-1)


@asynccontextmanager
async def together(db: Db, who: Principal, keys: Sequence[str]) -> AsyncIterator[Units]:
    """For the removal of many keys of the caller's team in one commit."""
    async with db.write_many(who, *writing.locks(who.team_id, *keys)) as units:
        yield units


async def mark(
    db: Db | Units, who: Principal, key: str, condition: Condition, actor_kind: ActorKind
) -> VersionRow | None:
    """A mark as the newest version: the key is gone, and all that was there is kept.

    Where nothing was there is a mark as well, and None only where there is something that is not the caller's.
    """
    if not who.in_scope(P.FILES_DELETE, key):
        raise Forbidden("This needs files:delete.")
    if await _markable(db, who, key, condition) is None:
        return None
    async with db.write(who, "object.remove") as tx:
        await writing.hold(tx, who.team_id, key)
        row = await _markable(tx, who, key, condition)
        if row is None:
            return None
        version = _mark(who, row, actor_kind)
        tx.target, tx.detail = row.id, {"key": row.key, "version": version.number}
        if row.numbered:
            await store.update(tx, _removed(row, version))
            await texts.drop(tx, row)
        else:
            tx.action = "object.create"
            await store.insert(tx, _removed(row, version))
        await store.insert_version(tx, version)
        await quota.store_more(tx, row.org_id, row.team_id, objects=int(not row.numbered))
        return version


async def _markable(db: Reads, who: Principal, key: str, condition: Condition) -> ObjectRow | None:
    """What is there; or what is not there yet, for whoever might write it."""
    row = await _deletable(db, who, key)
    if condition != Condition():
        _check(await reading.newest(db, row) if row else None, condition)
    if row is None and access.may_create(who, key) and await store.get_at(db, who.team_id, key) is None:
        return _nothing(who, key)
    return row


def _check(version: VersionRow | None, condition: Condition) -> None:
    if version is None:
        raise NotFound("There is nothing at this key.")
    is_met = (
        not version.removal
        and condition.exists is not False
        and condition.accepts(version.etag)
        and condition.size in (None, version.size)
        and condition.modified in (None, int(clock.seconds(version.created_at)))
    )
    if not is_met:
        raise PreconditionFailed("This is not what the conditions of the request ask for.")


async def drop_version(
    db: Db | Units, queue: Queue, who: Principal, key: str, version_id: str, condition: Condition
) -> VersionRow | None:
    """One version is no more, and its number is not given again; None when there is no such version."""
    if await _droppable(db, who, key, version_id) is None:
        return None
    async with db.write(who, "object.drop_version") as tx:
        await writing.hold(tx, who.team_id, key)
        found = await _droppable(tx, who, key, version_id)
        if found is None:
            return None
        row, version = found
        if condition != Condition():
            _check(version, condition)
        tx.target, tx.detail = row.id, {"key": row.key, "version": version.number}
        await blobs.release(tx, row.org_id, await _blobs(tx, version))
        await store.delete_version(tx, version.id)
        await quota.store_more(tx, row.org_id, row.team_id, size=-version.size)
        await _show_newest(tx, queue, who, row, version)
        return version


async def _deletable(db: Reads, who: Principal, key: str) -> ObjectRow | None:
    row = await store.get_fenced(db, access.with_removed(who, P.FILES_DELETE), who.team_id, key)
    if row is None and await store.get_fenced(db, access.fence(who, P.FILES_READ), who.team_id, key):
        raise Forbidden("This needs files:delete on the object: ask its owner.")
    return row


async def _droppable(db: Reads, who: Principal, key: str, version_id: str) -> tuple[ObjectRow, VersionRow] | None:
    row = await _deletable(db, who, key)
    version = None if row is None else await store.get_version_of(db, row.id, version_id)
    return None if row is None or version is None else (row, version)


async def _blobs(tx: Tx, version: VersionRow) -> list[str]:
    if version.blob is not None:
        return [version.blob]
    return [part.blob for part in await reading.parts(tx, version)]


async def _show_newest(tx: Tx, queue: Queue, who: Principal, row: ObjectRow, dropped: VersionRow) -> None:
    """What is newest now, if the newest was dropped; without any version there is no object."""
    if dropped.number != row.version:
        return
    newest = await store.get_newest_version(tx, row.id)
    if newest is None:
        await _delete(tx, row)
    elif newest.removal:
        await store.update(tx, _removed(row, newest))
        await texts.drop(tx, row)
    else:
        work = Work(row.key, newest.filename, newest.content_type, newest.title)
        shown = msgspec.structs.replace(
            finding.with_version(row, newest), removed=False, etag=newest.etag, written_at=newest.created_at,
            text_state=texts.state_of(work, newest.size), text_fault=None, updated_at=clock.stamp(),
        )  # fmt: skip
        await store.update(tx, shown)
        await texts.index(tx, queue, who, shown, work)


def _removed(row: ObjectRow, mark: VersionRow) -> ObjectRow:
    return msgspec.structs.replace(
        row, version=mark.number, numbered=max(row.numbered, mark.number), removed=True, text_state="none",
        text_fault=None, updated_at=clock.stamp(),
    )  # fmt: skip


def _nothing(who: Principal, key: str) -> ObjectRow:
    """An object without a version."""
    filename, now = naming.filename(None, key), clock.stamp()
    return ObjectRow(
        id=new_id(), org_id=who.org_id, team_id=who.team_id, owner_id=who.user_id, key=key, filename=filename,
        title=None, content_type=naming.guessed(filename), visibility="private", version=0, numbered=0, removed=True,
        size=0, sha256=None, etag="", text_state="none", text_fault=None, written_at=now, created_at=now,
        updated_at=now,
    )  # fmt: skip


def _mark(who: Principal, row: ObjectRow, actor_kind: ActorKind) -> VersionRow:
    return VersionRow(
        id=new_id(), object_id=row.id, org_id=row.org_id, number=row.numbered + 1, removal=True, size=0, blob=None,
        sha256=None, etag="", content_type=row.content_type, filename=row.filename, title=row.title, carried=None,
        tags=None, author_id=who.user_id, actor_kind=actor_kind, run_id=None, created_at=clock.stamp(),
    )  # fmt: skip
