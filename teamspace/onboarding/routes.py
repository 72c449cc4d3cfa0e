"""HTTP routes of the sign-up funnel: what teams edit, and what visitors see."""

from teamspace.ai import Gateway
from teamspace.blobs import BlobStore
from teamspace.core.accept import CSV, JSON
from teamspace.core.db import Db
from teamspace.core.errors import (
    AlreadyDecided,
    Conflict,
    ExecutorFailed,
    NoDraft,
    NoExecutor,
    NotFound,
    OrgSuspended,
    QuotaExceeded,
    RateLimited,
    ResponseRefused,
    StorageFull,
    TenantSuspended,
    VersionMismatch,
)
from teamspace.core.permissions import Feature as F
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Principal
from teamspace.core.replies import Accepted, Content, Created, CsvLines, Page, Reply
from teamspace.core.request import Match
from teamspace.core.routing import BEARER, PUBLIC, Cors, Route
from teamspace.onboarding.domain import assets, drafts, exporting, judging, page, prospects, showing
from teamspace.onboarding.domain.counting import FunnelStep
from teamspace.onboarding.domain.funnel import Funnel
from teamspace.onboarding.domain.signing_up import MAX_BODY, SignUps
from teamspace.onboarding.schemas.experience import (
    Asset,
    DraftCondition,
    Experience,
    ExperienceDocument,
    ExperienceQuery,
    NewAsset,
    PageQuery,
    PublicExperience,
    PublicQuery,
)
from teamspace.onboarding.schemas.prospects import (
    DecidedProspect,
    Decision,
    ProspectPage,
    ProspectQuery,
    Replay,
    ReplayBody,
)
from teamspace.onboarding.schemas.sign_ups import SignedUp, SignUp, WorkChallenge
from teamspace.settings import Settings

ASSET_BODY = 3 * 1024 * 1024
"""The body of the largest asset: base64 takes four bytes for three."""
_CLOSED = (NotFound, OrgSuspended, TenantSuspended)
# fmt: off
ROUTES = (
    Route("GET",     "/beta-sdk.js",                 PUBLIC, None,              None, "sdk",             "Serve the script with which any page can show the questions and send the answers.", unlimited=True),
    Route("GET",     "/beta/template",               PUBLIC, None,              None, "template",        "Serve the sign-up page in a sandbox, to be shown in a frame."),
    Route("GET",     "/api/beta/config",             PUBLIC, None,              None, "config",         "Return what visitors of this host are asked, with its texts and theme in one language.",
          refuses=_CLOSED, cors=Cors.ANY_ORIGIN),
    Route("OPTIONS", "/api/beta/config",             PUBLIC, None,              None, "allow_config",    "Answer preflight requests of other origins.", cors=Cors.ANY_ORIGIN),
    Route("OPTIONS", "/api/beta/challenge",          PUBLIC, None,              None, "allow_challenge", "Answer preflight requests of other origins.", cors=Cors.ANY_ORIGIN),
    Route("OPTIONS", "/api/beta/signup",             PUBLIC, None,              None, "allow_signup",    "Answer preflight requests of other origins.", cors=Cors.ANY_ORIGIN),
    Route("GET",     "/api/beta/experience",         BEARER, P.SETTINGS_MANAGE, None, "show",            "Return what the team edits: its draft, else what it published, else what visitors see; ?preview=1 returns it as visitors would see it.",
          refuses=(NotFound,)),
    Route("PUT",     "/api/beta/experience",         BEARER, P.SETTINGS_MANAGE, None, "save",            "Save a draft of the team's experience; visitors see it once it is published.",
          refuses=(VersionMismatch,)),
    Route("POST",    "/api/beta/experience/publish", BEARER, P.SETTINGS_MANAGE, None, "publish",         "Publish the team's draft; refused if there is none.",
          refuses=(NoDraft, VersionMismatch)),
    Route("POST",    "/api/beta/assets",             BEARER, P.SETTINGS_MANAGE, None, "upload",          "Upload a picture or a font for the sign-up page, base64-encoded, at most 2 MiB; it is public at once.",
          limit=ASSET_BODY, refuses=(Conflict, QuotaExceeded, StorageFull)),
    Route("GET",     "/api/beta/assets",             BEARER, P.SETTINGS_MANAGE, None, "list_assets",     "List the team's pictures and fonts, newest first."),
    Route("GET",     "/api/beta/asset/:id",          PUBLIC, None,              None, "asset",           "Return a picture or a font.",
          refuses=(NotFound,)),
    Route("DELETE",  "/api/beta/asset/:id",          BEARER, P.SETTINGS_MANAGE, None, "delete_asset",    "Delete a picture or a font, unless the published page has it.",
          refuses=(Conflict,)),
    Route("GET",     "/api/beta/challenge",            PUBLIC, None,              None, "challenge",       "Return a proof-of-work challenge in the format of ALTCHA, to be solved before a sign-up; it counts for ten minutes, once, and for the page that asked.",
          refuses=_CLOSED, cors=Cors.ANY_ORIGIN),
    Route("POST",    "/api/beta/signup",               PUBLIC, None,              None, "sign_up",         "Sign up with the answers to the form and a solved challenge. The answer is the same for everyone whose form and challenge are valid.",
          refuses=(*_CLOSED, Conflict, RateLimited), cors=Cors.ANY_ORIGIN, limit=MAX_BODY),
    Route("GET",     "/api/beta/prospects",            BEARER, P.SETTINGS_MANAGE, None, "list_prospects",  "List who signed up with the team, newest first, with signals and verdicts; ?numbers=1 adds the numbers of the last 30 days, ?format=csv or Accept: text/csv returns all as CSV.", offers=(JSON, CSV)),
    Route("POST",    "/api/beta/prospects/:id/decide", BEARER, P.SETTINGS_MANAGE, None, "decide",          "Accept or decline a prospect, once. An accepted one becomes a member of the team and gets an activation link, which is shown once.",
          refuses=(AlreadyDecided, Conflict)),
    Route("DELETE",  "/api/beta/prospects/:id",        BEARER, P.SETTINGS_MANAGE, None, "delete_prospect", "Delete all that is known of a prospect; an account that they got stays."),
    Route("POST",    "/api/beta/experience/replay",    BEARER, P.SETTINGS_MANAGE, F.CHAT, "replay",        "Judge the newest judged prospects by other criteria, and return whose verdict would differ; nothing is stored, the calls of the model are charged.",
          refuses=(QuotaExceeded, ExecutorFailed, NoExecutor, ResponseRefused)),
)
# fmt: on

