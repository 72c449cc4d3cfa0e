"""Every request field that takes an id, and how to fill it with one that the caller must not reach.

The responses for an id of someone else and for an unknown id must be equal, byte for byte.
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
from tests.isolation.contract import BY_NAME, INVALID, KINDS, Kind, TeamName, other_company, other_team
from tests.isolation.outcomes import HIDDEN, OK, STALE_CLAIM, Outcome, invalid
from tests.isolation.stage import Stage, TeamSetup
from tests.isolation.targets import Maker
from tests.support.world import PASSWORD

MakeInTeam = Callable[[Stage, TeamSetup], Awaitable[str]]

_sizes = count(1)
"""Sizes of pictures, so that no two are equal."""


# Where it is


def in_other_company(make: MakeInTeam) -> Maker:
    return lambda stage, kind: _make_once(make, stage, other_company(kind.team))


def in_other_team(make: MakeInTeam) -> Maker:
    return lambda stage, kind: _make_once(make, stage, other_team(kind.team))


def in_own_team(make: MakeInTeam) -> Maker:
    return lambda stage, kind: _make_once(make, stage, kind.team)


async def _make_once(make: MakeInTeam, stage: Stage, team: TeamName) -> str:
    """Make it once per team; all callers share it, since none can change it."""
    key = f"{make.__name__} {team}"
    if key not in stage.made_once:
        stage.made_once[key] = await make(stage, stage.teams[team])
    return stage.made_once[key]


# What it is


async def _team_note(stage: Stage, setup: TeamSetup) -> str:
    return await stage.note(setup, "team")


async def _private_note(stage: Stage, setup: TeamSetup) -> str:
    return await stage.note(setup, "private", owner=await stage.world.person(setup.org, setup.team, Role.GUEST))


async def _trashed_team_note(stage: Stage, setup: TeamSetup) -> str:
    return await stage.put_in_trash(await _team_note(stage, setup))


async def _trashed_note(stage: Stage, setup: TeamSetup) -> str:
    return await stage.put_in_trash(await _private_note(stage, setup))


async def _conversation(stage: Stage, setup: TeamSetup) -> str:
    return await stage.conversation(setup, owner=await stage.world.person(setup.org, setup.team))


async def _stream(stage: Stage, setup: TeamSetup) -> str:
    person, id = await stage.world.person(setup.org, setup.team), new_id()
    async with stage.world.db.maintenance(system()) as tx:
        await tx.run(
            "INSERT INTO streams (id, org_id, team_id, owner_id, saved, ended, expires_at)"
            " VALUES (:id, :org_id, :team_id, :owner_id, 0, FALSE, :expires_at)",
            id=id, org_id=setup.org.id, team_id=setup.team.id, owner_id=person.user_id, expires_at="9999-01-01T00:00:00.000Z",
        )  # fmt: skip
    return id


async def _agent_run(stage: Stage, setup: TeamSetup) -> str:
    person, id = await stage.world.person(setup.org, setup.team), new_id()
    async with stage.world.db.maintenance(system()) as tx:
        await tx.run(
            "INSERT INTO agent_steps (run_id, number, org_id, team_id, user_id, kind, data)"
            " VALUES (:id, 1, :org_id, :team_id, :user_id, 'model', '{}')",
            id=id, org_id=setup.org.id, team_id=setup.team.id, user_id=person.user_id,
        )  # fmt: skip
    return id


async def _team_object(stage: Stage, setup: TeamSetup) -> str:
    return await stage.object(setup, "team")


async def _private_object(stage: Stage, setup: TeamSetup) -> str:
    return await stage.object(setup, "private", owner=await stage.world.person(setup.org, setup.team, Role.GUEST))


async def _upload(stage: Stage, setup: TeamSetup) -> str:
    return await stage.upload(setup, await stage.world.person(setup.org, setup.team, Role.MEMBER))


async def _team_entity(stage: Stage, setup: TeamSetup) -> str:
    return await stage.entity(setup, "team")


async def _private_entity(stage: Stage, setup: TeamSetup) -> str:
    return await stage.entity(setup, "private", owner=await stage.world.person(setup.org, setup.team, Role.GUEST))


async def _writer(stage: Stage, setup: TeamSetup) -> str:
    """A person with a note that their team can read."""
    person = await stage.world.person(setup.org, setup.team)
    await stage.note(setup, "team", owner=person)
    return person.user_id


async def _executor(stage: Stage, setup: TeamSetup) -> str:
    return await stage.executor()


async def _job(stage: Stage, setup: TeamSetup) -> str:
    return await stage.job(setup, owner=await stage.world.person(setup.org, setup.team))


async def _run(stage: Stage, setup: TeamSetup) -> str:
    return await stage.run(setup, owner=await stage.world.person(setup.org, setup.team))


async def _translation(stage: Stage, setup: TeamSetup) -> str:
    return await stage.translation(setup, await stage.world.person(setup.org, setup.team))


async def _link(stage: Stage, setup: TeamSetup) -> str:
    link_id, _ = await stage.link(setup, await stage.object(setup, "private"))
    return link_id


async def _asset(stage: Stage, setup: TeamSetup) -> str:
    return await stage.asset(setup)


async def _prospect(stage: Stage, setup: TeamSetup) -> str:
    return await stage.prospect(setup)


async def _trigger(stage: Stage, setup: TeamSetup) -> str:
    return await stage.trigger(setup)


async def _published(stage: Stage, setup: TeamSetup) -> str:
    return await stage.published(setup)


async def _author(stage: Stage, setup: TeamSetup) -> str:
    return setup.author.user_id


async def _author_username(stage: Stage, setup: TeamSetup) -> str:
    return setup.author.username


async def _former_colleague(stage: Stage, setup: TeamSetup) -> str:
    return (await stage.world.person(setup.org, None)).user_id


async def _api_token(stage: Stage, setup: TeamSetup) -> str:
    return await stage.token_id(setup.author)


async def _session(stage: Stage, setup: TeamSetup) -> str:
    return await stage.token_id(await stage.world.session(await stage.world.person(setup.org, setup.team)))


async def _team(stage: Stage, setup: TeamSetup) -> str:
    return setup.team.id


async def _slug(stage: Stage, setup: TeamSetup) -> str:
    return setup.team.slug


async def _event(stage: Stage, setup: TeamSetup) -> str:
    return await stage.event(setup)


async def _actor(stage: Stage, setup: TeamSetup) -> str:
    """A person who is named in the team's audit log."""
    person = await stage.world.person(setup.org, setup.team)
    await stage.event(setup, actor=person)
    return person.user_id


