"""Who can read the steps of a run: the person it ran for, and no one else."""

from teamspace.core.db import Clause, Fence
from teamspace.core.principal import Principal

_OWN = Clause("agent_steps.user_id = :user_id AND agent_steps.team_id = :team_id AND agent_steps.org_id = :org_id")


def fence(who: Principal) -> Fence:
    return own(user_id=who.user_id, team_id=who.team_id, org_id=who.org_id)


def own(*, user_id: str | None, team_id: str | None, org_id: str | None) -> Fence:
    return Fence("agent_steps", (_OWN,), {"user_id": user_id, "team_id": team_id, "org_id": org_id})
