"""Give an object another key, or copy it to one. Bytes are neither read nor written."""

import msgspec

from teamspace import fulltext, quota
from teamspace.core import clock
from teamspace.core.db import Db, Tx, retry_on_conflict
from teamspace.core.errors import Conflict, Forbidden, VersionMismatch
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.events import Change
from teamspace.jobs import Queue
from teamspace.repository import access, store
from teamspace.repository.domain import changes, copying, deleting, finding, locks, naming, writing
from teamspace.repository.schemas import ObjectRow, RepositoryObject, VersionDraft, shown_title


async def move(
    db: Db, queue: Queue, who: Principal, object_id: str, key: str, expected_version: int | None, *,
    replace: bool = False, keep: bool = True,
) -> RepositoryObject:  # fmt: skip
    """Give an object another key in its team; versions, grants, text and derivations stay.

    The caller must be able to write the object and to create one at the new key. No version is written, so upload
    triggers do not start. With `replace`, an object that is there gets the newest content as its next version, and the
    moved one is deleted: into the trash with `keep`.
    """
    key = naming.validate_key(key, "/key")

    async def write() -> ObjectRow:
        async with db.write(who, "object.move") as tx:
            row = await finding.require(tx, who, object_id, P.FILES_WRITE)
            await locks.lock_object(tx, row, f"{row.team_id}:{key}")
            row = await finding.require(tx, who, object_id, P.FILES_WRITE)
            check_can_create(who, row.team_id, key)
            if expected_version not in (None, row.version):
                raise VersionMismatch(row.version)
            tx.target, tx.detail, tx.team_id = row.id, {"key": key, "from": row.key}, row.team_id
            if key == row.key:
                return row
            target = await _claim(tx, who, row.team_id, key, replace=replace)
            if target is None:
                return await _move(tx, row, key)
            return await _move_onto(tx, queue, who, row, target, keep=keep)

    return await finding.describe(db, who, await retry_on_conflict(write))


async def _move(tx: Tx, row: ObjectRow, key: str) -> ObjectRow:
    # Holders of a token with a key prefix can lose the object by this.
    await changes.record(tx, row, Change.UPDATED, await store.select_readers(tx, row.id))
    moved = msgspec.structs.replace(row, key=key, filename=filename_at(key, row), updated_at=clock.stamp())
    await store.move(tx, moved)
    await fulltext.rename(tx, store.KIND, row.id, title=shown_title(moved), labels=key)
    return moved


async def _move_onto(
    tx: Tx, queue: Queue, who: Principal, row: ObjectRow, target: ObjectRow, *, keep: bool
) -> ObjectRow:
    await finding.require(tx, who, row.id, P.FILES_DELETE)
    written = await _copy_newest(tx, queue, who, row, target.key, target)
    await deleting.discard(tx, who, row, keep=keep)
    tx.action, tx.target = "object.move", written.id
    tx.detail = {"key": written.key, "from": row.key, "version": written.version, "moved": row.id}
    return written


async def copy(
    db: Db, queue: Queue, who: Principal, object_id: str, key: str, *, replace: bool = False
) -> RepositoryObject:
    """Copy the newest version of an object to an unused key of the caller's team, as their own private object.

    With `replace`, an object that is there gets it as its next version.
    """
    key = naming.validate_key(key, "/key")

    async def write() -> ObjectRow:
        async with db.write(who, "object.create") as tx:
            source = await finding.get_visible(tx, who, object_id)
            check_can_create(who, who.team_id, key)
            await locks.lock_object(tx, source, f"{who.team_id}:{key}")
            source = await finding.get_visible(tx, who, object_id)
            onto_itself = (who.team_id, key) == (source.team_id, source.key)
            target = await _claim(tx, who, who.team_id, key, replace=replace and not onto_itself)
            row = await _copy_newest(tx, queue, who, source, key, target)
            tx.detail = {"key": key, "version": row.version, "copy_of": source.id}
            return row

    return await finding.describe(db, who, await retry_on_conflict(write))


async def _copy_newest(
    tx: Tx, queue: Queue, who: Principal, source: ObjectRow, key: str, target: ObjectRow | None
) -> ObjectRow:
    version = await finding.get_version(tx, source, source.version)
    draft = VersionDraft(
        key, filename_at(key, source), version.content_type, version.title, carried=version.carried, tags=version.tags
    )
    row, _ = await copying.insert_copy(tx, queue, who, target, version, draft)
    return row


def check_can_create(who: Principal, team_id: str, key: str) -> None:
    """A grant allows to change an object, but not to name things in a team that one does not belong to."""
    if who.team_id != team_id or not access.can_create(who, key):
        raise Forbidden("rights.needs", permission=P.FILES_WRITE)


async def _claim(tx: Tx, who: Principal, team_id: str, key: str, *, replace: bool) -> ObjectRow | None:
    """Return the object that is to be replaced at a key, None if the key is free, in a transaction that has locked it.

    A delete marker at a key that never had content makes room; a deleted object with older versions does not.
    """
    existing = await store.get_at_key(tx, team_id, key)
    if existing is None:
        return None
    if not existing.is_bare_marker:
        if not replace:
            raise Conflict("repository.key_taken")
        await writing.check_can_write(tx, who, existing)
        return existing
    await store.delete(tx, existing.id)
    await quota.add_stored(tx, existing.org_id, existing.team_id, objects=-1)
    return None


def filename_at(key: str, row: ObjectRow) -> str:
    """Return the name of an object at another key: it keeps a name of its own unless the last part of the key changes."""
    name = naming.choose_filename(None, key)
    return row.filename if name == naming.choose_filename(None, row.key) else name
