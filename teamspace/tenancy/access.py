"""Whom a caller may see: the members of the team they act in."""

from teamspace.core.db import Fence, Way
from teamspace.core.principal import Principal


def members(who: Principal) -> Fence:
    return Fence("memberships", (Way("memberships.team_id = :team_id"),), {"team_id": who.team_id})
