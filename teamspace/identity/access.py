"""Which credentials a caller may see and revoke."""

from teamspace.core.db import Fence, Way
from teamspace.core.principal import Principal


def own_sessions(who: Principal) -> Fence:
    where = "tokens.user_id = :user_id AND tokens.kind = 'session' AND tokens.revoked_at IS NULL"
    return Fence("tokens", (Way(where),), {"user_id": who.user_id})


def team_tokens(who: Principal) -> Fence:
    """The API tokens of the caller's team, whoever they act for; the route asks for settings:manage."""
    where = "tokens.team_id = :team_id AND tokens.kind = 'api' AND tokens.revoked_at IS NULL"
    return Fence("tokens", (Way(where),), {"team_id": who.team_id})


def own_keys(who: Principal) -> Fence:
    """The caller's own S3 access keys for their team."""
    where = (
        "tokens.user_id = :user_id AND tokens.team_id = :team_id AND tokens.kind = 's3' AND tokens.revoked_at IS NULL"
    )
    return Fence("tokens", (Way(where),), {"user_id": who.user_id, "team_id": who.team_id})
