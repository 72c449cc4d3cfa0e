"""Create, read, change, delete and share notes."""

from contextlib import suppress

from msgspec import UNSET

from teamspace import fulltext, references, sharing
from teamspace.core import clock, paging, text
from teamspace.core.db import Db, Fence, Reads, Tx, WriteBatch
from teamspace.core.errors import BadRequest, Forbidden, NotFound, OutOfScope, VersionMismatch
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal, system
from teamspace.core.replies import Page
from teamspace.events import Change, Readers
from teamspace.notes import access, store
from teamspace.notes.schemas import (
    NOTES,
    NewNote,
    Note,
    NoteChange,
    NoteItem,
    NoteQuery,
    NoteRow,
    TrashedNote,
    Visibility,
)
from teamspace.sharing import Grant, GrantListing, GrantsQuery, Levels, OwnedRow, ShareRequest


async def create(db: Db, who: Principal, draft: NewNote) -> Note:
    now = clock.stamp()
    row = NoteRow(
        id=new_id(), org_id=who.org_id, team_id=who.team_id, owner_id=who.user_id,
        title=text.clean_name(draft.title, "title", max_length=200), body=draft.body, visibility=draft.visibility,
        tags=text.clean_tags(draft.tags), version=1, created_at=now, updated_at=now,
    )  # fmt: skip
    body, links = await fulltext.prepare(row.body, is_markdown=True), await references.find_links(row.body)
    async with db.write(who, "note.create") as tx:
        tx.target = row.id
        await store.insert(tx, row)
        if row.tags:
            await store.insert_tags(tx, row.id, who.org_id, row.tags)
        await _index_text(tx, row, body)
        if links:
            await references.put(tx, "note", row.id, row.org_id, links)
        await sharing.record(tx, NOTES, row, Change.CREATED)
    return _to_note(row, [])


async def listing(db: Db, who: Principal, query: NoteQuery) -> Page[NoteItem]:
    rows = await store.select(db, _query_fence(who, query), _filters(who, query), query.before, query.size + 1)
    return paging.page(rows, query, lambda note: note.id)


async def find(db: Reads, who: Principal, note_id: str) -> Note:
    """Return the note, or raise NotFound. Readers of the company need no `?scope=org` here."""
    rows = await store.get_with_grants(db, access.fence(who, P.NOTES_READ, across_org=True), note_id)
    if not rows:
        raise NotFound()
    grants = [
        sharing.to_grant(row.principal_type, row.principal_id, row.permission, row.expires_at)
        for row in rows if row.principal_type and row.principal_id and row.permission
    ]  # fmt: skip
    return _to_note(rows[0], grants)


async def update(db: Db, who: Principal, note_id: str, change: NoteChange, seen: int | None) -> Note:
    title = None if change.title is UNSET else text.clean_name(change.title, "title", max_length=200)
    body = None if change.body is UNSET else change.body
    visibility = None if change.visibility is UNSET else change.visibility
    tags = None if change.tags is UNSET else text.clean_tags(change.tags)
    if not any(field is not None for field in (title, body, visibility, tags)):
        raise BadRequest("notes.nothing")
    text_of_body = None if body is None else await fulltext.prepare(body, is_markdown=True)
    links = None if body is None else await references.find_links(body)
    async with db.write(who, "note.update") as tx:
        permission = P.NOTES_WRITE
        before = await _require(tx, who, note_id, permission)
        if visibility == before.visibility:
            visibility = None  # needs no right to manage, so it must not undo a change by someone who has it
        elif visibility is not None:
            permission = P.NOTES_MANAGE
            await _require(tx, who, note_id, permission)
        row = await store.update(
            tx, access.fence(who, permission), note_id, title=title, body=body, visibility=visibility, tags=tags,
            now=clock.stamp(), seen=seen,
        )  # fmt: skip
        if row is None:
            raise await _conflict(tx, who, note_id, permission)
        if tags is not None:
            await store.delete_tags(tx, note_id)
            await store.insert_tags(tx, note_id, who.org_id, tags)
        if any(field is not None for field in (title, body, tags)):
            await _index_text(tx, row, text_of_body)
        if links is not None:
            await references.put(tx, "note", row.id, row.org_id, links)
        await sharing.record(
            tx, NOTES, row, Change.UPDATED, _readers_by_role(before.visibility, before) if visibility else ()
        )
        tx.target, tx.detail = note_id, {"version": row.version}
        return _to_note(row, await sharing.list_grants(tx, NOTES, note_id))


