"""Who may read and write which note. The rule is written only here.

Access comes from ownership, while the owner is a member of the note's team; from a role in the team, if the note is
visible to the team; from a grant; and, to read only, from a role in the company, if the note is visible to its team.
Ownership and grants never extend a token's scope.
"""

from functools import cache

from teamspace import events, sharing
from teamspace.core.db import Clause, Fence, no_rows
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.notes.schemas import NOTES

_OWN = sharing.owned("notes")
_TEAM = Clause("notes.team_id = :team_id AND notes.visibility = 'team'")
_COMPANY = Clause("notes.org_id = :org_id AND notes.visibility = 'team'")
_SHARED = (sharing.granted_by_others(NOTES),)


def fence(who: Principal, permission: P, *, across_org: bool = False) -> Fence:
    """Return the notes on which `who` has `permission`."""
    if not who.in_scope(permission):
        return no_rows("notes")
    by_company = across_org and permission is P.NOTES_READ and who.has_permission(P.ORG_READ)
    return Fence("notes", _clauses(permission, who.has_permission(permission), by_company), _params(who))


def _read_fences(who: Principal) -> tuple[Fence, ...]:
    return (fence(who, P.NOTES_READ, across_org=True),)


SUBJECTS = (events.EventSubject("note", P.NOTES_READ, _read_fences),)


def shared(who: Principal) -> Fence:
    """Return the notes that others shared with `who`."""
    if not who.in_scope(P.NOTES_READ):
        return no_rows("notes")
    return Fence("notes", _SHARED, _params(who))


@cache
def _clauses(permission: P, by_role: bool, by_company: bool) -> tuple[Clause, ...]:
    ways = [_OWN, sharing.granted(NOTES, permission)]
    if by_role:
        ways.append(_TEAM)
    if by_company:
        ways.append(_COMPANY)
    return tuple(ways)


def _params(who: Principal) -> dict[str, str]:
    return {"user_id": who.user_id, "team_id": who.team_id, "org_id": who.org_id}
