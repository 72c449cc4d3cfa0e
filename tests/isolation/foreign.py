"""Every place of a request that takes an id, and how to fill it with one that the caller must not reach.

What is not yours and what is nobody's must look alike, to the byte.
"""

import base64
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import msgspec

from teamspace import blobs
from teamspace.branding.domain import brand, logos
from teamspace.branding.schemas import NewLogo
from teamspace.core import crypto
from teamspace.core.ids import new_id
from teamspace.core.principal import Call, Principal, system
from teamspace.tenancy.schemas import Role
from tests.branding.help import encoded, picture
from tests.isolation.contract import BY_NAME, DEAD, KINDS, Kind, Place, other_company, other_team
from tests.isolation.outcomes import HIDDEN, OK, STALE_CLAIM, Outcome, invalid
from tests.isolation.stage import Spot, Stage
from tests.isolation.things import Maker
from tests.support.world import PASSWORD

InSpot = Callable[[Stage, Spot], Awaitable[str]]

_sizes = count(1)
"""Of pictures: no two are alike."""


# Whose it is


def abroad(make: InSpot) -> Maker:
    return lambda stage, kind: _once(make, stage, other_company(kind.place))


def next_door(make: InSpot) -> Maker:
    return lambda stage, kind: _once(make, stage, other_team(kind.place))


def here(make: InSpot) -> Maker:
    return lambda stage, kind: _once(make, stage, kind.place)


async def _once(make: InSpot, stage: Stage, place: Place) -> str:
    """One serves everybody, since nobody can do anything to it."""
    key = f"{make.__name__} {place}"
    if key not in stage.things:
        stage.things[key] = await make(stage, stage.spots[place])
    return stage.things[key]


# What it is


async def _team_note(stage: Stage, spot: Spot) -> str:
    return await stage.note(spot, "team")


async def _private_note(stage: Stage, spot: Spot) -> str:
    return await stage.note(spot, "private", owner=await stage.world.person(spot.org, spot.team, Role.GUEST))


async def _team_object(stage: Stage, spot: Spot) -> str:
    return await stage.object(spot, "team")


async def _private_object(stage: Stage, spot: Spot) -> str:
    return await stage.object(spot, "private", owner=await stage.world.person(spot.org, spot.team, Role.GUEST))


async def _writer(stage: Stage, spot: Spot) -> str:
    """Somebody with a note that their team can read."""
    person = await stage.world.person(spot.org, spot.team)
    await stage.note(spot, "team", owner=person)
    return person.user_id


async def _executor(stage: Stage, spot: Spot) -> str:
    return await stage.executor()


async def _job(stage: Stage, spot: Spot) -> str:
    return await stage.job(spot, owner=await stage.world.person(spot.org, spot.team))


async def _author(stage: Stage, spot: Spot) -> str:
    return spot.author.user_id


async def _authors_name(stage: Stage, spot: Spot) -> str:
    return spot.author.username


async def _former_colleague(stage: Stage, spot: Spot) -> str:
    return (await stage.world.person(spot.org, None)).user_id


async def _api_token(stage: Stage, spot: Spot) -> str:
    return await stage.token_id(spot.author)


async def _session(stage: Stage, spot: Spot) -> str:
    return await stage.token_id(await stage.world.session(await stage.world.person(spot.org, spot.team)))


async def _team(stage: Stage, spot: Spot) -> str:
    return spot.team.id


async def _slug(stage: Stage, spot: Spot) -> str:
    return spot.team.slug


async def _event(stage: Stage, spot: Spot) -> str:
    return await stage.event(spot)


async def _actor(stage: Stage, spot: Spot) -> str:
    """Somebody whom the team's trail names."""
    person = await stage.world.person(spot.org, spot.team)
    await stage.event(spot, actor=person)
    return person.user_id


async def _target(stage: Stage, spot: Spot) -> str:
    target = new_id()
    await stage.event(spot, target=target)
    return target


