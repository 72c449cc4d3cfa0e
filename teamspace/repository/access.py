"""Who may touch which object. The only place this rule is written.

An object is touched by its owner while they are a member of its team, by the team's roles when it is visible to the
team, by a grant to the person or to their team for as long as it lasts, and read by a reader of the whole company when
it is visible to its team.
Ownership and grants never widen a token: what is not in its scope, or not below its prefixes, admits nothing.
"""

from functools import cache, lru_cache
from itertools import chain

import msgspec

from teamspace import tenancy
from teamspace.core.db import Fence, Way, nothing
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.repository.schemas import Capability

_LIVE = "(grants.expires_at IS NULL OR grants.expires_at > moment(0))"
_OWN = Way(f"objects.owner_id = :user_id AND objects.org_id = :org_id AND {tenancy.seated('objects')}")
_TEAM = Way("objects.team_id = :team_id AND objects.visibility = 'team'")
_COMPANY = Way("objects.org_id = :org_id AND objects.visibility = 'team'")
_OWN_UPLOAD = Way(
    "object_uploads.owner_id = :user_id AND object_uploads.team_id = :team_id AND object_uploads.org_id = :org_id"
)
_OTHERS = "objects.owner_id <> :user_id"


def fence(who: Principal, permission: P, *, across_org: bool = False) -> Fence:
    """The objects on which `who` holds `permission`."""
    by_company = across_org and permission is P.FILES_READ and who.holds(P.ORG_READ)
    return _fence(who, permission, *_held(permission in who.permissions, by_company), *_granted(permission))


def with_removed(who: Principal, permission: P) -> Fence:
    """The same in the caller's own reach, with those whose key was deleted."""
    return _fence(who, permission, *_held(permission in who.permissions, False), *_granted(permission), removed=True)


def lasting(who: Principal, permission: P) -> Fence:
    """Those on which `who` holds it by what they are, and not by a grant that ends."""
    return _fence(who, permission, *_held(permission in who.permissions, False))


def shared(who: Principal) -> Fence:
    """The objects that others shared with `who`, or with their team."""
    return _fence(who, P.FILES_READ, *_granted(P.FILES_READ), also=_OTHERS)


def may_create(who: Principal, key: str) -> bool:
    return who.holds(P.FILES_WRITE, key)


def own_uploads(who: Principal) -> Fence:
    """What comes in parts is nobody else's business until it is whole."""
    if not who.in_scope(P.FILES_WRITE):
        return nothing("object_uploads")
    below, params = _below(who, P.FILES_WRITE)
    return Fence("object_uploads", _narrowed((_OWN_UPLOAD,), below, "object_uploads"), params)


def _fence(who: Principal, permission: P, *ways: Way, also: str = "TRUE", removed: bool = False) -> Fence:
    """Whatever admits, only below the prefixes that the token is limited to."""
    if not who.in_scope(permission):
        return nothing("objects")
    below, params = _below(who, permission)
    # What is there and what was removed are ways of their own: each has its place in the indexes.
    states = ("FALSE", "TRUE") if removed else ("FALSE",)
    each = (_narrowed(ways, f"{{row}}.removed = {state} AND {also} AND {below}") for state in states)
    return Fence("objects", tuple(chain.from_iterable(each)), params)


@lru_cache(512)
def _narrowed(ways: tuple[Way, ...], also: str, table: str = "objects") -> tuple[Way, ...]:
    return tuple(
        msgspec.structs.replace(way, where=f"{way.where} AND {also.format(row=way.copy or table)}") for way in ways
    )


def _held(by_role: bool, by_company: bool) -> tuple[Way, ...]:
    return (_OWN, *([_TEAM] if by_role else []), *([_COMPANY] if by_company else []))


@cache
def _granted(permission: P) -> tuple[Way, ...]:
    enough = ", ".join(f"'{capability}'" for capability in Capability if permission in capability.permissions)
    return tuple(
        Way(
            f"grants.principal_type = '{kind}' AND grants.principal_id = {id} AND grants.org_id = :org_id"
            f" AND grants.capability IN ({enough}) AND {_LIVE}",
            through="object_grants AS grants",
            key="grants.object_id",
            copy="grants",
        )
        for kind, id in (("user", ":user_id"), ("team", ":team_id"))
    )


def prefixes(who: Principal, permission: P, wanted: str) -> list[str]:
    """Where below `wanted` the token admits anything at all, in the order of keys and none inside another."""
    limits = _prefixes(who, permission)
    if limits is None:
        return [wanted]
    found: list[str] = []
    for prefix in sorted({max(limit, wanted, key=len) for limit in limits if _overlap(limit, wanted)}):
        if not found or not prefix.startswith(found[-1]):
            found.append(prefix)
    return found


def _overlap(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _prefixes(who: Principal, permission: P) -> list[str] | None:
    """Those that the token is limited to; None when it is not."""
    limits = [entry.prefix for entry in who.scope or () if entry.permission is permission]
    return None if who.scope is None or "" in limits else limits


def _below(who: Principal, permission: P) -> tuple[str, dict[str, str]]:
    params = {"user_id": who.user_id, "team_id": who.team_id, "org_id": who.org_id}
    limits = _prefixes(who, permission)
    if limits is None:
        return "TRUE", params
    named = {f"{permission.name.lower()}_below_{number}": prefix for number, prefix in enumerate(limits)}
    begins = " OR ".join(
        f"substr({{row}}.key, 1, length(CAST(:{name} AS TEXT))) = CAST(:{name} AS TEXT)" for name in named
    )
    return f"({begins})", params | named
