"""Who may read, continue and manage which conversation. The rule is written only here.

Conversations are private. Access comes from ownership, while the owner is a member of the conversation's team, and from
a grant. Roles give none, and neither ownership nor grants extend a token's scope.
"""

from functools import cache

import msgspec

from teamspace import events, tenancy
from teamspace.conversations.schemas import Access
from teamspace.core.db import Clause, Fence, no_rows
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal

_OWN = Clause(
    "conversations.owner_id = :user_id AND conversations.org_id = :org_id"
    f" AND {tenancy.is_current_member('conversations')}"
)
_OTHERS = "conversations.owner_id <> :user_id"
_GRANTING = {Access.READ: f"'{P.NOTES_READ}', '{P.NOTES_WRITE}'", Access.CONTINUE: f"'{P.NOTES_WRITE}'"}
"""The permissions of grants that give an access level; only owners manage."""


def fence(who: Principal, access: Access) -> Fence:
    """Return the conversations to which `who` has this access."""
    if not who.in_scope(P.CHAT_USE):
        return no_rows("conversations")
    return Fence("conversations", _clauses(access), _params(who))


def shared(who: Principal) -> Fence:
    """Return the conversations that others shared with `who`."""
    if not who.in_scope(P.CHAT_USE):
        return no_rows("conversations")
    granted = _grant_clause(Access.READ)
    others = msgspec.structs.replace(granted, where=f"{granted.where} AND {_OTHERS}")
    return Fence("conversations", (others,), _params(who))


def _read_fences(who: Principal) -> tuple[Fence, ...]:
    return (fence(who, Access.READ),)


SUBJECTS = (events.EventSubject("conversation", P.CHAT_USE, _read_fences),)


@cache
def _clauses(access: Access) -> tuple[Clause, ...]:
    return (_OWN, _grant_clause(access)) if access in _GRANTING else (_OWN,)


@cache
def _grant_clause(access: Access) -> Clause:
    where = f"grants.user_id = :user_id AND grants.org_id = :org_id AND grants.permission IN ({_GRANTING[access]})"
    return Clause(where, through="conversation_grants AS grants", key="grants.conversation_id", alias="grants")


def _params(who: Principal) -> dict[str, str]:
    return {"user_id": who.user_id, "org_id": who.org_id}