async def delete(db: Db, who: Principal, note_id: str, seen: int | None, *, keep: bool = True) -> None:
    """Put the note in the trash; without `keep`, delete it for good."""
    async with db.write(who, "note.delete") as tx:
        row = await _require(tx, who, note_id, P.NOTES_DELETE)
        tx.target = note_id
        readers = await sharing.select_readers(tx, NOTES, access.fence(who, P.NOTES_DELETE), note_id)
        by_right = await store.admits(tx, access.fence_without_grants(who, P.NOTES_DELETE), note_id)
        grantee, now = None if by_right else who.user_id, clock.stamp()
        if not await store.trash(tx, note_id, seen, by=who.user_id, grantee=grantee, now=now):
            raise await _conflict(tx, who, note_id, P.NOTES_DELETE)
        await fulltext.set_aside(tx, NOTES.name, note_id)
        await sharing.record(tx, NOTES, row, Change.DELETED, [*readers, *_readers_by_role(row.visibility, row)])
        if not keep:
            await _delete_for_good(tx, note_id, now)


async def share(db: Db, who: Principal, note_id: str, request: ShareRequest) -> list[Grant]:
    """Share the note with a person or a team, change that, or take it back; return the note's grants."""
    async with db.write(who, "note.share" if request.permission else "note.unshare") as tx:
        note = await _require(tx, who, note_id, P.NOTES_MANAGE)
        if request.permission and not who.in_scope(request.permission):
            raise OutOfScope("rights.out_of_scope", permission=request.permission)
        manageable, by_right = access.fence(who, P.NOTES_MANAGE), access.fence_without_grants(who, P.NOTES_MANAGE)
        return await sharing.share(tx, NOTES, note, manageable, by_right, request)


async def list_grants(db: Db, who: Principal, note_id: str, query: GrantsQuery) -> GrantListing:
    """Return the note's grants, also expired ones, and if asked everyone who can see it, and why."""
    note = await _require(db, who, note_id, P.NOTES_MANAGE)
    levels = Levels(P.NOTES_MANAGE, P.NOTES_READ, _highest if note.visibility == "team" else None)
    return await sharing.explain(db, note, NOTES, levels, query)


def _highest(permissions: frozenset[P]) -> P | None:
    """Return what a role with these permissions gives on a note that its team sees."""
    return next((permission for permission in reversed(NOTES.ladder) if permission in permissions), None)


# The trash


async def list_trashed(db: Reads, who: Principal, before: tuple[str, str], limit: int) -> list[TrashedNote]:
    """Return the notes in the trash that `who` may restore, in the order of the trash, after a time and an id."""
    return await sharing.select_trashed(db, TrashedNote, access.trash_fence(who), before, limit)


async def restore(db: Db, who: Principal, note_id: str) -> TrashedNote:
    """Take a note out of the trash, with its shares and its text as they were; NotFound if it is not there."""
    async with db.write(who, "note.restore") as tx:
        row = await sharing.lock_trashed(tx, TrashedNote, access.trash_fence(who), note_id)
        if row is None:
            raise NotFound()
        tx.target, tx.team_id = row.id, row.team_id
        await store.restore(tx, row.id)
        await fulltext.bring_back(tx, NOTES.name, row.id)
        await sharing.record(tx, NOTES, row, Change.CREATED)
        return row


async def purge(db: Db | WriteBatch, who: Principal, note_id: str) -> None:
    """Delete a note in the trash for good; NotFound if it is not there."""
    async with db.write(who, "note.purge") as tx:
        row = await sharing.lock_trashed(tx, TrashedNote, access.trash_fence(who), note_id)
        if row is None:
            raise NotFound()
        await _purge(tx, row)


