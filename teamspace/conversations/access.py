"""Who may read, continue and manage which conversation. The rule is written only here.

Conversations are private. Access comes from ownership, while the owner is a member of the conversation's team, and from
a grant. Roles give none, and neither ownership nor grants extend a token's scope.
"""

from teamspace import events, tenancy
from teamspace.conversations.schemas import Access
from teamspace.core.db import Clause, Fence, no_rows
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal

_OWN = Clause(
    "conversations.owner_id = :user_id AND conversations.org_id = :org_id"
    f" AND {tenancy.is_current_member('conversations')}"
)


def _granted(*permissions: P, where: str = "TRUE") -> Clause:
    chosen = ", ".join(f"'{permission}'" for permission in permissions)
    return Clause(
        f"grants.user_id = :user_id AND grants.org_id = :org_id AND grants.permission IN ({chosen}) AND {where}",
        through="conversation_grants AS grants", key="grants.conversation_id", alias="grants",
    )  # fmt: skip


_CLAUSES = {
    Access.READ: (_OWN, _granted(P.NOTES_READ, P.NOTES_WRITE)),
    Access.CONTINUE: (_OWN, _granted(P.NOTES_WRITE)),
    Access.MANAGE: (_OWN,),
}
_SHARED = (_granted(P.NOTES_READ, P.NOTES_WRITE, where="conversations.owner_id <> :user_id"),)


def fence(who: Principal, access: Access) -> Fence:
    """Return the conversations to which `who` has this access."""
    return _fence(who, _CLAUSES[access])


def shared(who: Principal) -> Fence:
    """Return the conversations that others shared with `who`."""
    return _fence(who, _SHARED)


def _fence(who: Principal, clauses: tuple[Clause, ...]) -> Fence:
    if not who.in_scope(P.CHAT_USE):
        return no_rows("conversations")
    return Fence("conversations", clauses, {"user_id": who.user_id, "org_id": who.org_id})


def _read_fences(who: Principal) -> tuple[Fence, ...]:
    return (fence(who, Access.READ),)


SUBJECTS = (events.EventSubject("conversation", P.CHAT_USE, _read_fences),)
