"""Quotas over HTTP: what the caller's team may still spend, and a limit for it."""

from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.routing import BEARER, Route
from teamspace.quota.domain import limits
from teamspace.quota.schemas import QuotaDraft, Usage, UsageQuery, UsageReport

# fmt: off
ROUTES = (
    Route("GET",  "/api/usage", BEARER, None,              None, "usage",     "What was used of each quota, and what is left: one row a dimension, the tightest level."),
    Route("POST", "/api/quota", BEARER, P.INSTANCE_MANAGE, None, "set_limit", "Set a limit for the caller's team; it replaces that dimension's."),
)
# fmt: on


async def usage(db: Db, who: Principal, query: UsageQuery) -> UsageReport:
    return UsageReport(
        await limits.usage(db, who),
        history=await limits.history(db, who, query.history) if query.history else None,
        spenders=await limits.spenders(db, who) if query.spenders else None,
    )


async def set_limit(db: Db, who: Principal, body: QuotaDraft) -> Usage:
    return await limits.set_team_limit(db, who, body)
