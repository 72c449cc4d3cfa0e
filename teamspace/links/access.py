"""Which public links an administrator can list and revoke. None of it gives access to their objects."""

from teamspace.core.db import Clause, Fence
from teamspace.core.principal import Principal

_TEAM = (Clause("object_links.team_id = :team_id AND object_links.org_id = :org_id"),)
_COMPANY = (Clause("object_links.org_id = :org_id"),)


def team(who: Principal) -> Fence:
    """Admit the links to objects of the caller's team."""
    return Fence("object_links", _TEAM, {"team_id": who.team_id, "org_id": who.org_id})


def company(who: Principal) -> Fence:
    """Admit the links to objects of the caller's company."""
    return Fence("object_links", _COMPANY, {"org_id": who.org_id})
