"""Who can read a stream: its owner, and no one else."""

from teamspace.core.db import Clause, Fence
from teamspace.core.principal import Principal

_OWN = Clause("streams.owner_id = :user_id AND streams.team_id = :team_id AND streams.org_id = :org_id")


def owner_of(who: Principal) -> tuple[str, str, str]:
    """Return whom the fence admits to a stream that `who` opens."""
    return who.user_id, who.team_id, who.org_id


def own_streams_fence(who: Principal) -> Fence:
    return Fence("streams", (_OWN,), {"user_id": who.user_id, "team_id": who.team_id, "org_id": who.org_id})
