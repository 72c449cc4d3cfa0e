"""Fences of tenancy: the members of the caller's team, and for company roles the whole company."""

from teamspace.core.db import Clause, Fence
from teamspace.core.principal import Principal


def members_fence(who: Principal) -> Fence:
    return Fence("memberships", (Clause("memberships.team_id = :team_id"),), {"team_id": who.team_id})


def company_roles_fence(who: Principal) -> Fence:
    """Return the roles in the caller's company."""
    return Fence("org_roles", (Clause("org_roles.org_id = :org_id"),), {"org_id": who.org_id})


def colleagues_fence(who: Principal) -> Fence:
    """Return everyone in the company. Callers must have checked the caller's role in it."""
    return Fence("users", (Clause("users.org_id = :org_id"),), {"org_id": who.org_id})


def teams_fence(org_id: str) -> Fence:
    """Return the teams of a company: the caller's own, or any for an operator."""
    return Fence("teams", (Clause("teams.org_id = :org_id"),), {"org_id": org_id})
