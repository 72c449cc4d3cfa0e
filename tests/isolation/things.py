"""What routes are asked about: how one is made for a caller to reach for, and who may touch it."""

from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

import msgspec

from teamspace.core import clock
from teamspace.core.principal import system
from teamspace.identity import store as identity_store
from teamspace.tenancy.schemas import Role
from tests.isolation.contract import HOME, KINDS, SISTER, SUSPENDED, Kind, held, scope
from tests.isolation.outcomes import FORBIDDEN, HIDDEN, Outcome, forbidden
from tests.isolation.stage import Stage
from tests.support.world import Caller

Maker = Callable[[Stage, Kind], Awaitable[str]]
Rule = Callable[[Kind, str], Outcome | None]
"""From a caller that the gate let in, and the permission the route asks for, to a refusal or none."""

_numbers = count(1)


class Thing(msgspec.Struct, frozen=True):
    """Something an address names."""

    make: Maker
    rule: Rule


# Rules


def anybody(kind: Kind, permission: str) -> Outcome | None:
    return None


def in_its_team(kind: Kind, permission: str) -> Outcome | None:
    return None if kind.place in (HOME, SUSPENDED) else HIDDEN


def in_its_company(kind: Kind, permission: str) -> Outcome | None:
    return None if kind.place in (HOME, SISTER, SUSPENDED) else HIDDEN


def by_a_company_role(kind: Kind, permission: str) -> Outcome | None:
    """What spans the company is for those with a role in it, and for operators."""
    rights = held(kind.roles) | ({"org:read"} if "operator" in kind.roles else set())
    return None if "org:read" in rights & scope(kind, permission) else forbidden("org:read")


def by_the_operator_flag(kind: Kind, permission: str) -> Outcome | None:
    """What the gate could not ask for: it depends on the query."""
    rights = held(kind.roles) & scope(kind, permission)
    return None if "instance:manage" in rights else forbidden("instance:manage")


def by_the_note(kind: Kind, permission: str) -> Outcome | None:
    """The note is its team's: 404 for whoever cannot read it, 403 for whoever can and wants more."""
    rights = _rights_on_the_note(kind) & scope(kind, permission)
    if permission in rights:
        return None
    return forbidden(permission) if "notes:read" in rights else HIDDEN


def by_the_object(kind: Kind, permission: str) -> Outcome | None:
    """As with the note; what it was lent for are capabilities, which hold more than one right."""
    rights = _rights_on_the_object(kind) & scope(kind, permission)
    if permission in rights:
        return None
    return forbidden(permission) if "files:read" in rights else HIDDEN


def by_the_right_to_create(kind: Kind, permission: str) -> Outcome | None:
    return None if permission in held(kind.roles) & scope(kind, permission) else forbidden(permission)


def _rights_on_the_object(kind: Kind) -> frozenset[str]:
    if kind.owns:
        return frozenset(_CAPABILITIES["manage"])
    rights = held(kind.roles) if kind.place in (HOME, SUSPENDED) else frozenset()
    if kind.lent:
        rights |= _CAPABILITIES[CAPABILITY[kind.lent]]
    if kind.place in (HOME, SISTER, SUSPENDED) and "org:read" in held(kind.roles):
        rights |= {"files:read"}
    return rights


CAPABILITY = {"notes:read": "view", "notes:write": "edit", "notes:delete": "manage", "notes:manage": "manage"}
"""For which an object is lent to whoever is lent a note for that."""
_CAPABILITIES = {
    "view": {"files:read"},
    "edit": {"files:read", "files:write"},
    "manage": {"files:read", "files:write", "files:delete", "files:manage"},
}


def by_the_job(kind: Kind, permission: str) -> Outcome | None:
    """Seen by its team, at least in outline."""
    return None if kind.owns or kind.place in (HOME, SUSPENDED) else HIDDEN


def by_the_job_to_cancel(kind: Kind, permission: str) -> Outcome | None:
    """By whoever asked for it, and by those who run its team."""
    runs_the_team = "settings:manage" in held(kind.roles) & scope(kind, permission)
    return by_the_job(kind, permission) or (None if kind.owns or runs_the_team else FORBIDDEN)


_LADDER = ("notes:read", "notes:write", "notes:delete", "notes:manage")


def _rights_on_the_note(kind: Kind) -> frozenset[str]:
    if kind.owns:
        return frozenset(_LADDER)
    rights = held(kind.roles) if kind.place in (HOME, SUSPENDED) else frozenset()
    if kind.lent:
        rights |= set(_LADDER[: _LADDER.index(kind.lent) + 1])
    if kind.place in (HOME, SISTER, SUSPENDED) and "org:read" in held(kind.roles):
        rights |= {"notes:read"}
    return rights


# Makers


def _maker(stage: Stage, kind: Kind) -> Caller | None:
    """Whoever has left made it themselves; everybody else's was made by the author there."""
    return stage.person(kind) if kind.left else None


async def _team_note(stage: Stage, kind: Kind) -> str:
    spot = stage.within_reach(kind)
    borrowers = {stage.person(each).user_id: each.lent for each in KINDS if each.lent}
    lent = borrowers if spot is stage.spots[HOME] else {}
    return await stage.note(spot, "team", owner=_maker(stage, kind), lent=lent)