async def _target(stage: Stage, setup: TeamSetup) -> str:
    target = new_id()
    await stage.event(setup, target=target)
    return target


async def _access_key(stage: Stage, setup: TeamSetup) -> str:
    return await stage.access_key(await stage.world.person(setup.org, setup.team))


async def _company(stage: Stage, setup: TeamSetup) -> str:
    return setup.org.id


async def _company_slug(stage: Stage, setup: TeamSetup) -> str:
    return setup.org.slug


async def _used_link(stage: Stage, setup: TeamSetup) -> str:
    token = await stage.invitation(setup)
    redeemed = await stage.world.anonymous.post("/api/activate", {"token": token, "password": PASSWORD})
    assert redeemed.status_code == 200, redeemed.text
    return token


async def _unused_picture(stage: Stage, setup: TeamSetup) -> str:
    """The digest of a stored picture that is not used as a logo."""
    data = picture(size=(3, next(_sizes)))
    return await blobs.store_bytes(stage.world.db, stage.world.app.files, _principal_of(setup), setup.org.id, data)


async def _unused_picture_url(stage: Stage, setup: TeamSetup) -> str:
    return logos.URL_PREFIX + await _unused_picture(stage, setup)


async def _logo_url(stage: Stage, setup: TeamSetup) -> str:
    """The URL of the company's current logo."""
    logo = NewLogo(encoded(picture(size=(3, next(_sizes)))))
    who, files = _principal_of(setup), stage.world.app.files
    return (await brand.set_logo(stage.world.db, files, who, setup.org.id, logo)).logo or ""


def _principal_of(setup: TeamSetup) -> Principal:
    return system(Call(while_suspended=True), org_id=setup.org.id)


def cursor(make: Maker) -> Maker:
    async def made(stage: Stage, kind: Kind) -> str:
        return _encode_cursor(await make(stage, kind))

    return made


def ranked_cursor(make: Maker) -> Maker:
    """The cursor of a list that is ordered by score."""

    async def made(stage: Stage, kind: Kind) -> str:
        return _encode_cursor(f"500000/{await make(stage, kind)}")

    return made


