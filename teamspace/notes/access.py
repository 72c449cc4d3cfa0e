"""Who may read and write which note. The rule is written only here.

Access comes from ownership, while the owner is a member of the note's team; from a role in the team, if the note is
visible to the team; from a grant to the caller or to their team; and, to read only, from a role in the company, if the note
is visible to its team. Ownership and grants never extend a token's scope. A note in the trash is admitted by `trash_fence`
alone.
"""

from functools import cache, lru_cache

import msgspec

from teamspace import events, sharing
from teamspace.core.db import Clause, Fence, no_rows
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.notes.schemas import NOTES

_OWN = sharing.owned("notes")
_TEAM = Clause("notes.team_id = :team_id AND notes.visibility = 'team'")
_COMPANY = Clause("notes.org_id = :org_id AND notes.visibility = 'team'")
_SHARED = sharing.granted_by_others(NOTES)
_GRANTED = " OR ".join(clause.predicate("notes") for clause in sharing.granted(NOTES, P.NOTES_DELETE, in_trash=True))
_DELETED = Clause(f"notes.trashed_by_grantee = :user_id AND ({_GRANTED})")


def fence(who: Principal, permission: P, *, across_org: bool = False) -> Fence:
    """Return the notes on which `who` has `permission`."""
    if not who.in_scope(permission):
        return no_rows("notes")
    by_company = across_org and permission is P.NOTES_READ and who.has_permission(P.ORG_READ)
    return Fence("notes", _clauses(permission, who.has_permission(permission), by_company), _params(who))


def _read_fences(who: Principal) -> tuple[Fence, ...]:
    return (fence(who, P.NOTES_READ, across_org=True),)


SUBJECTS = (events.EventSubject("note", P.NOTES_READ, _read_fences),)


def fence_without_grants(who: Principal, permission: P) -> Fence:
    """Return the notes on which `who` has `permission` by ownership or role."""
    if not who.in_scope(permission):
        return no_rows("notes")
    ways = (_OWN, _TEAM) if who.has_permission(permission) else (_OWN,)
    return Fence("notes", _only(ways, NOTES.in_use), _params(who))


def trash_fence(who: Principal) -> Fence:
    """Return the notes in the trash that `who` may restore or delete for good.

    These are their own, those visible to the team if their role lets them delete notes, and those they have deleted
    themselves by a grant that they still have. A grant alone shows nobody what others have deleted.
    """
    if not who.in_scope(P.NOTES_DELETE):
        return no_rows("notes")
    ways = (_OWN, _TEAM, _DELETED) if who.has_permission(P.NOTES_DELETE) else (_OWN, _DELETED)
    return Fence("notes", _only(ways, "notes.trashed_at IS NOT NULL"), _params(who))


def shared_fence(who: Principal) -> Fence:
    """Return the notes that others shared with `who` or with their team."""
    if not who.in_scope(P.NOTES_READ):
        return no_rows("notes")
    return Fence("notes", _SHARED, _params(who))


@cache
def _clauses(permission: P, by_role: bool, by_company: bool) -> tuple[Clause, ...]:
    ways = (_OWN, *([_TEAM] if by_role else []), *([_COMPANY] if by_company else []))
    return (*_only(ways, NOTES.in_use), *sharing.granted(NOTES, permission))


@lru_cache(64)
def _only(ways: tuple[Clause, ...], condition: str) -> tuple[Clause, ...]:
    return tuple(msgspec.structs.replace(way, where=f"{way.where} AND {condition}") for way in ways)


def _params(who: Principal) -> dict[str, str]:
    return {"user_id": who.user_id, "team_id": who.team_id, "org_id": who.org_id}
