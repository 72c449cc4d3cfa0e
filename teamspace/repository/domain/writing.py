"""Writing to the repository: a key gets its first version or the next one, is made visible, or is no more."""

from collections.abc import AsyncIterator, Sequence

import msgspec

from teamspace import blobs
from teamspace.blobs import BlobStore, Draft
from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx, persistently
from teamspace.core.errors import Conflict, Forbidden, PreconditionFailed, VersionMismatch
from teamspace.core.ids import new_id
from teamspace.core.limits import Slots
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.jobs import Queue
from teamspace.repository import access, store
from teamspace.repository.domain import finding, texts
from teamspace.repository.schemas import (
    Condition,
    Object,
    ObjectRow,
    ObjectWritten,
    VersionRow,
    Visibility,
    Work,
)

_TOUCHED_AT_ONCE = 500


class Uploads(Slots):
    """How many may be under way at once in this process: each holds a file and a connection."""

    def __init__(self, most: int = 256) -> None:
        super().__init__("uploads", most)


async def upload(
    db: Db, files: BlobStore, queue: Queue, who: Principal, work: Work, condition: Condition,
    chunks: AsyncIterator[bytes],
) -> tuple[Object, bool]:  # fmt: skip
    """Whether the caller may write there is asked before the first byte is read, and again when all are there."""
    await _check(db, who, await store.get_at(db, who.team_id, work.key), work, condition)
    async with blobs.drafted(files, chunks) as draft:
        await blobs.keep_draft(db, files, who, who.org_id, draft)
        row, created = await put(db, queue, who, work, condition, draft)
    return await finding.shown(db, who, row), created


async def put(
    db: Db, queue: Queue, who: Principal, work: Work, condition: Condition, draft: Draft
) -> tuple[ObjectRow, bool]:
    """A draft that was kept becomes the first or the next version of a key of the caller's team; whether the first."""

    async def write() -> tuple[ObjectRow, bool]:
        async with db.write(who, "object.create") as tx:
            await _hold(tx, who.team_id, work.key)
            before = await store.get_at(tx, who.team_id, work.key)
            return await _write(tx, queue, who, before, work, condition, draft), before is None

    return await persistently(write)


async def add_version(
    db: Db, queue: Queue, who: Principal, object_id: str, work: Work, condition: Condition, draft: Draft
) -> ObjectRow:  # fmt: skip
    """A draft that was kept becomes the next version of an object, in whichever team that is."""

    async def write() -> ObjectRow:
        async with db.write(who, "object.update") as tx:
            row = await finding.held(tx, who, object_id, P.FILES_WRITE)
            await _hold(tx, row.team_id, row.key)
            before = await finding.held(tx, who, object_id, P.FILES_WRITE)
            return await _write(tx, queue, who, before, work, condition, draft)

    return await persistently(write)


async def _hold(tx: Tx, team_id: str, key: str) -> None:
    """One writer of a key at a time, whether or not there is a row yet: versions are numbered without a gap."""
    await tx.lock("object", f"{team_id}:{key}")


async def _write(
    tx: Tx, queue: Queue, who: Principal, before: ObjectRow | None, work: Work, condition: Condition, draft: Draft
) -> ObjectRow:
    await _check(tx, who, before, work, condition)
    await blobs.hold(tx, who.org_id, draft.digest)
    row = _next(who, work, draft, before)
    if before is None:
        await store.insert(tx, row)
    else:
        tx.action = "object.update"
        await store.update(tx, row)
    await store.insert_version(tx, _version(who, work, row))
    tx.target, tx.detail, tx.team_id = row.id, {"key": row.key, "version": row.version}, row.team_id
    await texts.index(tx, queue, who, row, work)
    await tx.emit(ObjectWritten(row.id, row.version, row.key, row.content_type, work.actor_kind, work.run_id))
    return row


