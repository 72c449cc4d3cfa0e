"""HTTP routes of the sign-up funnel: what teams edit, and what visitors see."""

from teamspace.core.db import Db
from teamspace.core.errors import NoDraft, NotFound, OrgSuspended, TenantSuspended
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Reply
from teamspace.core.request import Match
from teamspace.core.routing import BEARER, PUBLIC, Cors, Route
from teamspace.onboarding.domain import drafts, showing
from teamspace.onboarding.domain.funnel import Funnel
from teamspace.onboarding.schemas import (
    DraftCondition,
    Experience,
    ExperienceDocument,
    ExperienceQuery,
    PublicExperience,
    PublicQuery,
)

_CLOSED = (NotFound, OrgSuspended, TenantSuspended)
# fmt: off
ROUTES = (
    Route("GET",     "/api/beta/config",             PUBLIC, None,              None, "config",         "Return what visitors of this host are asked, with its texts and theme in one language.",
          refuses=_CLOSED, cors=Cors.ANY_ORIGIN),
    Route("OPTIONS", "/api/beta/config",             PUBLIC, None,              None, "allow_config",    "Answer preflight requests of other origins.", cors=Cors.ANY_ORIGIN),
    Route("OPTIONS", "/api/beta/challenge",          PUBLIC, None,              None, "allow_challenge", "Answer preflight requests of other origins.", cors=Cors.ANY_ORIGIN),
    Route("OPTIONS", "/api/beta/signup",             PUBLIC, None,              None, "allow_signup",    "Answer preflight requests of other origins.", cors=Cors.ANY_ORIGIN),
    Route("GET",     "/api/beta/experience",         BEARER, P.SETTINGS_MANAGE, None, "show",            "Return what the team edits: its draft, else what it published, else what visitors see; ?preview=1 returns it as visitors would see it.",
          refuses=(NotFound,)),
    Route("PUT",     "/api/beta/experience",         BEARER, P.SETTINGS_MANAGE, None, "save",            "Save a draft of the team's experience; visitors see it once it is published."),
    Route("POST",    "/api/beta/experience/publish", BEARER, P.SETTINGS_MANAGE, None, "publish",         "Publish the team's draft; refused if there is none.",
          refuses=(NoDraft,)),
)
# fmt: on

_VARY = {"vary": "Host, Accept-Language"}


async def config(
    db: Db, who: Principal, funnel: Funnel, query: PublicQuery, languages: list[str]
) -> Reply[PublicExperience]:
    found = await funnel.effective(db, who.call.host)
    return Reply(showing.show(found.document, [query.locale] if query.locale else languages), headers=_VARY)


async def allow_config() -> None:
    return None


async def allow_challenge() -> None:
    return None


async def allow_signup() -> None:
    return None


async def show(
    db: Db, who: Principal, funnel: Funnel, query: ExperienceQuery
) -> Reply[Experience] | PublicExperience:  # fmt: skip
    if query.preview:
        return await drafts.preview(db, who, funnel, query.locale)
    return _reply(await drafts.get(db, who, funnel))


async def save(db: Db, who: Principal, funnel: Funnel, body: ExperienceDocument, match: Match) -> Reply[Experience]:
    return _reply(await drafts.save(db, who, funnel, body, _condition(match)))


async def publish(db: Db, who: Principal, funnel: Funnel, match: Match) -> Experience:
    return await drafts.publish(db, who, funnel, _condition(match))


def _reply(found: Experience) -> Reply[Experience]:
    return Reply(found, version=found.draft_version)


def _condition(match: Match) -> DraftCondition:
    return DraftCondition(match.version, exists=match.if_match is not None)