_TEMPLATE_POLICY = (
    "sandbox allow-scripts allow-forms; default-src 'none'; script-src 'self' {base}; style-src 'self' {base} 'unsafe-inline';"
    " img-src 'self' {base} data:; font-src 'self' {base}; connect-src 'self' {base}; worker-src blob:;"
    " base-uri 'none'; frame-ancestors 'self'"
)
_ASSET_HEADERS = {
    "cache-control": "public, max-age=31536000, immutable",
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "content-disposition": "inline",
    "cross-origin-resource-policy": "cross-origin",
}
_VARY = {"vary": "Host, Accept-Language"}


async def sdk() -> Content:
    body, digest = page.script()
    headers = {
        "cache-control": "public, max-age=300",
        "etag": f'"{digest}"',
        "cross-origin-resource-policy": "cross-origin",
    }
    return Content(body, "text/javascript; charset=utf-8", headers)


async def template(
    db: Db, who: Principal, sign_ups: SignUps, settings: Settings, query: PageQuery, languages: list[str]
) -> Content:
    body = await page.render(db, who, sign_ups, [query.locale] if query.locale else languages)
    policy = _TEMPLATE_POLICY.format(base=settings.address)
    headers = {"content-security-policy": policy, "vary": _VARY["vary"], "cache-control": "no-store"}
    return Content(body.encode(), "text/html; charset=utf-8", headers)


async def config(
    db: Db, who: Principal, sign_ups: SignUps, query: PublicQuery, languages: list[str]
) -> Reply[PublicExperience]:
    found = await sign_ups.funnel.effective(db, who.call.host)
    sign_ups.count_visit(who, found, FunnelStep.VIEWS)
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


async def upload(db: Db, files: BlobStore, who: Principal, body: NewAsset) -> Created[Asset]:
    return Created(await assets.create(db, files, who, body))


async def list_assets(db: Db, who: Principal) -> Page[Asset]:
    return Page(await assets.listing(db, who), None)


async def asset(db: Db, files: BlobStore, id: str) -> Content:
    found = await assets.find(db, files, id)
    # A sandboxed page has an origin of its own, and browsers load fonts only with permission.
    fonts = {"access-control-allow-origin": "*"} if found.is_font else {}
    return Content(found.data, found.content_type, {**_ASSET_HEADERS, **fonts})


async def delete_asset(db: Db, who: Principal, id: str) -> None:
    await assets.delete(db, who, id)


async def challenge(db: Db, who: Principal, sign_ups: SignUps, origin: str) -> WorkChallenge:
    return await sign_ups.challenge(db, who, origin)


async def sign_up(
    db: Db, who: Principal, sign_ups: SignUps, body: SignUp, origin: str, languages: list[str]
) -> Accepted[SignedUp]:
    await sign_ups.sign_up(db, who, body, origin, languages)
    return Accepted(SignedUp())


async def list_prospects(db: Db, who: Principal, query: ProspectQuery, accept: str) -> ProspectPage | CsvLines:
    if query.format == "csv" or accept == CSV:
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
