"""The audit trail over HTTP: a team's, a company's and the instance's own, to look at or to take out."""

from teamspace.audit.domain import searching
from teamspace.audit.domain.export import export
from teamspace.audit.domain.listing import listing
from teamspace.audit.schemas import Event, TeamTrailQuery, TrailQuery
from teamspace.core.db import Db, Fence
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import JsonLines, Page
from teamspace.core.routing import BEARER, ORGADMIN, Route

# fmt: off
ROUTES = (
    Route("GET", "/api/audit",     BEARER,   P.SETTINGS_MANAGE, None, "team",    "The team's audit trail, newest first, or all of it as JSON lines; ?scope=instance is the operators' own."),
    Route("GET", "/api/org/audit", ORGADMIN, P.ORG_READ,        None, "company", "The company's audit trail, newest first, or all of it as JSON lines."),
)
# fmt: on


async def team(db: Db, who: Principal, query: TeamTrailQuery, accept: str) -> Page[Event] | JsonLines:
    return await _told(db, searching.trail_of_team(who, query.scope), query, accept)


async def company(db: Db, who: Principal, query: TrailQuery, accept: str) -> Page[Event] | JsonLines:
    return await _told(db, searching.trail_of_company(who), query, accept)


async def _told(db: Db, fence: Fence, query: TrailQuery, accept: str) -> Page[Event] | JsonLines:
    form = query.format or ("jsonl" if accept == "application/x-ndjson" else "json")
    return await (export if form == "jsonl" else listing)(db, fence, query)
