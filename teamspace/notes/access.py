"""Who may touch which note. The only place this rule is written.

A note is touched by its owner while they are a member of its team, by the team's roles when it is visible to the
team, by a grant, and read by a reader of the whole company when it is visible to its team. Ownership and grants never
widen a token: what is not in its scope admits nothing.
"""

from functools import cache

import msgspec

from teamspace import tenancy
from teamspace.core.db import Fence, Way, nothing
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal

LADDER = (P.NOTES_READ, P.NOTES_WRITE, P.NOTES_DELETE, P.NOTES_MANAGE)
"""What a note can be shared for; each rung holds those below it."""

_OWN = Way(f"notes.owner_id = :user_id AND notes.org_id = :org_id AND {tenancy.seated('notes')}")
_TEAM = Way("notes.team_id = :team_id AND notes.visibility = 'team'")
_COMPANY = Way("notes.org_id = :org_id AND notes.visibility = 'team'")
_OTHERS = "notes.owner_id <> :user_id"


def fence(who: Principal, permission: P, *, across_org: bool = False) -> Fence:
    """The notes on which `who` holds `permission`."""
    if not who.in_scope(permission):
        return nothing("notes")
    by_company = across_org and permission is P.NOTES_READ and who.holds(P.ORG_READ)
    return Fence("notes", _ways(permission, who.holds(permission), by_company), _params(who))


def shared(who: Principal) -> Fence:
    """The notes that others shared with `who`."""
    if not who.in_scope(P.NOTES_READ):
        return nothing("notes")
    granted = _granted(P.NOTES_READ)
    return Fence("notes", (msgspec.structs.replace(granted, where=f"{granted.where} AND {_OTHERS}"),), _params(who))


@cache
def _ways(permission: P, by_role: bool, by_company: bool) -> tuple[Way, ...]:
    ways = [_OWN, _granted(permission)]
    if by_role:
        ways.append(_TEAM)
    if by_company:
        ways.append(_COMPANY)
    return tuple(ways)


@cache
def _granted(permission: P) -> Way:
    rungs = ", ".join(f"'{rung}'" for rung in LADDER[LADDER.index(permission) :])
    where = f"grants.user_id = :user_id AND grants.org_id = :org_id AND grants.permission IN ({rungs})"
    return Way(where, through="note_grants AS grants", key="grants.note_id")


def _params(who: Principal) -> dict[str, str]:
    return {"user_id": who.user_id, "team_id": who.team_id, "org_id": who.org_id}