async def _access_key(stage: Stage, spot: Spot) -> str:
    return await stage.access_key(await stage.world.person(spot.org, spot.team))


async def _company(stage: Stage, spot: Spot) -> str:
    return spot.org.id


async def _company_slug(stage: Stage, spot: Spot) -> str:
    return spot.org.slug


async def _spent_link(stage: Stage, spot: Spot) -> str:
    token = await stage.invitation(spot)
    redeemed = await stage.world.anonymous.post("/api/activate", {"token": token, "password": PASSWORD})
    assert redeemed.status_code == 200, redeemed.text
    return token


async def _kept_bytes(stage: Stage, spot: Spot) -> str:
    """The digest of a picture that is nobody's logo."""
    data = picture(size=(3, next(_sizes)))
    return await blobs.store_bytes(stage.world.db, stage.world.app.files, _in_the_name_of(spot), spot.org.id, data)


async def _address_of_kept_bytes(stage: Stage, spot: Spot) -> str:
    return logos.URL_PREFIX + await _kept_bytes(stage, spot)


async def _address_of_logo(stage: Stage, spot: Spot) -> str:
    """Where the company's present logo is."""
    logo = NewLogo(encoded(picture(size=(3, next(_sizes)))))
    who, files = _in_the_name_of(spot), stage.world.app.files
    return (await brand.set_logo(stage.world.db, files, who, spot.org.id, logo)).logo or ""


def _in_the_name_of(spot: Spot) -> Principal:
    return system(Call(while_suspended=True), org_id=spot.org.id)


def cursor(make: Maker) -> Maker:
    async def made(stage: Stage, kind: Kind) -> str:
        return _sealed(await make(stage, kind))

    return made


def ranked(make: Maker) -> Maker:
    """The cursor of a list that stands in the order of points."""

    async def made(stage: Stage, kind: Kind) -> str:
        return _sealed(f"500000/{await make(stage, kind)}")

    return made


async def _somebody_new(stage: Stage, kind: Kind) -> str:
    spot = stage.spots[kind.place]
    return (await stage.world.person(spot.org, spot.team, password=PASSWORD)).username


_ALIVE = tuple(kind for kind in KINDS if kind.credential not in DEAD)
_NOT_OPERATORS = tuple(kind for kind in _ALIVE if "operator" not in kind.roles)
# A credential makes no difference there, and the failures all count against one address.
_ANONYMOUS = (BY_NAME["anonymous"],)


class Slot(msgspec.Struct, frozen=True):
    route: str
    field: str
    foreign: Maker
    """Something real of another company."""
    hidden: Maker | None
    """Something real of the caller's own company that they must not reach; nothing is, where a role spans it."""
    answer: Outcome = HIDDEN
    """What comes of it for whoever the route admits."""
    callers: tuple[Kind, ...] = _ALIVE
    given: dict[str, Any] = {}
    """What the body holds otherwise than in the matrix."""
    counted: str = ""
    """The table in which a refusal leaves a count."""

    @property
    def place(self) -> str:
        """How a path shows the field."""
        return f":{self.field}"

    @property
    def in_path(self) -> bool:
        return self.place in self.route


# fmt: off
_WRONG     = Outcome(401, "invalid_credentials")
_NOT_THIS  = invalid("/logo")
_NEW       = {"username": _somebody_new}
_TAKE_BACK = {"permission": None}
_RETRY     = {"kind": None, "input": None}
_LEGACY    = {"principal_type": None, "principal_id": None}
_GUESS     = {"password": "not the right one"}

