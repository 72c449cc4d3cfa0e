"""Write objects: add the first or next version of a key, change visibility and tags."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from teamspace import blobs, notes, quota
from teamspace.blobs import BlobStore, StagedBlob
from teamspace.core import clock
from teamspace.core.db import Db, Reads, Tx, retry_on_conflict
from teamspace.core.errors import Conflict, Forbidden, NotFound, PreconditionFailed, VersionMismatch
from teamspace.core.ids import new_id
from teamspace.core.limits import ConcurrencyLimit
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.events import Change
from teamspace.jobs import Queue
from teamspace.repository import access, store
from teamspace.repository.domain import changes, finding, locks, texts
from teamspace.repository.schemas import (
    MARKDOWN,
    LabelRow,
    ObjectRow,
    RepositoryObject,
    VersionContent,
    VersionDraft,
    VersionRow,
    VersionWritten,
    Visibility,
    WriteCondition,
    WriteResult,
)


class UploadLimit:
    """Limit concurrent uploads in this process: each keeps a file and a connection open."""

    def __init__(self, limit: int = 256) -> None:
        self.take = ConcurrencyLimit("busy.uploads", limit).take


async def upload(
    db: Db, files: BlobStore, queue: Queue, who: Principal, draft: VersionDraft, condition: WriteCondition,
    chunks: AsyncIterator[bytes], length: int | None,
) -> WriteResult:  # fmt: skip
    """Store the bytes as a version. Access is checked before the first byte is read, and again after the last."""
    room = await check_write(db, who, draft, condition, length)
    async with blobs.stage(files, room.limit_stream(chunks)) as staged:
        await blobs.store_staged(db, files, who, who.org_id, staged)
        return await put(db, queue, who, draft, condition, staged)


async def put(
    db: Db, queue: Queue, who: Principal, draft: VersionDraft, condition: WriteCondition, staged: StagedBlob
) -> WriteResult:
    """Make a stored blob the first or next version of a key of the caller's team."""

    async def write() -> WriteResult:
        async with write_key(db, who, draft, condition) as (tx, existing):
            await blobs.reference_staged(tx, who.org_id, staged)
            row, version = await insert_next_version(tx, queue, who, existing, draft, content_of(staged))
            await finish(tx, draft, existing, row, version)
            return WriteResult(row, version, existing is None or existing.removed)

    return await retry_on_conflict(write)


async def add_version(
    db: Db, queue: Queue, who: Principal, object_id: str, draft: VersionDraft, condition: WriteCondition,
    staged: StagedBlob,
) -> ObjectRow:  # fmt: skip
    """Make a stored blob the next version of an object, which can be in another team."""

    async def write() -> ObjectRow:
        async with db.write(who, "object.update") as tx:
            row = await finding.require(tx, who, object_id, P.FILES_WRITE)
            await locks.lock_object(tx, row)
            existing = await finding.require(tx, who, object_id, P.FILES_WRITE)
            await _check_access(tx, who, existing, draft, condition)
            await blobs.reference_staged(tx, who.org_id, staged)
            row, version = await insert_next_version(tx, queue, who, existing, draft, content_of(staged))
            await finish(tx, draft, existing, row, version)
            return row

    return await retry_on_conflict(write)


@asynccontextmanager
async def write_key(
    db: Db, who: Principal, draft: VersionDraft, condition: WriteCondition, *other_keys: str
) -> AsyncIterator[tuple[Tx, ObjectRow | None]]:
    """Open a transaction to write a key of the caller's team; yields it with the existing object.

    Locks the key and `other_keys`, and checks access and the condition.
    """
    async with db.write(who, "object.create") as tx:
        await locks.lock_keys(tx, who.team_id, draft.key, *other_keys)
        existing = await store.get_at_key(tx, who.team_id, draft.key)
        if existing is not None and await _is_foreign_bare_marker(tx, who, existing):
            await store.delete(tx, existing.id)
            await quota.add_stored(tx, existing.org_id, existing.team_id, objects=-1)
            existing = None
        await _check_access(tx, who, existing, draft, condition)
        yield tx, existing