def timed_cursor(make: Maker) -> Maker:
    """The cursor of a list that is ordered by time."""

    async def made(stage: Stage, kind: Kind) -> str:
        return _encode_cursor(f"9999-01-01T00:00:00.000Z/{await make(stage, kind)}")

    return made


def as_target(make: Maker) -> Maker:
    """A note, as what a text refers to."""

    async def made(stage: Stage, kind: Kind) -> str:
        return f"note:{await make(stage, kind)}"

    return made


async def _new_username(stage: Stage, kind: Kind) -> str:
    setup = stage.teams[kind.team]
    return (await stage.world.person(setup.org, setup.team, password=PASSWORD)).username


_ALIVE = tuple(kind for kind in KINDS if kind.credential not in INVALID)
_NOT_OPERATORS = tuple(kind for kind in _ALIVE if "operator" not in kind.roles)
# A credential makes no difference to sign-in, and all failures count against one address.
_ANONYMOUS = (BY_NAME["anonymous"],)


class Slot(msgspec.Struct, frozen=True):
    route: str
    field: str
    foreign: Maker
    """Makes something in another company."""
    hidden: Maker | None
    """Makes something in the caller's own company that they must not reach; None where a role reaches all of it."""
    answer: Outcome = HIDDEN
    """The outcome for callers that the route admits."""
    callers: tuple[Kind, ...] = _ALIVE
    body: dict[str, Any] = {}
    """Fields of the body that differ from the matrix."""
    counted: str = ""
    """The table in which a refusal is counted."""

    @property
    def placeholder(self) -> str:
        """The field as a path parameter."""
        return f":{self.field}"

    @property
    def in_path(self) -> bool:
        return self.placeholder in self.route


# fmt: off
_BAD_LOGIN = Outcome(401, "invalid_credentials")
_BAD_LOGO  = invalid("/logo")
_NO_WORKFLOW = invalid("/workflow_slug")
_NEW_USER  = {"username": _new_username}
_UNSHARE   = {"permission": None}
_RETRY     = {"kind": None, "input": None}
_PERSON    = {"user_id": None, "principal_type": "user"}
_TO_TEAM   = {"user_id": None, "principal_type": "team"}
_LEGACY    = {"principal_type": None, "principal_id": None}
_GUESS     = {"password": "not the right one"}

