"""Who may touch which object. The only place this rule is written.

An object is touched by its owner, by the team's roles when it is visible to the team, by a grant to the person or to
their team for as long as it lasts, and read by a reader of the whole company when it is visible to its team.
Ownership and grants never widen a token: what is not in its scope, or not below its prefixes, admits nothing.
"""

from functools import cache

from teamspace.core.db import Fence, Way, nothing
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.repository.schemas import Capability

LIVE = "(grants.expires_at IS NULL OR grants.expires_at > moment(0))"
_OWN = "objects.owner_id = :user_id AND objects.org_id = :org_id"
_TEAM = "objects.team_id = :team_id AND objects.visibility = 'team'"
_COMPANY = "objects.org_id = :org_id AND objects.visibility = 'team'"
_THERE = "NOT objects.removed"
_OTHERS = "objects.owner_id <> :user_id"


def fence(who: Principal, permission: P, *, across_org: bool = False, removed: bool = False) -> Fence:
    """The objects on which `who` holds `permission`; `removed` with those that were deleted through S3."""
    if not who.in_scope(permission):
        return nothing("objects")
    by_company = across_org and permission is P.FILES_READ and who.holds(P.ORG_READ)
    below, params = _below(who, permission)
    ways = _ways(permission, permission in who.permissions, by_company, below if removed else f"{_THERE} {below}")
    return Fence("objects", ways, params)


def shared(who: Principal) -> Fence:
    """The objects that others shared with `who`, or with their team."""
    if not who.in_scope(P.FILES_READ):
        return nothing("objects")
    below, params = _below(who, P.FILES_READ)
    return Fence("objects", _granted(P.FILES_READ, f"{_OTHERS} AND {_THERE} {below}"), params)


def may_create(who: Principal, key: str) -> bool:
    return who.holds(P.FILES_WRITE, key)


@cache
def _ways(permission: P, by_role: bool, by_company: bool, also: str) -> tuple[Way, ...]:
    wheres = [_OWN, *([_TEAM] if by_role else []), *([_COMPANY] if by_company else [])]
    also = also.removeprefix(" AND ")
    return (*(Way(f"{where} AND {also}" if also else where) for where in wheres), *_granted(permission, also))


@cache
def _granted(permission: P, also: str) -> tuple[Way, ...]:
    enough = ", ".join(f"'{capability}'" for capability in Capability if permission in capability.permissions)
    to = {"user": ":user_id", "team": ":team_id"}
    return tuple(
        Way(
            f"grants.principal_type = '{kind}' AND grants.principal_id = {id} AND grants.org_id = :org_id"
            f" AND grants.capability IN ({enough}) AND {LIVE}" + (f" AND {also}" if also else ""),
            through="object_grants AS grants",
            key="grants.object_id",
        )
        for kind, id in to.items()
    )


def _below(who: Principal, permission: P) -> tuple[str, dict[str, str]]:
    """The prefixes that the token is limited to, as SQL."""
    params = {"user_id": who.user_id, "team_id": who.team_id, "org_id": who.org_id}
    prefixes = [entry.prefix for entry in who.scope or () if entry.permission is permission]
    if who.scope is None or "" in prefixes:
        return "", params
    named = {f"{permission.name.lower()}_below_{number}": prefix for number, prefix in enumerate(prefixes)}
    begins = " OR ".join(
        f"substr(objects.key, 1, length(CAST(:{name} AS TEXT))) = CAST(:{name} AS TEXT)" for name in named
    )
    return f" AND ({begins})", params | named
