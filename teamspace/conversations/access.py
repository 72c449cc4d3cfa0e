"""Who may read, continue and manage which conversation. The rule is written only here.

Conversations are private. Access comes from ownership, while the owner is a member of the conversation's team, and from
a grant to them or to their team. Roles give none, and neither ownership nor grants extend a token's scope.
"""

from teamspace import events, sharing
from teamspace.conversations.schemas import CONVERSATIONS, Access
from teamspace.core.db import Clause, Fence, no_rows
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal

_OWN = sharing.owned("conversations")
_CLAUSES = {
    Access.READ: (_OWN, *sharing.granted(CONVERSATIONS, P.NOTES_READ)),
    Access.CONTINUE: (_OWN, *sharing.granted(CONVERSATIONS, P.NOTES_WRITE)),
    Access.MANAGE: (_OWN,),
}
_SHARED = sharing.granted_by_others(CONVERSATIONS)


def fence(who: Principal, access: Access) -> Fence:
    """Return the conversations to which `who` has this access."""
    return _fence(who, _CLAUSES[access])


def shared_fence(who: Principal) -> Fence:
    """Return the conversations that others shared with `who` or with their team."""
    return _fence(who, _SHARED)


def _fence(who: Principal, clauses: tuple[Clause, ...]) -> Fence:
    if not who.in_scope(P.CHAT_USE):
        return no_rows("conversations")
    return Fence("conversations", clauses, _params(who))


def _params(who: Principal) -> dict[str, str]:
    return {"user_id": who.user_id, "team_id": who.team_id, "org_id": who.org_id}


def _read_fences(who: Principal) -> tuple[Fence, ...]:
    return (fence(who, Access.READ),)


SUBJECTS = (events.EventSubject("conversation", P.CHAT_USE, _read_fences),)
