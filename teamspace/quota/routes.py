"""HTTP routes for quotas: the usage and the limits of the caller's team."""

from teamspace.core.db import Db
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.routing import BEARER, Route
from teamspace.quota.domain import histories, limits
from teamspace.quota.schemas import QuotaDraft, Usage, UsageHistory, UsageHistoryQuery, UsageQuery, UsageReport

# fmt: off
ROUTES = (
    Route("GET",  "/api/usage", BEARER, None,              None, "usage",     "Return the usage of each quota: one row per dimension, for the level with the least remaining."),
    Route("GET",  "/api/usage/history", BEARER, None, None, "history", "Return storage, files, traffic and AI usage by day, with limit and forecast."),
    Route("POST", "/api/quota", BEARER, P.INSTANCE_MANAGE, None, "set_limit", "Set the limit of a dimension for the caller's team."),
)
# fmt: on


async def usage(db: Db, who: Principal, query: UsageQuery) -> UsageReport:
    return UsageReport(
        await limits.usage(db, who),
        history=await limits.history(db, who, query.history) if query.history else None,
        spenders=await limits.spenders(db, who) if query.spenders else None,
    )


async def history(db: Db, who: Principal, query: UsageHistoryQuery) -> UsageHistory:
    return UsageHistory(await histories.histories(db, who, query.days, query.metric))


async def set_limit(db: Db, who: Principal, body: QuotaDraft) -> Usage:
    return await limits.set_team_limit(db, who, body)
