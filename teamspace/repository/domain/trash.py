"""The trash: objects that were deleted, and can be restored for a while.

Such an object has all that it had: versions, grants, derivations and names in the knowledge graph. No fence admits it but
the one of the trash, and its key can be taken. It counts against the quota, until it is deleted for good.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import msgspec

from teamspace import quota, sharing
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.errors import Conflict, NotFound
from teamspace.core.principal import Call, Principal, system
from teamspace.events import Change, Readers
from teamspace.jobs import Queue
from teamspace.repository import access, store
from teamspace.repository.domain import changes, deleting, locks, moving, naming, reading, texts
from teamspace.repository.schemas import ObjectRow, TrashedObject


async def list_trashed(db: Reads, who: Principal, before: tuple[str, str], limit: int) -> list[TrashedObject]:
    """Return the objects in the trash that `who` may restore, in the order of the trash, after a time and an id."""
    return await sharing.select_trashed(db, TrashedObject, access.trash_fence(who), before, limit)


async def restore(db: Db, queue: Queue, who: Principal, object_id: str, key: str | None) -> TrashedObject:
    """Take an object out of the trash, to its own key or to another; NotFound if it is not there.

    No version is written, so that no upload trigger starts a run.
    """
    async with db.write(who, "object.restore") as tx:
        found = await store.get_trashed(tx, access.trash_fence(who), object_id)
        if found is None:
            raise NotFound()
        to = found.key if key is None else naming.validate_key(key, "/key")
        await locks.lock_keys(tx, found.team_id, *{found.key, to})
        found = await sharing.lock_trashed(tx, TrashedObject, access.trash_fence(who), object_id)
        if found is None:
            raise NotFound()
        tx.target, tx.detail, tx.team_id = found.id, {"key": to}, found.team_id
        if to != found.key:
            moving.check_can_create(who, found.team_id, to)
        await _free(tx, found.team_id, to)
        await _restore(tx, queue, who, found, to)
        return found


async def _free(tx: Tx, team_id: str, key: str) -> None:
    """Raise if the key is taken; a delete marker without content does not count."""
    existing = await store.get_at_key(tx, team_id, key)
    if existing is None:
        return
    if not existing.is_bare_marker:
        raise Conflict("repository.restore_taken", key=key)
    await changes.record(tx, existing, Change.DELETED)
    await store.delete(tx, existing.id)
    await quota.add_stored(tx, existing.org_id, existing.team_id, objects=-1)


async def _restore(tx: Tx, queue: Queue, who: Principal, found: TrashedObject, key: str) -> None:
    if key != found.key:
        old = await store.get(tx, access.trash_fence(who), found.id)
        assert old is not None
        await store.move(tx, msgspec.structs.replace(old, key=key, filename=moving.filename_at(key, old)))
    await store.restore(tx, found.id)
    row = await store.get_at_key(tx, found.team_id, key)
    assert row is not None
    await texts.bring_back(tx, queue, who, row)
    await _hash_again(tx, queue, who, row)
    await changes.record(tx, row, Change.CREATED)


async def _hash_again(tx: Tx, queue: Queue, who: Principal, row: ObjectRow) -> None:
    """Have the SHA-256 computed, if its job has met the object in the trash."""
    version = await reading.get_current_version(tx, row)
    if version.sha256 is None:
        await reading.enqueue_hash(tx, queue, who, row, version)


async def purge(db: Db, who: Principal, object_id: str) -> None:
    """Delete an object in the trash for good; NotFound if it is not there."""
    await _purge(db, who, lambda tx: sharing.lock_trashed(tx, TrashedObject, access.trash_fence(who), object_id))


async def purge_expired(db: Db, before: str, limit: int) -> int:
    """Delete objects for good that were put in the trash before this time; return how many were found."""
    expired = await sharing.select_expired(db, TrashedObject, "objects", before, limit)
    for found in expired:
        who = system(Call(while_suspended=True), org_id=found.org_id, team_id=found.team_id)
        with suppress(NotFound):
            await _purge(db, who, partial(_lock_unchanged, found))
    return len(expired)


async def _lock_unchanged(found: TrashedObject, tx: Tx) -> TrashedObject | None:
    return found if await store.is_in_trash_since(tx, found.id, found.trashed_at) else None


async def _purge(db: Db, who: Principal, lock: Callable[[Tx], Awaitable[TrashedObject | None]]) -> None:
    """Delete for good what `lock` returns; NotFound if that is None.

    A long history is deleted first, from the oldest version on and in several transactions, so that nobody has to wait.
    """
    is_deleted = False
    while not is_deleted:
        async with db.write(who, "object.purge") as tx:
            found = await lock(tx)
            if found is None:
                raise NotFound()
            tx.target, tx.detail, tx.team_id = found.id, {"key": found.key}, found.team_id
            is_deleted = not await deleting.is_large(tx, found.id)
            if is_deleted:
                await texts.drop_set_aside(tx, found.id)
                await deleting.delete_rows(tx, found)
            else:
                tx.detail["versions"] = await deleting.delete_oldest(tx, found)
            await changes.record(tx, found, Change.DELETED if is_deleted else Change.UPDATED, _readers(found))


def _readers(found: TrashedObject) -> list[str]:
    by_role = [Readers.role(found.team_id), Readers.org(found.org_id)] if found.visibility == "team" else []
    return [Readers.user(found.owner_id), *by_role]
