"""What can be done with a note, by whom, and what is recorded when it is."""

import unicodedata

from msgspec import UNSET

from teamspace import fulltext, tenancy
from teamspace.core import clock, paging, text
from teamspace.core.db import Db, Fence, Reads, Tx
from teamspace.core.errors import BadRequest, Forbidden, NotFound, OutOfScope, VersionMismatch
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.notes import access, store
from teamspace.notes.schemas import Grant, NewNote, Note, NoteChange, NoteItem, NoteQuery, NoteRow, Share

MOST_GRANTS = 500
MOST_TAGS, TAG_LENGTH = 20, 50


async def create(db: Db, who: Principal, draft: NewNote) -> Note:
    now = clock.stamp()
    row = NoteRow(
        id=new_id(), team_id=who.team_id, owner_id=who.user_id, title=text.name(draft.title, "title", most=200),
        body=draft.body, visibility=draft.visibility, tags=_clean(draft.tags), version=1, created_at=now, updated_at=now,
    )  # fmt: skip
    body = await fulltext.prepare(row.body, is_markdown=True)
    async with db.write(who, "note.create") as tx:
        tx.target = row.id
        await store.insert(tx, who.org_id, row)
        await _put_tags(tx, who, row)
        await _put_text(tx, who.org_id, row, body)
    return _note(row, [])


async def listing(db: Db, who: Principal, query: NoteQuery) -> Page[NoteItem]:
    rows = await store.select(db, _fence_of(who, query), _filters(who, query), query.before, query.size + 1)
    return paging.page(rows, query, lambda note: note.id)


async def find(db: Reads, who: Principal, note_id: str) -> Note:
    """A reader of the company needs no `?scope=org` here: the id has named the note already."""
    rows = await store.get_whole(db, access.fence(who, P.NOTES_READ, across_org=True), note_id)
    if not rows:
        raise NotFound()
    grants = [Grant(row.grantee, row.permission) for row in rows if row.grantee and row.permission]
    return _note(rows[0], sorted(grants, key=lambda grant: grant.user_id))


async def update(db: Db, who: Principal, note_id: str, change: NoteChange, seen: int | None) -> Note:
    title = None if change.title is UNSET else text.name(change.title, "title", most=200)
    body = None if change.body is UNSET else change.body
    visibility = None if change.visibility is UNSET else change.visibility
    tags = None if change.tags is UNSET else _clean(change.tags)
    if not any(given is not None for given in (title, body, visibility, tags)):
        raise BadRequest("There is nothing to change: send title, body, visibility or tags.")
    text_of_body = None if body is None else await fulltext.prepare(body, is_markdown=True)
    async with db.write(who, "note.update") as tx:
        before = await _held(tx, who, note_id, P.NOTES_WRITE)
        if visibility not in (None, before.visibility):
            await _held(tx, who, note_id, P.NOTES_MANAGE)
        row = await store.update(
            tx, note_id, title=title, body=body, visibility=visibility, tags=tags, now=clock.stamp(), seen=seen
        )
        if row is None:
            raise await _overtaken(tx, who, note_id, P.NOTES_WRITE)
        if tags is not None:
            await store.delete_tags(tx, note_id)
            await _put_tags(tx, who, row)
        if any(given is not None for given in (title, body, tags)):
            await _put_text(tx, who.org_id, row, text_of_body)
        tx.target, tx.detail = note_id, {"version": row.version}
        return _note(row, await store.select_grants(tx, note_id))


async def delete(db: Db, who: Principal, note_id: str, seen: int | None) -> None:
    async with db.write(who, "note.delete") as tx:
        await _held(tx, who, note_id, P.NOTES_DELETE)
        tx.target = note_id
        if not await store.delete(tx, note_id, seen):
            raise await _overtaken(tx, who, note_id, P.NOTES_DELETE)
        await fulltext.drop(tx, store.KIND, note_id)


async def share(db: Db, who: Principal, note_id: str, wish: Share) -> list[Grant]:
    """Shares the note with a colleague, replaces what they had, or takes it back."""
    if wish.permission is not None and wish.permission not in access.LADDER:
        raise BadRequest.at("/permission", "a note can be shared for notes:read, :write, :delete or :manage")
    async with db.write(who, "note.share" if wish.permission else "note.unshare") as tx:
        note = await _held(tx, who, note_id, P.NOTES_MANAGE)
        tx.target, tx.detail = note_id, {"user_id": wish.user_id, "permission": wish.permission}
        if wish.permission is None:
            await store.delete_grant(tx, note_id, wish.user_id)
        else:
            await _grant(tx, who, note, wish.user_id, wish.permission)
        return await store.select_grants(tx, note_id)


