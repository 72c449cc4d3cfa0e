"""Create, read, rename, delete and share conversations."""

from functools import partial

from msgspec import UNSET

from teamspace import fulltext, sharing
from teamspace.conversations import access, store
from teamspace.conversations.domain import content as contents
from teamspace.conversations.schemas import (
    CONVERSATIONS,
    Access,
    Conversation,
    ConversationChange,
    ConversationItem,
    ConversationQuery,
    ConversationRow,
    NewConversation,
    Turn,
    TurnRow,
)
from teamspace.core import clock, idempotency, paging, text
from teamspace.core.db import Db, Fence, Reads, Tx
from teamspace.core.errors import BadRequest, Forbidden, NotFound
from teamspace.core.ids import new_id
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Page
from teamspace.events import Change
from teamspace.jobs import JobAttempts
from teamspace.sharing import Grant, GrantListing, GrantsQuery, Levels, ShareRequest

_TITLE_LENGTH = 200
_NEWEST = ("~", "~")


async def create(db: Db, who: Principal, draft: NewConversation) -> Conversation:
    now = clock.stamp()
    row = ConversationRow(
        id=new_id(), org_id=who.org_id, team_id=who.team_id, owner_id=who.user_id,
        title="" if draft.title is UNSET else _clean_title(draft.title), excerpt="", turns=0, ended=0, size=0,
        characters=0, created_at=now, updated_at=now,
    )  # fmt: skip
    async with db.write(who, "conversation.create") as tx:
        tx.target = row.id
        await store.insert(tx, row)
        await fulltext.put(tx, store.KIND, row.id, row.org_id, title=row.title)
        await sharing.record(tx, CONVERSATIONS, row, Change.CREATED)
    return _to_conversation(row, [], [])


async def listing(db: Db, who: Principal, query: ConversationQuery) -> Page[ConversationItem]:
    fence = access.shared_fence(who) if query.shared else read_fence(who)
    rows = await store.select(db, fence, _cursor_position(query), query.size + 1)
    return paging.page(rows, query, lambda item: f"{item.updated_at}/{item.id}")


def _cursor_position(query: ConversationQuery) -> tuple[str, str]:
    """Return time and id of the last row of the previous page."""
    if query.cursor is None:
        return _NEWEST
    updated_at, _, id = query.before.partition("/")
    if not id:
        raise BadRequest.at("cursor", "value.cursor")
    return updated_at, id


async def find(db: Reads, who: Principal, conversation_id: str) -> Conversation:
    row = await store.get(db, access.fence(who, Access.READ), conversation_id)
    if row is None:
        raise NotFound()
    grants = await sharing.list_grants(db, CONVERSATIONS, row.id)
    return _to_conversation(row, grants, await store.select_turns(db, row.id))


async def rename(db: Db, who: Principal, conversation_id: str, change: ConversationChange) -> ConversationItem:
    title = _clean_title(change.title)
    async with db.write(who, "conversation.update") as tx:
        row = await require(tx, who, conversation_id, Access.CONTINUE)
        tx.target, now = row.id, clock.stamp()
        await store.rename(tx, access.fence(who, Access.CONTINUE), row.id, title, now)
        await fulltext.rename(tx, store.KIND, row.id, title=title, labels="")
        await sharing.record(tx, CONVERSATIONS, row, Change.UPDATED)
        shared = await store.is_shared(tx, row.id)
    return ConversationItem(row.id, title, row.owner_id, row.excerpt, shared, row.created_at, now)


async def delete(db: Db, who: Principal, attempts: JobAttempts, conversation_id: str) -> None:
    """Delete a conversation. Turns that run are stopped, and soon nothing is kept of any of them."""
    async with db.write(who, "conversation.delete") as tx:
        row = await require(tx, who, conversation_id, Access.MANAGE)
        tx.target = row.id
        manageable = access.fence(who, Access.MANAGE)
        readers = await sharing.select_readers(tx, CONVERSATIONS, manageable, row.id)
        running = await store.select_running(tx, row.id)
        await store.note_deleted_turns(tx, row.id)
        await store.delete(tx, manageable, row.id)
        await fulltext.drop(tx, store.KIND, row.id)
        await idempotency.forget_responses(tx, row.id)  # they have its title
        await sharing.record(tx, CONVERSATIONS, row, Change.DELETED, readers)
        for turn_id in running:
            tx.after_commit(partial(attempts.stop, turn_id))


async def share(db: Db, who: Principal, conversation_id: str, request: ShareRequest) -> list[Grant]:
    """Share the conversation with a person or a team, change that, or take it back; return its grants."""
    async with db.write(who, "conversation.share" if request.permission else "conversation.unshare") as tx:
        row = await require(tx, who, conversation_id, Access.MANAGE)
        manageable = access.fence(who, Access.MANAGE)
        return await sharing.share(tx, CONVERSATIONS, row, manageable, manageable, request)


async def list_grants(db: Db, who: Principal, conversation_id: str, query: GrantsQuery) -> GrantListing:
    """Return the conversation's grants, also expired ones, and if asked everyone who can see it, and why."""
    row = await store.get(db, access.fence(who, Access.READ), conversation_id)
    if row is None:
        raise NotFound()
    await _check(db, who, conversation_id, Access.MANAGE)
    return await sharing.explain(db, row, CONVERSATIONS, Levels(P.NOTES_MANAGE, P.NOTES_READ, None), query)


async def require(tx: Tx, who: Principal, conversation_id: str, needed: Access) -> ConversationRow:
    """Return the conversation, locked, if `who` has this access to it; otherwise 403 if they can read it, 404 if not."""
    row = await store.lock(tx, access.fence(who, Access.READ), conversation_id)
    if row is None:
        raise NotFound()
    await _check(tx, who, conversation_id, needed)
    return row


async def _check(db: Reads, who: Principal, conversation_id: str, needed: Access) -> None:
    if not await store.admits(db, access.fence(who, needed), conversation_id):
        raise Forbidden("conversations.read_only" if needed is Access.CONTINUE else "conversations.owner_only")


def read_fence(who: Principal, *, across_org: bool = False) -> Fence:
    """Return the conversations that `who` can read; roles in the company add none. For other packages."""
    return access.fence(who, Access.READ)


def _clean_title(title: str) -> str:
    return text.clean_name(title, "title", max_length=_TITLE_LENGTH)


def _to_conversation(row: ConversationRow, grants: list[Grant], turns: list[TurnRow]) -> Conversation:
    return Conversation(
        id=row.id, title=row.title, owner=row.owner_id, team_id=row.team_id, shared_with=grants,
        turns=[_to_turn(turn) for turn in turns], created_at=row.created_at, updated_at=row.updated_at,
    )  # fmt: skip


def _to_turn(row: TurnRow) -> Turn:
    return Turn(
        id=row.id, parent_id=row.parent_id, role=row.role, content=contents.decode(row.content), state=row.state,
        created_at=row.created_at, author=row.author_id, usage=row.usage, citations=row.citations, steps=row.steps,
        model=row.model, executor=row.executor, simulated=row.simulated, finish_reason=row.finish_reason,
        error=row.error,
    )  # fmt: skip