async def _check(db: Reads, who: Principal, before: ObjectRow | None, work: Work, condition: Condition) -> None:
    """Whether `who` may write there, under the condition."""
    if before is None:
        if not access.may_create(who, work.key):
            raise Forbidden("This needs files:write.")
        if condition.version is not None or condition.exists:
            raise PreconditionFailed("There is nothing at this key yet.")
        return
    await _check_right(db, who, before)
    if work.visibility not in (None, before.visibility):
        await finding.held(db, who, before.id, P.FILES_MANAGE)
    if condition.exists is False or condition.version not in (None, before.version):
        raise VersionMismatch(before.version)


async def _check_right(db: Reads, who: Principal, row: ObjectRow) -> None:
    if await store.admits(db, access.fence(who, P.FILES_WRITE), row.id):
        return
    if await store.admits(db, access.fence(who, P.FILES_READ, across_org=True), row.id):
        raise Forbidden("This needs files:write on the object: ask its owner.")
    # That something is there cannot be hidden from who wants to write there; what it is, can.
    raise Conflict("This key is taken.")


async def free_keys(db: Reads, who: Principal, keys: Sequence[str]) -> list[str]:
    """Those of the caller's team at which there is nothing yet."""
    taken = set(await store.select_taken(db, who.team_id, keys))
    return [key for key in keys if key not in taken]


def _next(who: Principal, work: Work, draft: Draft, before: ObjectRow | None) -> ObjectRow:
    now = clock.stamp()
    new = ObjectRow(
        id=new_id(), org_id=who.org_id, team_id=who.team_id, owner_id=who.user_id, key=work.key,
        filename=work.filename, title=work.title, content_type=work.content_type,
        visibility=work.visibility or "private", version=1, size=draft.size,
        sha256=draft.digest, md5=draft.md5, text_state=texts.state_of(work, draft.size), text_fault=None, created_at=now, updated_at=now,
    )  # fmt: skip
    if before is None:
        return new
    return msgspec.structs.replace(
        new, id=before.id, team_id=before.team_id, owner_id=before.owner_id, key=before.key,
        visibility=work.visibility or before.visibility, version=before.version + 1, created_at=before.created_at,
    )  # fmt: skip


def _version(who: Principal, work: Work, row: ObjectRow) -> VersionRow:
    return VersionRow(
        id=new_id(), object_id=row.id, org_id=row.org_id, number=row.version, size=row.size, sha256=row.sha256,
        md5=row.md5, content_type=row.content_type, filename=row.filename, title=row.title, author_id=who.user_id,
        actor_kind=work.actor_kind, run_id=work.run_id, created_at=row.updated_at,
    )  # fmt: skip


async def set_visibility(db: Db, who: Principal, object_id: str, visibility: Visibility) -> Object:
    async with db.write(who, "object.visibility") as tx:
        row = await finding.held(tx, who, object_id, P.FILES_MANAGE)
        tx.target, tx.detail = row.id, {"visibility": visibility}
        now = clock.stamp()
        await store.set_visibility(tx, row.id, visibility, now)
    return await finding.shown(db, who, msgspec.structs.replace(row, visibility=visibility, updated_at=now))


async def delete(db: Db, who: Principal, object_id: str, seen: int | None = None) -> None:
    """With all its versions. The bytes of those stay for the grace, and then go unless others have the same."""
    async with db.write(who, "object.delete") as tx:
        row = await finding.held(tx, who, object_id, P.FILES_DELETE)
        await tx.lock("object", f"{row.team_id}:{row.key}")
        row = await finding.held(tx, who, object_id, P.FILES_DELETE)
        if seen not in (None, row.version):
            raise VersionMismatch(row.version)
        tx.target, tx.detail = row.id, {"key": row.key}
        await _release(tx, row)
        await texts.drop(tx, row)
        await store.delete(tx, row.id)


async def _release(tx: Tx, row: ObjectRow) -> None:
    after = ""
    while digests := await store.select_digests(tx, row.id, after, _TOUCHED_AT_ONCE):
        await blobs.release(tx, row.org_id, digests)
        after = digests[-1]
