"""Whose trail a caller reads. The only place this rule is written."""

from teamspace.core.db import Fence, Way
from teamspace.core.principal import Principal

_COMPANY = (Way("audit.org_id = :org_id"),)
_TEAM = (Way("audit.org_id = :org_id AND audit.team_id = :team_id"),)


def team(who: Principal) -> Fence:
    """What was done in the caller's team."""
    return Fence("audit", _TEAM, {"org_id": who.org_id, "team_id": who.team_id})


def company(who: Principal) -> Fence:
    """What was done in the caller's company, in any of its teams or in none."""
    return Fence("audit", _COMPANY, {"org_id": who.org_id})


def instance() -> Fence:
    """What belongs to no company."""
    return Fence("audit", _COMPANY, {"org_id": ""})