SLOTS = (
    #    route                              field       another company's                  hidden in one's own                answer
    Slot("GET /api/notes/:id",              "id",       abroad(_team_note),                here(_private_note)),
    Slot("PUT /api/notes/:id",              "id",       abroad(_team_note),                here(_private_note)),
    Slot("DELETE /api/notes/:id",           "id",       abroad(_team_note),                here(_private_note)),
    Slot("POST /api/notes/:id/share",       "id",       abroad(_team_note),                here(_private_note)),
    Slot("POST /api/notes/:id/share",       "user_id",  abroad(_author),                   here(_former_colleague)),
    Slot("POST /api/notes/:id/share",       "user_id",  abroad(_author),                   here(_former_colleague),           OK, given=_TAKE_BACK),
    Slot("GET /api/notes",                  "owner",    abroad(_writer),                   next_door(_writer),                OK),
    Slot("GET /api/notes",                  "cursor",   cursor(abroad(_team_note)),        cursor(here(_private_note)),       OK),
    Slot("GET /api/documents/:id",          "id",       abroad(_team_object),              here(_private_object)),
    Slot("PUT /api/documents/:id",          "id",       abroad(_team_object),              here(_private_object)),
    Slot("DELETE /api/documents/:id",       "id",       abroad(_team_object),              here(_private_object)),
    Slot("GET /api/documents",              "cursor",   cursor(abroad(_team_object)),      cursor(here(_private_object)),     OK),
    Slot("GET /api/repo",                   "cursor",   cursor(abroad(_team_object)),      cursor(here(_private_object)),     OK),
    Slot("GET /api/repo-obj/:id",           "id",       abroad(_team_object),              here(_private_object)),
    Slot("DELETE /api/repo-obj/:id",        "id",       abroad(_team_object),              here(_private_object)),
    Slot("GET /api/repo-obj/:id/content",   "id",       abroad(_team_object),              here(_private_object)),
    Slot("POST /api/repo-obj/:id/presign",  "id",       abroad(_team_object),              here(_private_object)),
    Slot("POST /api/repo-obj/:id/share",    "id",       abroad(_team_object),              here(_private_object)),
    Slot("POST /api/repo-obj/:id/share",    "principal_id", abroad(_author),               here(_former_colleague)),
    Slot("POST /api/repo-obj/:id/share",    "user_id",  abroad(_author),                   here(_former_colleague),           given=_LEGACY),
    Slot("POST /api/repo-obj/:id/unshare",  "id",       abroad(_team_object),              here(_private_object)),
    Slot("POST /api/repo-obj/:id/unshare",  "principal_id", abroad(_author),               here(_former_colleague),           OK),
    Slot("POST /api/repo-obj/:id/unshare",  "user_id",  abroad(_author),                   here(_former_colleague),           OK, given=_LEGACY),
    Slot("GET /api/repo-obj/:id/grants",    "id",       abroad(_team_object),              here(_private_object)),
    Slot("GET /api/repo-obj/:id/grants?effective=1", "cursor", cursor(abroad(_author)),    None,                              OK),
    Slot("POST /api/repo-obj/:id/visibility", "id",     abroad(_team_object),              here(_private_object)),
    Slot("GET /api/repo-obj/:id/derivations", "id",     abroad(_team_object),              here(_private_object)),
    Slot("GET /api/repo-obj/:id/processing", "id",      abroad(_team_object),              here(_private_object)),
    Slot("GET /api/search?q=isolation",     "cursor",   ranked(abroad(_team_note)),        ranked(here(_private_note)),       OK),
    Slot("GET /api/members",                "cursor",   cursor(abroad(_author)),           cursor(next_door(_author)),        OK),
    Slot("GET /api/members?scope=org",      "cursor",   cursor(abroad(_author)),           None,                              OK),
    Slot("PATCH /api/members/:id",          "id",       abroad(_author),                   next_door(_author)),
    Slot("DELETE /api/members/:id",         "id",       abroad(_author),                   next_door(_author)),
    Slot("GET /api/tokens",                 "cursor",   cursor(abroad(_api_token)),        cursor(next_door(_api_token)),     OK),
    Slot("DELETE /api/tokens/:id",          "id",       abroad(_api_token),                next_door(_api_token)),
    Slot("DELETE /api/tokens/:id",          "id",       abroad(_session),                  here(_session)),
    Slot("DELETE /api/s3/credentials/:id",  "id",       abroad(_access_key),               here(_access_key)),
    Slot("DELETE /api/tokens/:id",          "id",       abroad(_access_key),               here(_access_key)),
    Slot("DELETE /api/sessions/:id",        "id",       abroad(_session),                  here(_session)),
    Slot("DELETE /api/sessions/:id",        "id",       abroad(_api_token),                here(_api_token)),
    Slot("POST /api/members/:id/transfer",  "id",       abroad(_author),                   next_door(_author)),
    Slot("POST /api/members/:id/transfer",  "to",       abroad(_author),                   next_door(_author)),
    Slot("PATCH /api/admin/users/:id",      "id",       abroad(_author),                   here(_author),                     callers=_NOT_OPERATORS),
    Slot("DELETE /api/admin/users/:id/2fa", "id",       abroad(_author),                   here(_author),                     callers=_NOT_OPERATORS),
    Slot("POST /api/profile",               "team_id",  abroad(_team),                     next_door(_team)),
    Slot("POST /api/login",                 "team",     abroad(_team),                     next_door(_team),                  HIDDEN, _ANONYMOUS, _NEW, "login_attempts"),
    Slot("POST /api/login",                 "team",     abroad(_slug),                     next_door(_slug),                  HIDDEN, _ANONYMOUS, _NEW, "login_attempts"),
    Slot("POST /api/login",                 "username", abroad(_authors_name),             here(_authors_name),               _WRONG, _ANONYMOUS, _GUESS, "login_attempts"),
    Slot("POST /api/activate",              "token",    abroad(_spent_link),               here(_spent_link),                 _WRONG),

    Slot("GET /api/jobs/:id",               "id",       abroad(_job),                      next_door(_job)),
    Slot("POST /api/jobs/:id/cancel",       "id",       abroad(_job),                      next_door(_job)),
    Slot("POST /api/jobs",                  "retry_of", abroad(_job),                      next_door(_job),                   given=_RETRY),
    Slot("GET /api/jobs",                   "cursor",   cursor(abroad(_job)),              cursor(next_door(_job)),           OK),
    Slot("DELETE /api/executors/:id",       "id",       abroad(_executor),                 None,                              callers=_NOT_OPERATORS),
    Slot("POST /api/workers/jobs/:id/heartbeat", "id",  abroad(_job),                      here(_job),                        STALE_CLAIM),
    Slot("POST /api/workers/jobs/:id/complete",  "id",  abroad(_job),                      here(_job),                        STALE_CLAIM),
    Slot("POST /api/workers/jobs/:id/fail",      "id",  abroad(_job),                      here(_job),                        STALE_CLAIM),

    Slot("GET /api/branding",               "logo",     abroad(_kept_bytes),               here(_kept_bytes)),
    Slot("PUT /api/branding",               "logo",     abroad(_address_of_logo),          here(_address_of_kept_bytes),      _NOT_THIS),
    Slot("PUT /api/org/branding",           "logo",     abroad(_address_of_logo),          here(_address_of_kept_bytes),      _NOT_THIS),

    Slot("GET /api/org/teams",              "cursor",   cursor(abroad(_team)),             None,                              OK),
    Slot("POST /api/org/members",           "team_id",  abroad(_team),                     None),
    Slot("PATCH /api/org/members/:id",      "id",       abroad(_author),                   None),

    Slot("GET /api/audit",                  "actor",    abroad(_actor),                    next_door(_actor),                 OK),
    Slot("GET /api/audit",                  "target",   abroad(_target),                   next_door(_target),                OK),
    Slot("GET /api/audit",                  "cursor",   cursor(abroad(_event)),            cursor(next_door(_event)),         OK),
    Slot("GET /api/audit?scope=instance",   "actor",    abroad(_actor),                    here(_actor),                      OK),
    Slot("GET /api/audit?scope=instance",   "target",   abroad(_target),                   here(_target),                     OK),
    Slot("GET /api/audit?format=jsonl",     "actor",    abroad(_actor),                    next_door(_actor),                 OK),
    Slot("GET /api/audit?format=jsonl",     "target",   abroad(_target),                   next_door(_target),                OK),
    Slot("GET /api/org/audit",              "actor",    abroad(_actor),                    None,                              OK),
    Slot("GET /api/org/audit",              "target",   abroad(_target),                   None,                              OK),
    Slot("GET /api/org/audit",              "cursor",   cursor(abroad(_event)),            None,                              OK),
    Slot("GET /api/org/audit?format=jsonl", "actor",    abroad(_actor),                    None,                              OK),
    Slot("GET /api/org/audit?format=jsonl", "target",   abroad(_target),                   None,                              OK),

    # An operator reaches every company: see test_planes.
    Slot("GET /api/orgs",                   "cursor",   cursor(abroad(_company)),          cursor(here(_company)),            callers=_NOT_OPERATORS),
    Slot("GET /api/orgs/:ref",              "ref",      abroad(_company),                  here(_company),                    callers=_NOT_OPERATORS),
    Slot("GET /api/orgs/:ref",              "ref",      abroad(_company_slug),             here(_company_slug),               callers=_NOT_OPERATORS),
    Slot("PATCH /api/orgs/:ref",            "ref",      abroad(_company),                  here(_company_slug),               callers=_NOT_OPERATORS),
    Slot("POST /api/orgs/:ref/suspend",     "ref",      abroad(_company),                  here(_company_slug),               callers=_NOT_OPERATORS),
    Slot("POST /api/orgs/:ref/resume",      "ref",      abroad(_company),                  here(_company_slug),               callers=_NOT_OPERATORS),
    Slot("POST /api/orgs/:ref/quota",       "ref",      abroad(_company),                  here(_company_slug),               callers=_NOT_OPERATORS),
)

