"""Who gets an answer that is kept: members of the team that has paid for it, who must have the same request."""

from teamspace.core.db import Clause, Fence
from teamspace.core.principal import Principal

_OF_TEAM = Clause("model_answers.team_id = :team_id AND model_answers.org_id = :org_id")


def answers(who: Principal) -> Fence:
    return Fence("model_answers", (_OF_TEAM,), {"team_id": who.team_id, "org_id": who.org_id})
