"""Routes of the audit log: list or export the rows of a team, a company or the instance."""

from teamspace.audit.domain import searching
from teamspace.audit.domain.export import export
from teamspace.audit.domain.listing import list_events
from teamspace.audit.schemas import AuditEvent, AuditQuery, TeamAuditQuery
from teamspace.core.accept import JSON, JSON_LINES
from teamspace.core.db import Db, Fence
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import JsonLines, Page
from teamspace.core.routing import BEARER, ORGADMIN, Route

_FORMS = (JSON, JSON_LINES)

# fmt: off
ROUTES = (
    Route("GET", "/api/audit",     BEARER,   P.SETTINGS_MANAGE, None, "team",    "List the team's audit log, newest first, or export it as JSON lines; ?scope=instance is for operators.", offers=_FORMS),
    Route("GET", "/api/org/audit", ORGADMIN, P.ORG_READ,        None, "company", "List the company's audit log, newest first, or export it as JSON lines.", offers=_FORMS),
)
# fmt: on


async def team(db: Db, who: Principal, query: TeamAuditQuery, accept: str) -> Page[AuditEvent] | JsonLines:
    return await _respond(db, searching.team_log(who, query.scope), query, accept)


async def company(db: Db, who: Principal, query: AuditQuery, accept: str) -> Page[AuditEvent] | JsonLines:
    return await _respond(db, searching.company_log(who), query, accept)


async def _respond(db: Db, fence: Fence, query: AuditQuery, accept: str) -> Page[AuditEvent] | JsonLines:
    form = query.format or ("jsonl" if accept == JSON_LINES else "json")
    return await (export if form == "jsonl" else list_events)(db, fence, query)
