"""HTTP routes for conversations."""

from teamspace.conversations.domain import conversations
from teamspace.conversations.schemas import (
    Conversation,
    ConversationChange,
    ConversationItem,
    ConversationQuery,
    NewConversation,
)
from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Created, Page
from teamspace.core.routing import BEARER, Route, row
from teamspace.jobs import JobAttempts
from teamspace.sharing import GrantListing, Grants, GrantsQuery, ShareRequest

# fmt: off
ROUTES = (
    Route("POST",   "/api/conversations",           BEARER, P.CHAT_USE,      None, "create", "Create a conversation, private to the caller."),
    Route("GET",    "/api/conversations",           BEARER, row(P.CHAT_USE), None, "index",  "List the conversations the caller can read, last activity first."),
    Route("GET",    "/api/conversations/:id",       BEARER, row(P.CHAT_USE), None, "show",   "Return a conversation with the turns of all branches, in the order of their creation."),
    Route("PATCH",  "/api/conversations/:id",       BEARER, row(P.CHAT_USE), None, "update", "Rename a conversation; returns it as in a list."),
    Route("DELETE", "/api/conversations/:id",       BEARER, row(P.CHAT_USE), None, "delete", "Delete a conversation with its turns and shares. A turn that runs is stopped, and a moment later nothing is left of them."),
    Route("POST",   "/api/conversations/:id/share", BEARER, row(P.CHAT_USE), None, "share",  "Share a conversation with a colleague or a team, to read it (`notes:read`) or to continue it (`notes:write`), optionally until a time, or remove their access; returns its shares."),
    Route("GET",    "/api/conversations/:id/grants", BEARER, row(P.CHAT_USE), None, "grants", "List the shares of a conversation, also expired ones; ?effective=1 also lists everyone who can see it, and why."),
)
# fmt: on


async def create(db: Db, who: Principal, body: NewConversation) -> Created[Conversation]:
    return Created(await conversations.create(db, who, body))


async def index(db: Db, who: Principal, query: ConversationQuery) -> Page[ConversationItem]:
    return await conversations.listing(db, who, query)


async def show(db: Db, who: Principal, id: str) -> Conversation:
    return await conversations.find(db, who, id)


async def update(db: Db, who: Principal, id: str, body: ConversationChange) -> ConversationItem:
    return await conversations.rename(db, who, id, body)


async def delete(db: Db, who: Principal, id: str, attempts: JobAttempts) -> None:
    await conversations.delete(db, who, attempts, id)


async def share(db: Db, who: Principal, id: str, body: ShareRequest) -> Grants:
    return Grants(await conversations.share(db, who, id, body))


async def grants(db: Db, who: Principal, id: str, query: GrantsQuery) -> GrantListing:
    return await conversations.list_grants(db, who, id, query)
