"""Writing to the repository: a key gets its first version or the next one, is made visible, or is no more."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from teamspace import blobs, quota
from teamspace.blobs import BlobStore, Draft
from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx, persistently
from teamspace.core.errors import Conflict, Forbidden, NotFound, PreconditionFailed, VersionMismatch
from teamspace.core.ids import new_id
from teamspace.core.limits import Slots
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.jobs import Queue
from teamspace.repository import access, store
from teamspace.repository.domain import finding, texts
from teamspace.repository.schemas import (
    MARKDOWN,
    Condition,
    Object,
    ObjectRow,
    ObjectWritten,
    Substance,
    VersionRow,
    Visibility,
    Work,
    Written,
)


class Uploads(Slots):
    """How many may be under way at once in this process: each holds a file and a connection."""

    def __init__(self, most: int = 256) -> None:
        super().__init__("uploads", most)


async def upload(
    db: Db, files: BlobStore, queue: Queue, who: Principal, work: Work, condition: Condition,
    chunks: AsyncIterator[bytes], length: int | None,
) -> Written:  # fmt: skip
    """Whether the caller may write there is asked before the first byte is read, and again when all are there."""
    room = await check(db, who, work, condition, length)
    async with blobs.drafted(files, room.within(chunks)) as draft:
        await blobs.store_draft(db, files, who, who.org_id, draft)
        return await put(db, queue, who, work, condition, draft)


async def put(db: Db, queue: Queue, who: Principal, work: Work, condition: Condition, draft: Draft) -> Written:
    """A draft that was stored becomes the first or the next version of a key of the caller's team."""

    async def write() -> Written:
        async with written(db, who, work, condition) as (tx, before):
            await blobs.name(tx, who.org_id, draft)
            row, version = await add(tx, queue, who, before, work, _substance(draft))
            return Written(row, version, before is None or before.removed)

    return await persistently(write)


async def add_version(
    db: Db, queue: Queue, who: Principal, object_id: str, work: Work, condition: Condition, draft: Draft
) -> ObjectRow:  # fmt: skip
    """A draft that was stored becomes the next version of an object, in whichever team that is."""

    async def write() -> ObjectRow:
        async with db.write(who, "object.update") as tx:
            row = await finding.held(tx, who, object_id, P.FILES_WRITE)
            await hold(tx, row.team_id, row.key)
            before = await finding.held(tx, who, object_id, P.FILES_WRITE)
            await _check(tx, who, before, work, condition)
            await blobs.name(tx, who.org_id, draft)
            row, _ = await add(tx, queue, who, before, work, _substance(draft))
            return row

    return await persistently(write)


@asynccontextmanager
async def written(
    db: Db, who: Principal, work: Work, condition: Condition, *also: str
) -> AsyncIterator[tuple[Tx, ObjectRow | None]]:
    """A transaction in which a key of the caller's team may be written, and what is there; `also` locks other keys."""
    async with db.write(who, "object.create") as tx:
        await hold(tx, who.team_id, work.key, *also)
        before = await store.get_at(tx, who.team_id, work.key)
        if before is not None and await _is_nothing(tx, who, before):
            await store.delete(tx, before.id)
            await quota.store_more(tx, before.org_id, before.team_id, objects=-1)
            before = None
        await _check(tx, who, before, work, condition)
        yield tx, before


async def hold(tx: Tx, team_id: str, *keys: str) -> None:
    """One writer of a key at a time, whether or not there is a row yet: versions are numbered without a gap."""
    await tx.lock(*locks(team_id, *keys))


def locks(team_id: str, *keys: str) -> tuple[str, ...]:
    return "object", *(f"{team_id}:{key}" for key in keys)


async def add(
    tx: Tx, queue: Queue, who: Principal, before: ObjectRow | None, work: Work, substance: Substance, *, freed: int = 0
) -> tuple[ObjectRow, VersionRow]:
    """The next version, in a transaction that holds the key and has asked for the right; `freed` bytes go with it."""
    work = _following(work, before)
    row = _next(who, work, substance, before)
    version = _version(who, work, row, substance)
    if before is None:
        await store.insert(tx, row)
    else:
        tx.action = "object.update"
        await store.update(tx, row)
        if work.visibility is not None:
            await store.set_visibility(tx, row.id, work.visibility, row.updated_at)
    await store.insert_version(tx, version)
    tx.target, tx.detail, tx.team_id = row.id, {"key": row.key, "version": row.version}, row.team_id
    await texts.index(tx, queue, who, row, work)
    await tx.emit(ObjectWritten(row.id, row.version, row.key, row.content_type, work.actor_kind, work.run_id))
    await quota.store_more(tx, row.org_id, row.team_id, size=version.size - freed, objects=int(before is None))
    return row, version


async def check(
    db: Reads, who: Principal, work: Work, condition: Condition, length: int | None = None
) -> quota.Room:  # fmt: skip
    """Whether `who` may write `length` bytes to the key now, under the condition; the room that there is."""
    before = await store.get_at(db, who.team_id, work.key)
    if before is not None and await _is_nothing(db, who, before):
        before = None
    await _check(db, who, before, work, condition)
    room = await quota.room(db, who.org_id, who.team_id)
    room.check(length or 0, int(before is None))
    return room


async def _is_nothing(db: Reads, who: Principal, row: ObjectRow) -> bool:
    """A mark that somebody else has put where nothing was is in nobody's way."""
    return row.bare and not await store.admits(db, access.with_removed(who, P.FILES_WRITE), row.id)