async def _grant(tx: Tx, who: Principal, note: NoteRow, user_id: str, permission: P) -> None:
    if not who.in_scope(permission):
        raise OutOfScope(f"The token's scope does not include {permission}.")
    if user_id == note.owner_id and await tenancy.is_member(tx, note.team_id, user_id):
        raise BadRequest.at("/user_id", "the owner has every right already")
    if not await tenancy.is_colleague(tx, who, user_id):
        raise NotFound("There is no such person in the company.")
    await store.put_grant(tx, note.id, who.org_id, user_id, permission, who.user_id, clock.stamp())
    if len(await store.select_grants(tx, note.id)) > MOST_GRANTS:
        raise BadRequest(f"A note can be shared with {MOST_GRANTS} people: make it visible to the team instead.")


async def _held(tx: Tx, who: Principal, note_id: str, permission: P) -> NoteRow:
    """The note, if `who` holds `permission` on it: 404 when it cannot be seen, 403 when it can."""
    row = await store.get(tx, access.fence(who, P.NOTES_READ, across_org=True), note_id)
    if row is None:
        # A token may be scoped to writing alone; then what it may write is what it may know of.
        row = await store.get(tx, access.fence(who, permission), note_id)
        if row is None:
            raise NotFound()
        return row
    if not await store.admits(tx, access.fence(who, permission), note_id):
        raise Forbidden(f"This needs {permission} on the note: ask its owner.")
    return row


async def _overtaken(tx: Tx, who: Principal, note_id: str, permission: P) -> VersionMismatch | NotFound:
    """Why a write found nothing to change: there is another version now, or none."""
    row = await store.get(tx, access.fence(who, permission), note_id)
    return VersionMismatch(row.version) if row else NotFound()


def readable(who: Principal, *, across_org: bool) -> Fence:
    """For others who show notes: the rows of `notes` that `who` can read, in the team or in the whole company."""
    return access.fence(who, P.NOTES_READ, across_org=across_org)


def _fence_of(who: Principal, query: NoteQuery) -> Fence:
    if query.scope == "org" and not who.holds(P.ORG_READ):
        raise Forbidden("The scope org needs org:read, by a role in the company.")
    if query.shared:
        return access.shared(who)
    return readable(who, across_org=query.scope == "org")


def _filters(who: Principal, query: NoteQuery) -> dict[str, str]:
    wanted = {
        "visibility": query.visibility,
        "owner": who.user_id if query.owner == "me" else query.owner,
        "tag": query.tag and _tag(query.tag),
    }
    return {name: value for name, value in wanted.items() if value}


def _clean(tags: list[str]) -> list[str]:
    """Tags in the order given, each once."""
    cleaned = list(dict.fromkeys(_tag(tag) for tag in tags))
    if len(cleaned) > MOST_TAGS:
        raise BadRequest.at("/tags", f"a note may have {MOST_TAGS} tags")
    return cleaned


def _tag(tag: str) -> str:
    return text.name(unicodedata.normalize("NFKC", tag), "tags", most=TAG_LENGTH)


async def _put_tags(tx: Tx, who: Principal, row: NoteRow) -> None:
    for tag in row.tags:
        await store.insert_tag(tx, row.id, who.org_id, tag)


async def _put_text(tx: Tx, org_id: str, row: NoteRow, body: fulltext.Prepared | None) -> None:
    """Without a body, the one that is there stays."""
    labels = " ".join(row.tags)
    if body is None:
        await fulltext.rename(tx, store.KIND, row.id, title=row.title, labels=labels)
    else:
        await fulltext.put(tx, store.KIND, row.id, org_id, title=row.title, labels=labels, body=body)


def _note(row: NoteRow, grants: list[Grant]) -> Note:
    return Note(
        id=row.id, title=row.title, body=row.body, visibility=row.visibility, tags=row.tags, owner=row.owner_id,
        team_id=row.team_id, shared_with=grants, version=row.version, created_at=row.created_at,
        updated_at=row.updated_at,
    )  # fmt: skip