async def insert_next_version(
    tx: Tx,
    queue: Queue,
    who: Principal,
    existing: ObjectRow | None,
    draft: VersionDraft,
    content: VersionContent,
) -> tuple[ObjectRow, VersionRow]:
    """Insert the next version, in a transaction that has locked the key and checked access, and then calls `finish`."""
    draft = _inherit_names(draft, existing)
    row = _next_row(who, draft, content, existing)
    version = _version_row(who, draft, row, content)
    if existing is None:
        await store.insert(tx, row)
        await _attach(tx, who, row)
    else:
        tx.action = "object.update"
        await store.update(tx, row)
        # The same visibility needs no right to manage, so it must not undo a change by someone who has it.
        if draft.visibility not in (None, existing.visibility):
            await store.set_visibility(tx, row.id, draft.visibility, row.updated_at)
    await store.insert_version(tx, version)
    if draft.labels is not None:
        await store.delete_labels(tx, row.id)
        labels = [LabelRow(row.id, tag, position) for position, tag in enumerate(draft.labels)]
        await store.insert_labels(tx, row.org_id, labels)
    if draft.sources:
        await store.insert_derivations(tx, version, draft)
    tx.target, tx.detail, tx.team_id = row.id, {"key": row.key, "version": row.version}, row.team_id
    await texts.index(tx, queue, who, row, draft)
    if existing is None or existing.removed:
        await changes.record(tx, row, Change.CREATED)
    else:
        await changes.record_visibility(tx, existing, draft.visibility, Change.UPDATED)
    return row, version


async def _attach(tx: Tx, who: Principal, row: ObjectRow) -> None:
    """Make a new object a file of the page that its key names, if the caller may write that page.

    Only the first version does that: an object that somebody else moves there is not theirs to show to others.
    """
    page_id = access.page_id_of(row.key)
    if page_id is None or await store.attach_to_note(tx, notes.write_fence(who), row, page_id):
        return
    await store.attach_to_document(tx, access.fence(who, P.FILES_WRITE), row, page_id)


async def finish(
    tx: Tx, draft: VersionDraft, existing: ObjectRow | None, row: ObjectRow, version: VersionRow, *, freed: int = 0
) -> None:
    """Do the last step of every verb that writes a version: tell listeners, then count what is stored.

    `freed` bytes are subtracted. The counter comes after the listeners, since other writers of the company wait for it
    until the commit.
    """
    await announce(tx, row, version, sorted(source.object_id for source in draft.sources))
    await quota.add_stored(tx, row.org_id, row.team_id, size=version.size - freed, objects=int(existing is None))


async def announce(tx: Tx, row: ObjectRow, version: VersionRow, sources: Sequence[str]) -> None:
    """Emit that a version was written, made from these objects. A listener never costs the write."""
    if not tx.has_listeners(VersionWritten):
        return
    event = VersionWritten(
        row.id, version.id, version.number, row.key, row.team_id, row.content_type, version.actor_kind, version.run_id,
        tuple(sources),
    )  # fmt: skip
    await tx.emit_best_effort(event)


async def check_write(
    db: Reads, who: Principal, draft: VersionDraft, condition: WriteCondition, length: int | None = None
) -> quota.StorageRoom:  # fmt: skip
    """Check that `who` may write `length` bytes to the key under the condition; return the free quota."""
    existing = await store.get_at_key(db, who.team_id, draft.key)
    if existing is not None and await _is_foreign_bare_marker(db, who, existing):
        existing = None
    await _check_access(db, who, existing, draft, condition)
    room = await quota.storage_room(db, who.org_id, who.team_id)
    room.check(length or 0, int(existing is None))
    return room


async def _is_foreign_bare_marker(db: Reads, who: Principal, row: ObjectRow) -> bool:
    """Whether this is another person's delete marker at a key that never had content; it does not block writers."""
    return row.is_bare_marker and not await store.admits(db, access.fence_with_deleted(who, P.FILES_WRITE), row.id)


async def _check_access(
    db: Reads, who: Principal, existing: ObjectRow | None, draft: VersionDraft, condition: WriteCondition
) -> None:
    if existing is None:
        if not access.can_create(who, draft.key):
            raise Forbidden("rights.needs", permission=P.FILES_WRITE)
    else:
        await check_can_write(db, who, existing)
        if draft.visibility not in (None, existing.visibility):
            await check_can_manage(db, who, existing)
    _check_condition(existing, condition)


def _check_condition(existing: ObjectRow | None, condition: WriteCondition) -> None:
    if existing is None or existing.removed:
        if condition.etag is not None:
            raise NotFound("repository.nothing_at_key")
        if condition.version is not None or condition.exists:
            raise PreconditionFailed("repository.nothing_yet")
        return
    if condition.exists is False or condition.version not in (None, existing.version):
        raise VersionMismatch(existing.version)
    if condition.etag not in (None, "*", existing.etag):
        raise PreconditionFailed("repository.etag_differs")
    if condition.not_etag == existing.etag:
        raise PreconditionFailed("repository.etag_matches")