async def _check(db: Reads, who: Principal, before: ObjectRow | None, work: Work, condition: Condition) -> None:
    if before is None:
        if not access.may_create(who, work.key):
            raise Forbidden("This needs files:write.")
    else:
        await _check_right(db, who, before)
        if work.visibility not in (None, before.visibility):
            await _check_manager(db, who, before)
    _check_condition(before, condition)


def _check_condition(before: ObjectRow | None, condition: Condition) -> None:
    if before is None or before.removed:
        if condition.etag is not None:
            raise NotFound("There is nothing at this key.")
        if condition.version is not None or condition.exists:
            raise PreconditionFailed("There is nothing at this key yet.")
        return
    if condition.exists is False or condition.version not in (None, before.version):
        raise VersionMismatch(before.version)
    if condition.etag not in (None, "*", before.etag):
        raise PreconditionFailed("It has changed since: this is not the content that If-Match asks for.")
    if condition.not_etag == before.etag:
        raise PreconditionFailed("This is the content that If-None-Match does not want.")


async def _check_right(db: Reads, who: Principal, row: ObjectRow) -> None:
    if await store.admits(db, access.with_removed(who, P.FILES_WRITE), row.id):
        return
    if await store.admits(db, access.fence(who, P.FILES_READ, across_org=True), row.id):
        raise Forbidden("This needs files:write on the object: ask its owner.")
    # That something is there cannot be hidden from who wants to write there; what it is, can.
    raise Conflict("This key is taken.")


async def _check_manager(db: Reads, who: Principal, row: ObjectRow) -> None:
    if not await store.admits(db, access.with_removed(who, P.FILES_MANAGE), row.id):
        raise Forbidden("This needs files:manage on the object: ask its owner.")


async def free_keys(db: Reads, who: Principal, keys: Sequence[str]) -> list[str]:
    """Those of the caller's team at which there is nothing yet."""
    taken = set(await store.select_taken(db, who.team_id, keys))
    return [key for key in keys if key not in taken]


def _substance(draft: Draft) -> Substance:
    return Substance(draft.size, draft.md5, draft.digest, draft.digest)


def _following(work: Work, before: ObjectRow | None) -> Work:
    """What was not named anew stays: the name of the file, and the title while it is a document."""
    if before is None or before.removed:
        return work
    filename = work.filename if work.renames else before.filename
    title = before.title if work.title is None and work.content_type == MARKDOWN else work.title
    return msgspec.structs.replace(work, filename=filename, title=title)


def _next(who: Principal, work: Work, substance: Substance, before: ObjectRow | None) -> ObjectRow:
    now = clock.stamp()
    new = ObjectRow(
        id=new_id(), org_id=who.org_id, team_id=who.team_id, owner_id=who.user_id, key=work.key,
        filename=work.filename, title=work.title, content_type=work.content_type,
        visibility=work.visibility or "private", version=1, numbered=1, removed=False, size=substance.size,
        sha256=substance.sha256, etag=substance.etag, text_state=texts.state_of(work, substance.size), text_fault=None,
        written_at=now, created_at=now, updated_at=now,
    )  # fmt: skip
    if before is None:
        return new
    number = before.numbered + 1
    return msgspec.structs.replace(
        new, id=before.id, team_id=before.team_id, owner_id=before.owner_id, key=before.key,
        visibility=work.visibility or before.visibility, version=number, numbered=number, created_at=before.created_at,
    )  # fmt: skip


def _version(who: Principal, work: Work, row: ObjectRow, substance: Substance) -> VersionRow:
    return VersionRow(
        id=new_id(), object_id=row.id, org_id=row.org_id, number=row.version, removal=False, size=row.size,
        blob=substance.blob, sha256=row.sha256, etag=row.etag, content_type=row.content_type, filename=row.filename,
        title=row.title, carried=work.carried, tags=work.tags, author_id=who.user_id, actor_kind=work.actor_kind,
        run_id=work.run_id, created_at=row.written_at,
    )  # fmt: skip


async def set_visibility(db: Db, who: Principal, object_id: str, visibility: Visibility) -> Object:
    async with db.write(who, "object.visibility") as tx:
        row = await finding.held(tx, who, object_id, P.FILES_MANAGE)
        tx.target, tx.detail = row.id, {"visibility": visibility}
        now = clock.stamp()
        await store.set_visibility(tx, row.id, visibility, now)
    return await finding.shown(db, who, msgspec.structs.replace(row, visibility=visibility, updated_at=now))


async def set_tags(db: Db, who: Principal, key: str, version_id: str | None, tags: dict[str, str] | None) -> VersionRow:
    """Of the newest version at a key of the caller's team, or of another one."""
    async with db.write(who, "object.tag") as tx:
        await hold(tx, who.team_id, key)
        row = await store.get_fenced(tx, access.fence(who, P.FILES_READ), who.team_id, key)
        if row is None:
            raise NotFound()
        await finding.held(tx, who, row.id, P.FILES_WRITE)
        version = await (
            store.get_version(tx, row.id, row.version)
            if version_id is None
            else store.get_version_of(tx, row.id, version_id)
        )
        if version is None or version.removal:
            raise NotFound("There is no such version of it.")
        tx.target, tx.detail = row.id, {"key": row.key, "version": version.number, "tags": sorted(tags or {})}
        await store.set_tags(tx, version.id, tags)
        return version