async def _team_object(stage: Stage, kind: Kind) -> str:
    spot = stage.within_reach(kind)
    borrowers = {stage.person(each).user_id: CAPABILITY[each.lent] for each in KINDS if each.lent}
    lent = borrowers if spot is stage.spots[HOME] else {}
    return await stage.object(spot, "team", owner=_maker(stage, kind), lent=lent)


async def _new_key(stage: Stage, kind: Kind) -> str:
    return f"new/{next(_numbers)}.txt"


async def _job(stage: Stage, kind: Kind) -> str:
    return await stage.job(stage.within_reach(kind), owner=_maker(stage, kind))


async def _executor(stage: Stage, kind: Kind) -> str:
    return await stage.executor()


async def somebody(stage: Stage, kind: Kind) -> str:
    """The id of a fresh member of the team within reach."""
    spot = stage.within_reach(kind)
    return (await stage.world.person(spot.org, spot.team, Role.MEMBER)).user_id


async def _team_token(stage: Stage, kind: Kind) -> str:
    return await stage.token_id(await stage.world.token(stage.within_reach(kind).author))


async def _own_session(stage: Stage, kind: Kind) -> str:
    person = stage.person(kind)
    return await stage.token_id(await stage.world.session(person if person.user_id else stage.spots[HOME].author))


async def _own_key(stage: Stage, kind: Kind) -> str:
    person = stage.person(kind)
    return await stage.access_key(person if person.user_id else stage.spots[HOME].author)


async def _company(stage: Stage, kind: Kind) -> str:
    """A fresh one: an operator reaches any."""
    return (await stage.world.company())[0].id


async def _feature(stage: Stage, kind: Kind) -> str:
    return "chat"


async def _nothing(stage: Stage, kind: Kind) -> str:
    return ""


async def newcomer(stage: Stage, kind: Kind) -> str:
    return f"newcomer{next(_numbers)}"


async def new_owner(stage: Stage, kind: Kind) -> dict[str, str]:
    return {"username": await newcomer(stage, kind)}


async def own_team(stage: Stage, kind: Kind) -> str:
    return stage.spots[kind.place].team.id


async def invitation(stage: Stage, kind: Kind) -> str:
    """The token of a fresh activation link."""
    return await stage.invitation(stage.within_reach(kind))


async def author(stage: Stage, kind: Kind) -> str:
    return stage.within_reach(kind).author.username


async def _screen(stage: Stage, kind: Kind) -> str:
    return "company/people"


async def _script(stage: Stage, kind: Kind) -> str:
    return "scheme.js"


NOTE = Thing(_team_note, by_the_note)
OBJECT = Thing(_team_object, by_the_object)
NEW_KEY = Thing(_new_key, by_the_right_to_create)
MEMBER = Thing(somebody, in_its_team)
TEAM_TOKEN = Thing(_team_token, in_its_team)
OWN_SESSION = Thing(_own_session, anybody)
OWN_KEY = Thing(_own_key, anybody)
PERSON = Thing(somebody, anybody)
COLLEAGUE = Thing(somebody, in_its_company)
COLLEAGUES = Thing(_nothing, by_a_company_role)
COMPANY = Thing(_company, anybody)
FEATURE = Thing(_feature, anybody)
INSTANCE = Thing(_nothing, by_the_operator_flag)
JOB = Thing(_job, by_the_job)
JOB_TO_CANCEL = Thing(_job, by_the_job_to_cancel)
SOME_JOB = Thing(_job, anybody)
EXECUTOR = Thing(_executor, anybody)
NOTHING = Thing(_nothing, anybody)
SCREEN = Thing(_screen, anybody)
SCRIPT = Thing(_script, anybody)


# The caller's second factor


async def nothing_to_do(stage: Stage, kind: Kind) -> None:
    """For workers: what others asked for is out of their reach."""
    await stage.change("UPDATE jobs SET place = 'ai.chat@local' WHERE state = 'queued'")


async def without_keys(stage: Stage, kind: Kind) -> None:
    await stage.change("DELETE FROM tokens WHERE kind = 's3'")


async def with_factor(stage: Stage, kind: Kind) -> None:
    await without_factor(stage, kind)
    person = stage.person(kind)
    if person.user_id:
        async with stage.world.db.maintenance(system()) as tx:
            sealed = tx.vault.encrypt(f"totp|secret|{person.user_id}", b"JBSWY3DPEHPK3PXP")
            await identity_store.put_totp(tx, person.user_id, person.org.id, sealed, clock.stamp())


async def without_factor(stage: Stage, kind: Kind) -> None:
    for table in ("recovery_codes", "totp"):
        await stage.change(f"DELETE FROM {table} WHERE user_id = :id", id=stage.person(kind).user_id)


async def as_it_is(stage: Stage, kind: Kind) -> None:
    return None


async def filled(values: dict[str, Any], stage: Stage, kind: Kind) -> dict[str, Any]:
    """The values, with what must be made for this caller made."""
    return {name: await value(stage, kind) if callable(value) else value for name, value in values.items()}