async def check_can_write(db: Reads, who: Principal, row: ObjectRow) -> None:
    if await store.admits(db, access.fence_with_deleted(who, P.FILES_WRITE), row.id):
        return
    if await store.admits(db, access.fence(who, P.FILES_READ, across_org=True), row.id):
        raise Forbidden("repository.needs", permission=P.FILES_WRITE)
    # A writer learns that the key is in use, but nothing about the object.
    raise Conflict("repository.key_taken")


async def check_can_manage(db: Reads, who: Principal, row: ObjectRow) -> None:
    if not await store.admits(db, access.fence_with_deleted(who, P.FILES_MANAGE), row.id):
        raise Forbidden("repository.needs", permission=P.FILES_MANAGE)


async def unused_keys(db: Reads, who: Principal, keys: Sequence[str]) -> list[str]:
    """Return those of the keys that the caller's team does not use yet."""
    used = set(await store.select_existing_keys(db, who.team_id, keys))
    return [key for key in keys if key not in used]


def content_of(staged: StagedBlob) -> VersionContent:
    return VersionContent(staged.size, staged.md5, staged.digest, staged.digest)


def _inherit_names(draft: VersionDraft, existing: ObjectRow | None) -> VersionDraft:
    """Keep the filename and, for documents, the title, unless the draft has new ones."""
    if existing is None or existing.removed:
        return draft
    filename = draft.filename if draft.renames else existing.filename
    title = existing.title if draft.title is None and draft.content_type == MARKDOWN else draft.title
    return msgspec.structs.replace(draft, filename=filename, title=title)


def _next_row(who: Principal, draft: VersionDraft, content: VersionContent, existing: ObjectRow | None) -> ObjectRow:
    now = clock.stamp()
    new = ObjectRow(
        id=new_id(), org_id=who.org_id, team_id=who.team_id, owner_id=who.user_id, key=draft.key,
        filename=draft.filename, title=draft.title, content_type=draft.content_type,
        visibility=draft.visibility or "private", version=1, numbered=1, removed=False, size=content.size,
        sha256=content.sha256, etag=content.etag, text_state=texts.initial_state(draft, content.size), text_fault=None,
        written_at=now, created_at=now, updated_at=now,
    )  # fmt: skip
    if existing is None:
        return new
    number = existing.numbered + 1
    return msgspec.structs.replace(
        new, id=existing.id, team_id=existing.team_id, owner_id=existing.owner_id, key=existing.key,
        visibility=draft.visibility or existing.visibility, version=number, numbered=number,
        created_at=existing.created_at,
    )  # fmt: skip


def _version_row(who: Principal, draft: VersionDraft, row: ObjectRow, content: VersionContent) -> VersionRow:
    return VersionRow(
        id=new_id(), object_id=row.id, org_id=row.org_id, number=row.version, removal=False, size=row.size,
        blob=content.blob, sha256=row.sha256, etag=row.etag, content_type=row.content_type, filename=row.filename,
        title=row.title, carried=draft.carried, tags=draft.tags, author_id=who.user_id,
        actor_kind="workflow" if who.call.run_id else draft.actor_kind, run_id=draft.run_id or who.call.run_id,
        created_at=row.written_at,
    )  # fmt: skip


async def set_visibility(db: Db, who: Principal, object_id: str, visibility: Visibility) -> RepositoryObject:
    async with db.write(who, "object.set_visibility") as tx:
        row = await finding.require(tx, who, object_id, P.FILES_MANAGE)
        tx.target, tx.detail = row.id, {"visibility": visibility}
        now = clock.stamp()
        await store.set_visibility(tx, row.id, visibility, now)
        await changes.record_visibility(tx, row, visibility, Change.UPDATED)
    return await finding.describe(db, who, msgspec.structs.replace(row, visibility=visibility, updated_at=now))


async def set_tags(db: Db, who: Principal, key: str, version_id: str | None, tags: dict[str, str] | None) -> VersionRow:
    """Set the tags of the newest version at a key of the caller's team, or of the given version."""
    async with db.write(who, "object.tag") as tx:
        await locks.lock_keys(tx, who.team_id, key)
        row = await store.get_fenced_at_key(tx, access.fence(who, P.FILES_READ), who.team_id, key)
        if row is None:
            raise NotFound()
        await finding.require(tx, who, row.id, P.FILES_WRITE)
        version = await (
            store.get_version(tx, row.id, row.version)
            if version_id is None
            else store.get_version_by_id(tx, row.id, version_id)
        )
        if version is None or version.removal:
            raise NotFound("repository.no_version")
        tx.target, tx.detail = row.id, {"key": row.key, "version": version.number, "tags": sorted(tags or {})}
        await store.set_tags(tx, version.id, tags)
        await changes.record(tx, row, Change.UPDATED)
        return version