# The fields of bodies and queries that name nothing which exists already; where a name means that on one route
# only, the route is said. A username to add is one: that another company has it is told, by the contract's 409.
# So is a slug or a hostname to take.
NOT_IDS = frozenset({
    "password", "totp", "current_password", "new_password", "confirm", "code",
    "display_name", "email", "locale", "role", "org_role", "name", "scope", "ttl",
    "title", "body", "visibility", "tags", "tag", "shared", "permission", "limit",
    "tagline", "theme", "data", "content_type", "filename",
    "plan", "dimension", "window", "enabled", "disabled", "slug", "domain",
    "kind", "input", "run_at", "priority", "state", "prompt", "mode", "model", "capabilities", "kinds", "models", "url", "key",
    "max_wait", "claim_token", "progress", "message", "result", "error", "POST /api/executors org_id",
    "prefix", "delimiter", "version", "method", "expires_in", "download", "effective", "q", "principal_type", "capability", "expires_at",
    "GET /api/repo-obj/:id cursor",
    "action", "since", "until", "types", "format", "history", "spenders",
    "POST /api/bootstrap username", "POST /api/bootstrap org", "POST /api/bootstrap team",
    "POST /api/provision username", "POST /api/provision org", "POST /api/provision team",
    "POST /api/orgs owner.username", "POST /api/orgs team",
    "POST /api/members username", "POST /api/org/members username",
    "GET /app/*page page", "GET /assets/*path path",
})
# fmt: on


def stranger(slot: Slot, value: str) -> str:
    """What nobody has, and as like to `value` as can be."""
    if slot.field == "token":
        return crypto.new_token("v")
    return _sealed(_beside(_opened(value))) if slot.field == "cursor" else _beside(value)


def _beside(value: str) -> str:
    """An id of the same moment, so that even a cursor takes both to the same place."""
    return value[:-12] + new_id()[-12:]


def _sealed(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _opened(cursor: str) -> str:
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
