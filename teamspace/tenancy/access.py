"""Whom and what a caller may see: the members of their team, and by a role in the company all of it."""

from teamspace.core.db import Fence, Way
from teamspace.core.principal import Principal


def members(who: Principal) -> Fence:
    return Fence("memberships", (Way("memberships.team_id = :team_id"),), {"team_id": who.team_id})


def colleagues(who: Principal) -> Fence:
    """Everybody in the company; the caller's role in it is checked at the gate or before."""
    return Fence("users", (Way("users.org_id = :org_id"),), {"org_id": who.org_id})


def teams(org_id: str) -> Fence:
    """The teams of one company: the caller's own, or for an operator any."""
    return Fence("teams", (Way("teams.org_id = :org_id"),), {"org_id": org_id})
