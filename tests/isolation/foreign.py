"""Every place of a request that takes an id, and how to fill it with one that the caller must not reach.

What is not yours and what is nobody's must look alike, to the byte.
"""

import base64
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from teamspace.core.ids import new_id
from teamspace.tenancy.schemas import Role
from tests.isolation.contract import BY_NAME, DEAD, KINDS, Kind, Place, other_company, other_team
from tests.isolation.outcomes import HIDDEN, OK, Outcome
from tests.isolation.stage import Spot, Stage
from tests.isolation.things import Maker
from tests.support.world import PASSWORD

InSpot = Callable[[Stage, Spot], Awaitable[str]]


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


async def _writer(stage: Stage, spot: Spot) -> str:
    """Somebody with a note that their team can read."""
    person = await stage.world.person(spot.org, spot.team)
    await stage.note(spot, "team", owner=person)
    return person.user_id


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


def cursor(make: Maker) -> Maker:
    async def made(stage: Stage, kind: Kind) -> str:
        return _sealed(await make(stage, kind))

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
    hidden: Maker
    """Something real of the caller's own company that they must not reach."""
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
_NEW       = {"username": _somebody_new}
_TAKE_BACK = {"permission": None}
_GUESS     = {"password": "not the right one"}

SLOTS = (
    #    route                              field       another company's             hidden in one's own             answer
    Slot("GET /api/notes/:id",              "id",       abroad(_team_note),           here(_private_note)),
    Slot("PUT /api/notes/:id",              "id",       abroad(_team_note),           here(_private_note)),
    Slot("DELETE /api/notes/:id",           "id",       abroad(_team_note),           here(_private_note)),
    Slot("POST /api/notes/:id/share",       "id",       abroad(_team_note),           here(_private_note)),
    Slot("POST /api/notes/:id/share",       "user_id",  abroad(_author),              here(_former_colleague)),
    Slot("POST /api/notes/:id/share",       "user_id",  abroad(_author),              here(_former_colleague),        OK, given=_TAKE_BACK),
    Slot("GET /api/notes",                  "owner",    abroad(_writer),              next_door(_writer),             OK),
    Slot("GET /api/notes",                  "cursor",   cursor(abroad(_team_note)),   cursor(here(_private_note)),    OK),
    Slot("GET /api/members",                "cursor",   cursor(abroad(_author)),      cursor(next_door(_author)),     OK),
    Slot("PATCH /api/members/:id",          "id",       abroad(_author),              next_door(_author)),
    Slot("DELETE /api/members/:id",         "id",       abroad(_author),              next_door(_author)),
    Slot("GET /api/tokens",                 "cursor",   cursor(abroad(_api_token)),   cursor(next_door(_api_token)),  OK),
    Slot("DELETE /api/tokens/:id",          "id",       abroad(_api_token),           next_door(_api_token)),
    Slot("DELETE /api/tokens/:id",          "id",       abroad(_session),             here(_session)),
    Slot("DELETE /api/sessions/:id",        "id",       abroad(_session),             here(_session)),
    Slot("DELETE /api/sessions/:id",        "id",       abroad(_api_token),           here(_api_token)),
    Slot("DELETE /api/admin/users/:id/2fa", "id",       abroad(_author),              here(_author),                  callers=_NOT_OPERATORS),
    Slot("POST /api/profile",               "team_id",  abroad(_team),                next_door(_team)),
    Slot("POST /api/login",                 "team",     abroad(_team),                next_door(_team),               HIDDEN, _ANONYMOUS, _NEW, "login_attempts"),
    Slot("POST /api/login",                 "team",     abroad(_slug),                next_door(_slug),               HIDDEN, _ANONYMOUS, _NEW, "login_attempts"),
    Slot("POST /api/login",                 "username", abroad(_authors_name),        here(_authors_name),            _WRONG, _ANONYMOUS, _GUESS, "login_attempts"),
)

# The fields of bodies and queries that name nothing which exists already; where a name means that on one route
# only, the route is said. A username to add is one: that another company has it is told, by the contract's 409.
NOT_IDS = frozenset({
    "password", "totp", "current_password", "new_password", "confirm", "code",
    "display_name", "locale", "role", "name", "scope", "ttl",
    "title", "body", "visibility", "tags", "tag", "shared", "permission", "limit",
    "POST /api/bootstrap username", "POST /api/bootstrap org", "POST /api/bootstrap team",
    "POST /api/members username",
})
# fmt: on


def stranger(slot: Slot, value: str) -> str:
    """What nobody has, and as like to `value` as can be."""
    return _sealed(_beside(_opened(value))) if slot.field == "cursor" else _beside(value)


def _beside(value: str) -> str:
    """An id of the same moment, so that even a cursor takes both to the same place."""
    return value[:-12] + new_id()[-12:]


def _sealed(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _opened(cursor: str) -> str:
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
