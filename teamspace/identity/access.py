"""Fences of credentials that a caller may see and revoke."""

from teamspace.core.db import Clause, Fence
from teamspace.core.principal import Principal


def own_sign_ins_fence(who: Principal) -> Fence:
    """Return the caller's kept sign-ins, and their sessions that belong to none."""
    where = (
        "tokens.user_id = :user_id AND tokens.kind IN ('session', 'stay') AND tokens.stay_id IS NULL"
        " AND tokens.revoked_at IS NULL"
    )
    return Fence("tokens", (Clause(where),), {"user_id": who.user_id})


def team_tokens_fence(who: Principal) -> Fence:
    """Return the API tokens of the caller's team, of all people; the route requires settings:manage."""
    where = "tokens.team_id = :team_id AND tokens.kind = 'api' AND tokens.revoked_at IS NULL"
    return Fence("tokens", (Clause(where),), {"team_id": who.team_id})


def own_keys_fence(who: Principal) -> Fence:
    """Return the caller's own S3 access keys for their team."""
    where = (
        "tokens.user_id = :user_id AND tokens.team_id = :team_id AND tokens.kind = 's3' AND tokens.revoked_at IS NULL"
    )
    return Fence("tokens", (Clause(where),), {"user_id": who.user_id, "team_id": who.team_id})
