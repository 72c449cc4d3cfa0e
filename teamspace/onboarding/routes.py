"""HTTP routes of the sign-up funnel: what teams edit, and what visitors see."""

from teamspace.ai import Gateway
from teamspace.core.db import Db
from teamspace.core.errors import (
    AlreadyDecided,
    Conflict,
    NoDraft,
    NotFound,
    OrgSuspended,
    RateLimited,
    TenantSuspended,
)
from teamspace.core.permissions import Feature as F
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Accepted, Download, Reply
from teamspace.core.request import Match
from teamspace.core.routing import BEARER, PUBLIC, Cors, Route
from teamspace.onboarding.domain import drafts, exporting, judging, prospects, showing
from teamspace.onboarding.domain.counting import FunnelStep
from teamspace.onboarding.domain.funnel import Funnel
from teamspace.onboarding.domain.signing_up import MAX_BODY, SignUps
from teamspace.onboarding.schemas import (
    DecidedProspect,
    Decision,
    DraftCondition,
    Experience,
    ExperienceDocument,
    ExperienceQuery,
    ProspectPage,
    ProspectQuery,
    PublicExperience,
    PublicQuery,
    Replay,
    ReplayBody,
    SignedUp,
    SignUp,
    WorkChallenge,
)
from teamspace.settings import Settings

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
    Route("GET",     "/api/beta/challenge",            PUBLIC, None,              None, "challenge",       "Return a proof-of-work challenge in the format of ALTCHA, to be solved before a sign-up; it counts for ten minutes, once, and for the page that asked.",
          refuses=_CLOSED, cors=Cors.ANY_ORIGIN),
    Route("POST",    "/api/beta/signup",               PUBLIC, None,              None, "sign_up",         "Sign up with the answers to the form and a solved challenge. The answer is the same for everyone whose form and challenge are valid.",
          refuses=(*_CLOSED, Conflict, RateLimited), cors=Cors.ANY_ORIGIN, limit=MAX_BODY),
    Route("GET",     "/api/beta/prospects",            BEARER, P.SETTINGS_MANAGE, None, "list_prospects",  "List who signed up with the team, newest first, with signals and verdicts; ?numbers=1 adds the numbers of the last 30 days, ?format=csv or Accept: text/csv returns all as CSV."),
    Route("POST",    "/api/beta/prospects/:id/decide", BEARER, P.SETTINGS_MANAGE, None, "decide",          "Accept or decline a prospect, once. An accepted one becomes a member of the team and gets an activation link, which is shown once.",
          refuses=(AlreadyDecided, Conflict)),
    Route("DELETE",  "/api/beta/prospects/:id",        BEARER, P.SETTINGS_MANAGE, None, "delete_prospect", "Delete all that is known of a prospect; an account that they got stays."),
    Route("POST",    "/api/beta/experience/replay",    BEARER, P.SETTINGS_MANAGE, F.CHAT, "replay",        "Judge the newest judged prospects by other criteria, and return whose verdict would differ; nothing is stored, the calls of the model are charged."),
)
# fmt: on

_VARY = {"vary": "Host, Accept-Language"}


async def config(
    db: Db, who: Principal, funnel: Funnel, sign_ups: SignUps, query: PublicQuery, languages: list[str]
) -> Reply[PublicExperience]:
    found = await funnel.effective(db, who.call.host)
    sign_ups.counts.add(found, FunnelStep.VIEWS)
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


async def challenge(db: Db, who: Principal, sign_ups: SignUps, origin: str) -> WorkChallenge:
    return await sign_ups.challenge(db, who, origin)


async def sign_up(
    db: Db, who: Principal, sign_ups: SignUps, body: SignUp, origin: str, languages: list[str]
) -> Accepted[SignedUp]:
    await sign_ups.sign_up(db, who, body, origin, languages)
    return Accepted(SignedUp())


async def list_prospects(db: Db, who: Principal, query: ProspectQuery, accept: str) -> ProspectPage | Download:
    if query.format == "csv" or accept == "text/csv":
        return await exporting.export(db, who, query)
    return await prospects.list_prospects(db, who, query)


async def decide(db: Db, who: Principal, settings: Settings, id: str, body: Decision) -> DecidedProspect:
    return await prospects.decide(db, who, settings, id, body)


async def delete_prospect(db: Db, who: Principal, id: str) -> None:
    await prospects.delete(db, who, id)


async def replay(db: Db, who: Principal, gateway: Gateway, body: ReplayBody) -> Replay:
    return await judging.replay(db, who, gateway, body)


def _reply(found: Experience) -> Reply[Experience]:
    return Reply(found, version=found.draft_version)


def _condition(match: Match) -> DraftCondition:
    return DraftCondition(match.version, exists=match.if_match is not None)
