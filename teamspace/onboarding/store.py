"""The sign-up funnel in SQL: one statement per function, no rules. May join tables of tenancy, a lower package."""

from teamspace.core.db import Reads, columns
from teamspace.onboarding.schemas import FunnelOwner, LiveRow

_OWNER = (
    "SELECT orgs.id, orgs.suspended_at IS NOT NULL, (SELECT MIN(teams.id) FROM teams WHERE teams.org_id = orgs.id)"
    " FROM orgs"
)


async def get_owner_by_host(db: Reads, host: str) -> FunnelOwner | None:
    return await db.one(FunnelOwner, f"{_OWNER} WHERE orgs.domain = :host", host=host)


async def get_first_owner(db: Reads) -> FunnelOwner | None:
    return await db.one(FunnelOwner, f"{_OWNER} ORDER BY orgs.id LIMIT 1")


async def get_owner(db: Reads, org_id: str) -> FunnelOwner | None:
    return await db.one(FunnelOwner, f"{_OWNER} WHERE orgs.id = :org_id", org_id=org_id)


async def get_live(db: Reads, org_id: str) -> LiveRow | None:
    """Return what a team of the company has published last."""
    return await db.one(
        LiveRow,
        f"SELECT {columns(LiveRow)} FROM experiences WHERE org_id = :org_id AND published_at IS NOT NULL"
        " ORDER BY published_at DESC, id DESC LIMIT 1",
        org_id=org_id,
    )