async def purge_expired(db: Db, before: str, limit: int) -> int:
    """Delete notes for good that were put in the trash before this time; return how many were found."""
    expired = await sharing.select_expired(db, TrashedNote, NOTES.table, before, limit)
    for row in expired:
        who = system(Call(while_suspended=True), org_id=row.org_id, team_id=row.team_id)
        with suppress(NotFound):
            async with db.write(who, "note.purge") as tx:
                await _purge(tx, row)
    return len(expired)


async def _purge(tx: Tx, row: TrashedNote) -> None:
    tx.target, tx.detail, tx.team_id = row.id, {"title": row.title}, row.team_id
    await _delete_for_good(tx, row.id, row.trashed_at)
    await sharing.record(
        tx, NOTES, row, Change.DELETED, [Readers.user(row.owner_id), *_readers_by_role(row.visibility, row)]
    )


async def _delete_for_good(tx: Tx, note_id: str, trashed_at: str) -> None:
    if not await store.delete(tx, note_id, trashed_at):
        raise NotFound()
    await fulltext.drop(tx, fulltext.aside(NOTES.name), note_id)


def _readers_by_role(visibility: Visibility, note: OwnedRow) -> list[str]:
    return [Readers.role(note.team_id), Readers.org(note.org_id)] if visibility == "team" else []


async def _require(db: Reads, who: Principal, note_id: str, permission: P) -> NoteRow:
    """Return the note if `who` has `permission` on it; otherwise 403 if they can read it, 404 if not."""
    readable = access.fence(who, P.NOTES_READ, across_org=True)
    row = await store.get(db, readable, note_id)
    if row is None:
        # A token can be scoped to writing only; then it may know of the notes it may write.
        row = await store.get(db, access.fence(who, permission), note_id)
        if row is None:
            raise NotFound()
        return row
    if not await store.admits(db, access.fence(who, permission), note_id):
        if not await store.admits(db, readable, note_id):  # deleted meanwhile
            raise NotFound()
        raise Forbidden("notes.needs", permission=permission)
    return row


async def _conflict(tx: Tx, who: Principal, note_id: str, permission: P) -> VersionMismatch | NotFound:
    """Return why a write matched no row: there is another version now, or the note is gone."""
    row = await store.get(tx, access.fence(who, permission), note_id)
    return VersionMismatch(row.version) if row else NotFound()


def read_fence(who: Principal, *, across_org: bool) -> Fence:
    """Return the notes that `who` can read, in the team or in the whole company; for other packages."""
    return access.fence(who, P.NOTES_READ, across_org=across_org)


def write_fence(who: Principal) -> Fence:
    """Return the notes that `who` can write; for other packages."""
    return access.fence(who, P.NOTES_WRITE)


def _query_fence(who: Principal, query: NoteQuery) -> Fence:
    if query.scope == "org" and not who.has_permission(P.ORG_READ):
        raise Forbidden("rights.company_scope")
    if query.shared:
        return access.shared_fence(who)
    return read_fence(who, across_org=query.scope == "org")


def _filters(who: Principal, query: NoteQuery) -> dict[str, str]:
    filters = {
        "visibility": query.visibility,
        "owner": who.user_id if query.owner == "me" else query.owner,
        "tag": query.tag and text.clean_tag(query.tag),
    }
    return {name: value for name, value in filters.items() if value}


async def _index_text(tx: Tx, row: NoteRow, body: fulltext.Prepared | None) -> None:
    """Update the full-text index; without a body, the indexed body stays."""
    labels = " ".join(row.tags)
    if body is None:
        await fulltext.rename(tx, NOTES.name, row.id, title=row.title, labels=labels)
    else:
        await fulltext.put(tx, NOTES.name, row.id, row.org_id, title=row.title, labels=labels, body=body)


def _to_note(row: NoteRow, grants: list[Grant]) -> Note:
    return Note(
        id=row.id, title=row.title, body=row.body, visibility=row.visibility, tags=row.tags, owner=row.owner_id,
        team_id=row.team_id, shared_with=grants, version=row.version, created_at=row.created_at,
        updated_at=row.updated_at,
    )  # fmt: skip
