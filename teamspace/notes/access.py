"""Who may read and write which note. The rule is written only here.

Access comes from ownership, while the owner is a member of the note's team; from a role in the team, if the note is
visible to the team; from a grant; and, to read only, from a role in the company, if the note is visible to its team.
Ownership and grants never extend a token's scope.
"""

from functools import cache

import msgspec

from teamspace import events, tenancy
from teamspace.core.db import Clause, Fence, no_rows
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal

LADDER = (P.NOTES_READ, P.NOTES_WRITE, P.NOTES_DELETE, P.NOTES_MANAGE)
"""The permissions a note can be shared with, in ascending order; each includes those before it."""

_OWN = Clause(f"notes.owner_id = :user_id AND notes.org_id = :org_id AND {tenancy.is_current_member('notes')}")
_TEAM = Clause("notes.team_id = :team_id AND notes.visibility = 'team'")
_COMPANY = Clause("notes.org_id = :org_id AND notes.visibility = 'team'")
_OTHERS = "notes.owner_id <> :user_id"


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
    granted = _grant_clause(P.NOTES_READ)
    return Fence("notes", (msgspec.structs.replace(granted, where=f"{granted.where} AND {_OTHERS}"),), _params(who))


@cache
def _clauses(permission: P, by_role: bool, by_company: bool) -> tuple[Clause, ...]:
    ways = [_OWN, _grant_clause(permission)]
    if by_role:
        ways.append(_TEAM)
    if by_company:
        ways.append(_COMPANY)
    return tuple(ways)


@cache
def _grant_clause(permission: P) -> Clause:
    rungs = ", ".join(f"'{rung}'" for rung in LADDER[LADDER.index(permission) :])
    where = f"grants.user_id = :user_id AND grants.org_id = :org_id AND grants.permission IN ({rungs})"
    return Clause(where, through="note_grants AS grants", key="grants.note_id")


def _params(who: Principal) -> dict[str, str]:
    return {"user_id": who.user_id, "team_id": who.team_id, "org_id": who.org_id}