SLOTS = (
    #    route                                   field       in another company                           hidden in the own company                  answer
    Slot("GET /api/notes/:id",                   "id",       in_other_company(_team_note),                in_own_team(_private_note)),
    Slot("PUT /api/notes/:id",                   "id",       in_other_company(_team_note),                in_own_team(_private_note)),
    Slot("DELETE /api/notes/:id",                "id",       in_other_company(_team_note),                in_own_team(_private_note)),
    Slot("POST /api/notes/:id/share",            "id",       in_other_company(_team_note),                in_own_team(_private_note)),
    Slot("POST /api/notes/:id/share",            "user_id",  in_other_company(_author),                   in_own_team(_former_colleague)),
    Slot("POST /api/notes/:id/share",            "user_id",  in_other_company(_author),                   in_own_team(_former_colleague),            OK, body=_UNSHARE),
    Slot("POST /api/notes/:id/share",            "principal_id", in_other_company(_author),               in_own_team(_former_colleague),            body=_PERSON),
    Slot("POST /api/notes/:id/share",            "principal_id", in_other_company(_team),                 None,                                      body=_TO_TEAM),
    Slot("GET /api/notes/:id/grants",            "id",       in_other_company(_team_note),                in_own_team(_private_note)),
    Slot("GET /api/notes/:id/grants?effective=1", "cursor",  cursor(in_other_company(_author)),           None,                                      OK),
    Slot("GET /api/notes",                       "owner",    in_other_company(_writer),                   in_other_team(_writer),                    OK),
    Slot("GET /api/notes",                       "cursor",   cursor(in_other_company(_team_note)),        cursor(in_own_team(_private_note)),        OK),
    Slot("POST /api/trash/:id/restore",          "id",       in_other_company(_trashed_team_note),        in_own_team(_trashed_note)),
    Slot("DELETE /api/trash/:id",                "id",       in_other_company(_trashed_team_note),        in_own_team(_trashed_note)),
    Slot("GET /api/trash",                       "cursor",   timed_cursor(in_other_company(_trashed_team_note)), timed_cursor(in_own_team(_trashed_note)), OK),
    Slot("GET /api/conversations/:id",           "id",       in_other_company(_conversation),             in_own_team(_conversation)),
    Slot("PATCH /api/conversations/:id",         "id",       in_other_company(_conversation),             in_own_team(_conversation)),
    Slot("DELETE /api/conversations/:id",        "id",       in_other_company(_conversation),             in_own_team(_conversation)),
    Slot("POST /api/conversations/:id/share",    "id",       in_other_company(_conversation),             in_own_team(_conversation)),
    Slot("POST /api/conversations/:id/share",    "user_id",  in_other_company(_author),                   in_own_team(_former_colleague)),
    Slot("POST /api/conversations/:id/share",    "user_id",  in_other_company(_author),                   in_own_team(_former_colleague),            OK, body=_UNSHARE),
    Slot("POST /api/conversations/:id/share",    "principal_id", in_other_company(_author),               in_own_team(_former_colleague),            body=_PERSON),
    Slot("POST /api/conversations/:id/share",    "principal_id", in_other_company(_team),                 None,                                      body=_TO_TEAM),
    Slot("GET /api/conversations/:id/grants",    "id",       in_other_company(_conversation),             in_own_team(_conversation)),
    Slot("GET /api/conversations/:id/grants?effective=1", "cursor", cursor(in_other_company(_author)),    None,                                      OK),
    Slot("GET /api/conversations",               "cursor",   timed_cursor(in_other_company(_conversation)), timed_cursor(in_own_team(_conversation)), OK),
    Slot("POST /api/ai/chat",                    "conversation_id", in_other_company(_conversation),      in_own_team(_conversation)),
    Slot("POST /api/ai/chat/stream",             "conversation_id", in_other_company(_conversation),      in_own_team(_conversation)),
    Slot("DELETE /api/ai/chat/stream/:id",       "id",       in_other_company(_stream),                   in_own_team(_stream)),
    Slot("POST /api/agent",                      "conversation_id", in_other_company(_conversation),      in_own_team(_conversation)),
    Slot("POST /api/agent",                      "resume_from", in_other_company(_agent_run),             in_own_team(_agent_run)),
    Slot("GET /api/documents/:id",               "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("PUT /api/documents/:id",               "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("DELETE /api/documents/:id",            "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("GET /api/documents",                   "cursor",   cursor(in_other_company(_team_object)),      cursor(in_own_team(_private_object)),      OK),
    Slot("PATCH /api/repo-obj/:id/versions/:number", "id",   in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("GET /api/references",                  "to",       as_target(in_other_company(_team_note)),     as_target(in_own_team(_private_note))),
    Slot("GET /api/mentions",                    "cursor",   cursor(in_other_company(_team_note)),        cursor(in_own_team(_private_note)),        OK),
    Slot("GET /api/activity",                    "cursor",   cursor(in_other_company(_team_note)),        cursor(in_own_team(_private_note)),        OK),
    Slot("GET /api/shared",                      "cursor",   timed_cursor(in_other_company(_team_note)),  timed_cursor(in_own_team(_private_note)),  OK),
    Slot("PUT /api/presence/:kind/:id",          "id",       in_other_company(_team_note),                in_own_team(_private_note)),
    Slot("DELETE /api/presence/:kind/:id",       "id",       in_other_company(_team_note),                in_own_team(_private_note)),
    Slot("GET /api/repo",                        "cursor",   cursor(in_other_company(_team_object)),      cursor(in_own_team(_private_object)),      OK),
    Slot("GET /api/repo-obj/:id",                "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("DELETE /api/repo-obj/:id",             "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("GET /api/repo-obj/:id/content",        "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("GET /api/repo-obj/:id/thumbnail",      "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("GET /api/repo-obj/:id/address",        "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("POST /api/repo-obj/:id/presign",       "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("POST /api/repo-obj/:id/share",         "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("POST /api/repo-obj/:id/share",         "principal_id", in_other_company(_author),               in_own_team(_former_colleague)),
    Slot("POST /api/repo-obj/:id/share",         "user_id",  in_other_company(_author),                   in_own_team(_former_colleague),            body=_LEGACY),
    Slot("POST /api/repo-obj/:id/unshare",       "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("POST /api/repo-obj/:id/unshare",       "principal_id", in_other_company(_author),               in_own_team(_former_colleague),            OK),
    Slot("POST /api/repo-obj/:id/unshare",       "user_id",  in_other_company(_author),                   in_own_team(_former_colleague),            OK, body=_LEGACY),
    Slot("GET /api/repo-obj/:id/grants",         "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("GET /api/repo-obj/:id/grants?effective=1", "cursor", cursor(in_other_company(_author)),         None,                                      OK),
    Slot("POST /api/repo-obj/:id/visibility",    "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("GET /api/repo-obj/:id/links",          "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("POST /api/repo-obj/:id/links",         "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("PATCH /api/repo-obj/:id/links/:link",  "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("PATCH /api/repo-obj/:id/links/:link",  "link",     in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("GET /api/links",                       "cursor",   cursor(in_other_company(_link)),             cursor(in_other_team(_link)),              OK),
    Slot("GET /api/org/links",                   "cursor",   cursor(in_other_company(_link)),             None,                                      OK),
    Slot("DELETE /api/links/:id",                "id",       in_other_company(_link),                     None),
    Slot("DELETE /api/org/links/:id",            "id",       in_other_company(_link),                     None),
    Slot("DELETE /api/repo-obj/:id/links/:link", "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("DELETE /api/repo-obj/:id/links/:link", "link",     in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("POST /api/repo-obj/:id/move",          "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("POST /api/repo-obj/:id/copy",          "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("GET /api/repo-obj/:id/derivations",    "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("GET /api/repo-obj/:id/processing",     "id",       in_other_company(_team_object),              in_own_team(_private_object)),
    Slot("GET /api/repo-uploads/:id/parts",      "id",       in_other_company(_upload),                   in_own_team(_upload)),
    Slot("PUT /api/repo-uploads/:id/parts?number=1", "id",   in_other_company(_upload),                   in_own_team(_upload)),
    Slot("POST /api/repo-uploads/:id/complete",  "id",       in_other_company(_upload),                   in_own_team(_upload)),
    Slot("DELETE /api/repo-uploads/:id",         "id",       in_other_company(_upload),                   in_own_team(_upload)),
    Slot("GET /api/beta/prospects",              "cursor",   cursor(in_other_company(_prospect)),         cursor(in_other_team(_prospect)),          OK),
    Slot("DELETE /api/beta/asset/:id",           "id",       in_other_company(_asset),                    in_other_team(_asset)),
    Slot("POST /api/beta/prospects/:id/decide",  "id",       in_other_company(_prospect),                 in_other_team(_prospect)),
    Slot("DELETE /api/beta/prospects/:id",       "id",       in_other_company(_prospect),                 in_other_team(_prospect)),
    Slot("GET /api/doc-triggers/:id",            "id",       in_other_company(_trigger),                  in_other_team(_trigger)),
    Slot("GET /api/doc-triggers/:id",            "cursor",   cursor(in_other_company(_trigger)),          cursor(in_other_team(_trigger)),           OK),
    Slot("PATCH /api/doc-triggers/:id",          "id",       in_other_company(_trigger),                  in_other_team(_trigger)),
    Slot("DELETE /api/doc-triggers/:id",         "id",       in_other_company(_trigger),                  in_other_team(_trigger)),
    Slot("POST /api/doc-triggers",               "workflow_slug", in_other_company(_published),           in_other_team(_published),                 _NO_WORKFLOW),
    Slot("PATCH /api/doc-triggers/:id",          "workflow_slug", in_other_company(_published),           in_other_team(_published),                 _NO_WORKFLOW),
    Slot("GET /api/kg/entities/:id",             "id",       in_other_company(_team_entity),              in_own_team(_private_entity)),
    Slot("POST /api/kg/entities/:id/merge",      "id",       in_other_company(_team_entity),              in_own_team(_private_entity)),
    Slot("POST /api/kg/entities/:id/merge",      "into",     in_other_company(_team_entity),              in_own_team(_private_entity)),
    Slot("POST /api/kg/entities/:id/split",      "id",       in_other_company(_team_entity),              in_own_team(_private_entity)),
    Slot("GET /api/search?q=isolation",          "cursor",   ranked_cursor(in_other_company(_team_note)), ranked_cursor(in_own_team(_private_note)), OK),
    Slot("GET /api/members",                     "cursor",   cursor(in_other_company(_author)),           cursor(in_other_team(_author)),            OK),
    Slot("GET /api/members?scope=org",           "cursor",   cursor(in_other_company(_author)),           None,                                      OK),
    Slot("PATCH /api/members/:id",               "id",       in_other_company(_author),                   in_other_team(_author)),
    Slot("DELETE /api/members/:id",              "id",       in_other_company(_author),                   in_other_team(_author)),
    Slot("GET /api/tokens",                      "cursor",   cursor(in_other_company(_api_token)),        cursor(in_other_team(_api_token)),         OK),
    Slot("DELETE /api/tokens/:id",               "id",       in_other_company(_api_token),                in_other_team(_api_token)),
    Slot("DELETE /api/tokens/:id",               "id",       in_other_company(_session),                  in_own_team(_session)),
    Slot("DELETE /api/s3/credentials/:id",       "id",       in_other_company(_access_key),               in_own_team(_access_key)),
    Slot("DELETE /api/tokens/:id",               "id",       in_other_company(_access_key),               in_own_team(_access_key)),
    Slot("PUT /api/favourites/:kind/:id",        "id",       in_other_company(_team_note),                in_own_team(_private_note)),
    Slot("DELETE /api/favourites/:kind/:id",     "id",       in_other_company(_team_note),                in_own_team(_private_note)),
    Slot("PUT /api/recents/:kind/:id",           "id",       in_other_company(_team_note),                in_own_team(_private_note)),
    Slot("DELETE /api/sessions/:id",             "id",       in_other_company(_session),                  in_own_team(_session)),
    Slot("DELETE /api/sessions/:id",             "id",       in_other_company(_api_token),                in_own_team(_api_token)),
    Slot("POST /api/members/:id/transfer",       "id",       in_other_company(_author),                   in_other_team(_author)),
    Slot("POST /api/members/:id/transfer",       "to",       in_other_company(_author),                   in_other_team(_author)),
    Slot("PATCH /api/admin/users/:id",           "id",       in_other_company(_author),                   in_own_team(_author),                      callers=_NOT_OPERATORS),
    Slot("DELETE /api/admin/users/:id/2fa",      "id",       in_other_company(_author),                   in_own_team(_author),                      callers=_NOT_OPERATORS),
    Slot("POST /api/profile",                    "team_id",  in_other_company(_team),                     in_other_team(_team)),
    Slot("POST /api/login",                      "team",     in_other_company(_team),                     in_other_team(_team),                      HIDDEN, _ANONYMOUS, _NEW_USER, "login_attempts"),
    Slot("POST /api/login",                      "team",     in_other_company(_slug),                     in_other_team(_slug),                      HIDDEN, _ANONYMOUS, _NEW_USER, "login_attempts"),
    Slot("POST /api/login",                      "username", in_other_company(_author_username),          in_own_team(_author_username),             _BAD_LOGIN, _ANONYMOUS, _GUESS, "login_attempts"),
    Slot("POST /api/activate",                   "token",    in_other_company(_used_link),                in_own_team(_used_link),                   _BAD_LOGIN),

    Slot("GET /api/jobs/:id",                    "id",       in_other_company(_job),                      in_other_team(_job)),
    Slot("POST /api/jobs/:id/cancel",            "id",       in_other_company(_job),                      in_other_team(_job)),
    Slot("POST /api/jobs",                       "retry_of", in_other_company(_job),                      in_other_team(_job),                       body=_RETRY),
    Slot("GET /api/jobs",                        "cursor",   cursor(in_other_company(_job)),              cursor(in_other_team(_job)),               OK),
    Slot("GET /api/runs/:id",                    "id",       in_other_company(_run),                      in_other_team(_run)),
    Slot("POST /api/runs/:id/cancel",            "id",       in_other_company(_run),                      in_other_team(_run)),
    Slot("GET /api/runs",                        "cursor",   cursor(in_other_company(_run)),              cursor(in_other_team(_run)),               OK),
    Slot("GET /api/runs",                        "object",   in_other_company(_team_object),              in_own_team(_private_object),              OK),
    Slot("POST /api/workflows/:slug/run",        "resume_from", in_other_company(_run),                   in_other_team(_run)),
    Slot("GET /api/translate",                   "cursor",   cursor(in_other_company(_translation)),      cursor(in_own_team(_translation)),         OK),
    Slot("DELETE /api/executors/:id",            "id",       in_other_company(_executor),                 None,                                      callers=_NOT_OPERATORS),
    Slot("POST /api/workers/jobs/:id/heartbeat", "id",       in_other_company(_job),                      in_own_team(_job),                         STALE_CLAIM),
    Slot("POST /api/workers/jobs/:id/complete",  "id",       in_other_company(_job),                      in_own_team(_job),                         STALE_CLAIM),
    Slot("POST /api/workers/jobs/:id/fail",      "id",       in_other_company(_job),                      in_own_team(_job),                         STALE_CLAIM),

    Slot("GET /api/branding",                    "logo",     in_other_company(_unused_picture),           in_own_team(_unused_picture)),
    Slot("PUT /api/branding",                    "logo",     in_other_company(_logo_url),                 in_own_team(_unused_picture_url),          _BAD_LOGO),
    Slot("PUT /api/org/branding",                "logo",     in_other_company(_logo_url),                 in_own_team(_unused_picture_url),          _BAD_LOGO),

    Slot("GET /api/org/teams",                   "cursor",   cursor(in_other_company(_team)),             None,                                      OK),
    Slot("POST /api/org/members",                "team_id",  in_other_company(_team),                     None),
    Slot("PATCH /api/org/members/:id",           "id",       in_other_company(_author),                   None),

    Slot("GET /api/audit",                       "actor",    in_other_company(_actor),                    in_other_team(_actor),                     OK),
    Slot("GET /api/audit",                       "target",   in_other_company(_target),                   in_other_team(_target),                    OK),
    Slot("GET /api/audit",                       "cursor",   cursor(in_other_company(_event)),            cursor(in_other_team(_event)),             OK),
    Slot("GET /api/audit?scope=instance",        "actor",    in_other_company(_actor),                    in_own_team(_actor),                       OK),
    Slot("GET /api/audit?scope=instance",        "target",   in_other_company(_target),                   in_own_team(_target),                      OK),
    Slot("GET /api/audit?format=jsonl",          "actor",    in_other_company(_actor),                    in_other_team(_actor),                     OK),
    Slot("GET /api/audit?format=jsonl",          "target",   in_other_company(_target),                   in_other_team(_target),                    OK),
    Slot("GET /api/org/audit",                   "actor",    in_other_company(_actor),                    None,                                      OK),
    Slot("GET /api/org/audit",                   "target",   in_other_company(_target),                   None,                                      OK),
    Slot("GET /api/org/audit",                   "cursor",   cursor(in_other_company(_event)),            None,                                      OK),
    Slot("GET /api/org/audit?format=jsonl",      "actor",    in_other_company(_actor),                    None,                                      OK),
    Slot("GET /api/org/audit?format=jsonl",      "target",   in_other_company(_target),                   None,                                      OK),

    # Operators reach every company: see test_planes.
    Slot("GET /api/orgs",                        "cursor",   cursor(in_other_company(_company)),          cursor(in_own_team(_company)),             callers=_NOT_OPERATORS),
    Slot("GET /api/orgs/:ref",                   "ref",      in_other_company(_company),                  in_own_team(_company),                     callers=_NOT_OPERATORS),
    Slot("GET /api/orgs/:ref",                   "ref",      in_other_company(_company_slug),             in_own_team(_company_slug),                callers=_NOT_OPERATORS),
    Slot("PATCH /api/orgs/:ref",                 "ref",      in_other_company(_company),                  in_own_team(_company_slug),                callers=_NOT_OPERATORS),
    Slot("POST /api/orgs/:ref/suspend",          "ref",      in_other_company(_company),                  in_own_team(_company_slug),                callers=_NOT_OPERATORS),
    Slot("POST /api/orgs/:ref/resume",           "ref",      in_other_company(_company),                  in_own_team(_company_slug),                callers=_NOT_OPERATORS),
    Slot("POST /api/orgs/:ref/quota",            "ref",      in_other_company(_company),                  in_own_team(_company_slug),                callers=_NOT_OPERATORS),
)

# Fields of bodies and queries that are not ids of existing things; with the route where that is true of one route only.
# A new username is one: the contract's 409 does tell that another company has it. So is a new slug or hostname.
NOT_IDS = frozenset({
    "fields", "copy", "judge_prompt", "retention_days", "pow", "decision", "level", "verdict", "numbers", "preview",
    "password", "totp", "stay", "current_password", "new_password", "confirm", "code",
    "display_name", "email", "locale", "time_zone", "preferences", "role", "org_role", "name", "scope", "ttl",
    "title", "body", "visibility", "tags", "tag", "shared", "permission", "limit",
    "tagline", "theme", "data", "content_type", "filename", "number", "size", "GET /api/repo-uploads/:id/parts cursor",
    "plan", "dimension", "window", "enabled", "pin", "disabled", "slug", "domain",
    "kind", "input", "run_at", "priority", "state", "prompt", "mode", "model", "capabilities", "kinds", "models", "url", "key",
    "max_wait", "claim_token", "progress", "message", "result", "error", "usage", "replace", "POST /api/executors org_id",
    "prefix", "delimiter", "version", "method", "expires_in", "download", "as_", "effective", "q", "principal_type", "capability", "expires_at",
    "editing", "GET /api/references cursor",
    "GET /api/repo-obj/:id cursor", "GET /api/beta/asset/:id id",  # public
    "GET /s/:token token", "POST /s/:token token", "GET /s/:token/content token", "view",  # public: see tests/links
    "facts", "POST /api/repo-zip ids", "POST /api/repo-zip prefixes",  # see tests/repository/test_zip.py
    "POST /api/repo-zip/list ids", "POST /api/repo-zip/list prefixes",  # see tests/repository/test_addresses.py
    "GET /api/repo-media/:address address",  # public: see the same
    "system", "messages", "executor", "max_tokens", "temperature", "response_format", "tools", "tool_choice", "max_rounds",
    "parent_id", "regenerate",  # turns of a conversation that the caller can continue
    "audio", "function_call", "functions", "logprobs", "max_completion_tokens", "modalities", "n", "parallel_tool_calls",
    "stop", "stream", "stream_options", "web_search_options",
    "PUT /api/model-roles roles.chat", "PUT /api/model-roles roles.utility",  # names of executors: see tests/executors
    "match_prefix", "match_types", "fire_on_derived",
    "text", "catalog", "source", "dry_run", "term", "translation", "note", "forbidden",
    "POST /api/translate target", "POST /api/translate/catalog target", "POST /api/glossary target", "GET /api/glossary target",
    "GET /api/glossary cursor",  # a language and a term
    "GET /api/kg/entities cursor", "GET /api/kg/entities/:id cursor",  # a name or a time, and an id to go on after
    "GET /api/kg/entities type",
    "POST /api/kg/entities/:id/split mentions",  # of an entity that the caller sees: see tests/knowledge
    "action", "since", "until", "types", "format", "history", "spenders", "days", "metric",
    "POST /api/bootstrap username", "POST /api/bootstrap org", "POST /api/bootstrap team",
    "POST /api/provision username", "POST /api/provision org", "POST /api/provision team",
    "POST /api/orgs owner.username", "POST /api/orgs team",
    "POST /api/members username", "POST /api/org/members username",
    "jsonrpc", "POST /mcp id", "params",  # ids in `params`: see tests/mcp
    "GET /app/*page page", "GET /assets/*path path",
    "PUT /api/oop/:id/grants id",  # a plugin of the instance
    "GET /api/x/:plugin/bundle/*path plugin", "GET /api/x/:plugin/bundle/*path path",
    "validate", "start", "max_steps", "steps",
    "GET /api/workflows cursor",  # a slug
    # Messages of the instance, the same for everyone.
    "GET /api/l10n/messages id", "GET /api/l10n/messages around", "GET /api/l10n/messages cursor",
    "PUT /api/l10n/messages/:id id", "POST /api/l10n/review/:id id", "submitted_at", "updated_at", "status", "ns", "review", "reviewable",
    "default_locale", "switching", "drafts",
    "GET /beta/bundle/:plugin/*path plugin", "GET /beta/bundle/:plugin/*path path", "lane",
})
# fmt: on


def unknown_id(slot: Slot, value: str) -> str:
    """Return an unknown id that is as similar to `value` as possible."""
    if slot.field == "token":
        return crypto.new_token("v")
    return _encode_cursor(_sibling_id(_decode_cursor(value))) if slot.field == "cursor" else _sibling_id(value)


def _sibling_id(value: str) -> str:
    """Return an id of the same moment, so that even a cursor leads to the same position."""
    return value[:-12] + new_id()[-12:]


def _encode_cursor(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _decode_cursor(cursor: str) -> str:
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
