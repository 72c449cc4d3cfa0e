"""Which audit rows a caller can read."""

from teamspace.core.db import Clause, Fence
from teamspace.core.principal import Principal

_COMPANY = (Clause("audit.org_id = :org_id"),)
_TEAM = (Clause("audit.org_id = :org_id AND audit.team_id = :team_id"),)


def team(who: Principal) -> Fence:
    """Admit the rows of the caller's team."""
    return Fence("audit", _TEAM, {"org_id": who.org_id, "team_id": who.team_id})


def company(who: Principal) -> Fence:
    """Admit the rows of the caller's company, with or without a team."""
    return Fence("audit", _COMPANY, {"org_id": who.org_id})


def instance() -> Fence:
    """Admit the rows that belong to no company."""
    return Fence("audit", _COMPANY, {"org_id": ""})
