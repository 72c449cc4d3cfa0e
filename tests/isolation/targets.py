"""The targets of routes: how one is made for a caller, and who may access it."""

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
"""Maps a caller that passed the gate and the route's permission to a refusal, or None."""

_numbers = count(1)


class Target(msgspec.Struct, frozen=True):
    """Something that a path names."""

    make: Maker
    rule: Rule


# Rules


def anyone(kind: Kind, permission: str) -> Outcome | None:
    return None


def same_team(kind: Kind, permission: str) -> Outcome | None:
    return None if kind.team in (HOME, SUSPENDED) else HIDDEN


def same_company(kind: Kind, permission: str) -> Outcome | None:
    return None if kind.team in (HOME, SISTER, SUSPENDED) else HIDDEN


def company_role(kind: Kind, permission: str) -> Outcome | None:
    """Company-wide data is for people with a company role, and for operators."""
    permissions = held(kind.roles) | ({"org:read"} if "operator" in kind.roles else set())
    return None if "org:read" in permissions & scope(kind, permission) else forbidden("org:read")


def operator_only(kind: Kind, permission: str) -> Outcome | None:
    """A check that the gate cannot make, since it depends on the query."""
    permissions = held(kind.roles) & scope(kind, permission)
    return None if "instance:manage" in permissions else forbidden("instance:manage")


def note_access(kind: Kind, permission: str) -> Outcome | None:
    """The note has the visibility `team`: 404 without read access, 403 with read access only."""
    permissions = _note_permissions(kind) & scope(kind, permission)
    if permission in permissions:
        return None
    return forbidden(permission) if "notes:read" in permissions else HIDDEN


def note_seen(kind: Kind, permission: str) -> Outcome | None:
    """Whoever can read the note can be present; a token that cannot read notes does not see it."""
    return None if "notes:read" in _note_permissions(kind) & scope(kind, permission) else HIDDEN


def trash_access(kind: Kind, permission: str) -> Outcome | None:
    """The note in the trash was visible to the team: its owner and roles that delete notes can restore it, no grantee."""
    may_delete = "notes:delete" in scope(kind, permission)
    by_role = kind.team in (HOME, SUSPENDED) and "notes:delete" in held(kind.roles)
    return None if may_delete and (kind.owns or by_role) else HIDDEN


def read_access(kind: Kind, permission: str) -> Outcome | None:
    """Whatever the caller can read."""
    return None if "notes:read" in _note_permissions(kind) else HIDDEN


def conversation_access(*granting: str) -> Rule:
    """Conversations are private: only their owner and those they are shared with have access."""

    def rule(kind: Kind, permission: str) -> Outcome | None:
        shared = SHARED_AS[kind.granted] if kind.granted else ""
        if kind.owns or shared in granting:
            return None
        return FORBIDDEN if shared else HIDDEN

    return rule


SHARED_AS = {
    "notes:read": "notes:read", "notes:write": "notes:write", "notes:delete": "notes:write", "notes:manage": "notes:write",
}  # fmt: skip
"""The permission on the conversation for callers with this permission on the note."""


def object_access(kind: Kind, permission: str) -> Outcome | None:
    """As with the note; access levels contain more than one permission."""
    permissions = _object_permissions(kind) & scope(kind, permission)
    if permission in permissions:
        return None
    return forbidden(permission) if "files:read" in permissions else HIDDEN


def entity_access(kind: Kind, permission: str) -> Outcome | None:
    """As with its document, but the whole company only if it is asked for."""
    permissions = _object_permissions(kind, across_company=False) & scope(kind, permission)
    return None if permission in permissions else HIDDEN


def create_permission(kind: Kind, permission: str) -> Outcome | None:
    return None if permission in held(kind.roles) & scope(kind, permission) else forbidden(permission)


def link_access(kind: Kind, permission: str) -> Outcome | None:
    """Everyone who has the address, unless the company is suspended."""
    return HIDDEN if kind.team is SUSPENDED else None


def move_access(kind: Kind, permission: str) -> Outcome | None:
    """A grant or ownership is not enough: the new key needs the right to create in the object's team."""
    in_team = None if kind.team in (HOME, SUSPENDED) else forbidden(permission)
    return object_access(kind, permission) or in_team or create_permission(kind, permission)


def copy_access(kind: Kind, permission: str) -> Outcome | None:
    """Whoever can read it and create objects in their own team."""
    allowed = "files:write" in held(kind.roles) & scope(kind, permission)
    return object_access(kind, permission) or (None if allowed else forbidden("files:write"))


def _object_permissions(kind: Kind, *, across_company: bool = True) -> frozenset[str]:
    if kind.owns:
        return frozenset(_CAPABILITIES["manage"])
    permissions = held(kind.roles) if kind.team in (HOME, SUSPENDED) else frozenset()
    if kind.granted:
        permissions |= _CAPABILITIES[CAPABILITY[kind.granted]]
    if across_company and kind.team in (HOME, SISTER, SUSPENDED) and "org:read" in held(kind.roles):
        permissions |= {"files:read"}
    return permissions


CAPABILITY = {"notes:read": "view", "notes:write": "edit", "notes:delete": "manage", "notes:manage": "manage"}
"""The access level to the object for callers with this permission on the note."""
_CAPABILITIES = {
    "view": {"files:read"},
    "edit": {"files:read", "files:write"},
    "manage": {"files:read", "files:write", "files:delete", "files:manage"},
}


def job_access(kind: Kind, permission: str) -> Outcome | None:
    """Members of the team see at least a summary."""
    return None if kind.owns or kind.team in (HOME, SUSPENDED) else HIDDEN


def cancel_access(kind: Kind, permission: str) -> Outcome | None:
    """The requester and the team's managers can cancel it."""
    manages_team = "settings:manage" in held(kind.roles) & scope(kind, permission)
    return job_access(kind, permission) or (None if kind.owns or manages_team else FORBIDDEN)


_LADDER = ("notes:read", "notes:write", "notes:delete", "notes:manage")


def _note_permissions(kind: Kind) -> frozenset[str]:
    if kind.owns:
        return frozenset(_LADDER)
    permissions = held(kind.roles) if kind.team in (HOME, SUSPENDED) else frozenset()
    if kind.granted:
        permissions |= set(_LADDER[: _LADDER.index(kind.granted) + 1])
    if kind.team in (HOME, SISTER, SUSPENDED) and "org:read" in held(kind.roles):
        permissions |= {"notes:read"}
    return permissions


# Makers


def _owner(stage: Stage, kind: Kind) -> Caller | None:
    """Return the owner of the target: a former member owns theirs, all others belong to the team's author."""
    return stage.person(kind) if kind.left_team else None


async def _team_note(stage: Stage, kind: Kind) -> str:
    setup = stage.target_team(kind)
    grantees = {stage.person(each).user_id: each.granted for each in KINDS if each.granted}
    granted = grantees if setup is stage.teams[HOME] else {}
    return await stage.note(setup, "team", owner=_owner(stage, kind), granted=granted)


async def _seen_note(stage: Stage, kind: Kind) -> str:
    return f"note {await _team_note(stage, kind)}"


async def _first_version(stage: Stage, kind: Kind) -> str:
    return f"{await _team_object(stage, kind)} 1"


async def _trashed_note(stage: Stage, kind: Kind) -> str:
    return await stage.put_in_trash(await _team_note(stage, kind))


async def _conversation(stage: Stage, kind: Kind) -> str:
    setup = stage.target_team(kind)
    grantees = {stage.person(each).user_id: SHARED_AS[each.granted] for each in KINDS if each.granted}
    granted = grantees if setup is stage.teams[HOME] else {}
    return await stage.conversation(setup, owner=_owner(stage, kind), granted=granted)


async def _team_object(stage: Stage, kind: Kind) -> str:
    setup = stage.target_team(kind)
    grantees = {stage.person(each).user_id: CAPABILITY[each.granted] for each in KINDS if each.granted}
    granted = grantees if setup is stage.teams[HOME] else {}
    return await stage.object(setup, "team", owner=_owner(stage, kind), granted=granted)


async def _object_with_link(stage: Stage, kind: Kind) -> str:
    object_id = await _team_object(stage, kind)
    link_id, _ = await stage.link(stage.target_team(kind), object_id)
    return f"{object_id} {link_id}"


async def _link(stage: Stage, kind: Kind) -> str:
    setup = stage.target_team(kind)
    _, token = await stage.link(setup, await stage.object(setup, "private"))
    return token


async def _entity(stage: Stage, kind: Kind) -> str:
    setup = stage.target_team(kind)
    grantees = {stage.person(each).user_id: CAPABILITY[each.granted] for each in KINDS if each.granted}
    granted = grantees if setup is stage.teams[HOME] else {}
    return await stage.entity(setup, "team", owner=_owner(stage, kind), granted=granted)


async def _no_entity(stage: Stage, kind: Kind) -> str:
    return "0" * 32


async def _no_upload(stage: Stage, kind: Kind) -> str:
    return "0" * 32


async def _no_address(stage: Stage, kind: Kind) -> str:
    return "A" * 120


async def new_key(stage: Stage, kind: Kind) -> str:
    return f"new/{next(_numbers)}.txt"


async def _job(stage: Stage, kind: Kind) -> str:
    return await stage.job(stage.target_team(kind), owner=_owner(stage, kind))


async def _link_to_revoke(stage: Stage, kind: Kind) -> str:
    setup = stage.target_team(kind)
    link_id, _ = await stage.link(setup, await stage.object(setup, "private"))
    return link_id


async def _asset(stage: Stage, kind: Kind) -> str:
    return await stage.asset(stage.target_team(kind))


async def _prospect(stage: Stage, kind: Kind) -> str:
    return await stage.prospect(stage.target_team(kind))


async def _trigger(stage: Stage, kind: Kind) -> str:
    return await stage.trigger(stage.target_team(kind))


async def _console_text(stage: Stage, kind: Kind) -> str:
    return await stage.console_text()


async def _proposed_text(stage: Stage, kind: Kind) -> str:
    return await stage.proposed_text()


async def own_workflow(stage: Stage, kind: Kind) -> str:
    return await stage.published(stage.teams[kind.team])


async def _workflow(stage: Stage, kind: Kind) -> str:
    return await stage.workflow(stage.target_team(kind))


async def _run(stage: Stage, kind: Kind) -> str:
    return await stage.run(stage.target_team(kind), owner=_owner(stage, kind))


async def _executor(stage: Stage, kind: Kind) -> str:
    return await stage.executor()


async def new_member(stage: Stage, kind: Kind) -> str:
    """Create a member of the target team and return their id."""
    setup = stage.target_team(kind)
    return (await stage.world.person(setup.org, setup.team, Role.MEMBER)).user_id


async def _team_token(stage: Stage, kind: Kind) -> str:
    return await stage.token_id(await stage.world.token(stage.target_team(kind).author))


async def _own_session(stage: Stage, kind: Kind) -> str:
    person = stage.person(kind)
    return await stage.token_id(await stage.world.session(person if person.user_id else stage.teams[HOME].author))


async def _starrable(stage: Stage, kind: Kind) -> str:
    return f"note {await _team_note(stage, kind)}"


async def _starred(stage: Stage, kind: Kind) -> str:
    """A favourite of the caller, who need not be able to read it to remove it."""
    caller, named = stage.person(kind), await _starrable(stage, kind)
    if caller.user_id:
        await stage.change(
            "INSERT INTO favourites (user_id, team_id, kind, subject_id, org_id, at)"
            f" SELECT '{caller.user_id}', id, 'note', '{named.partition(' ')[2]}', org_id, '' FROM teams"
            f" WHERE id = '{caller.team.id}'"
        )
    return named


async def _own_key(stage: Stage, kind: Kind) -> str:
    person = stage.person(kind)
    return await stage.access_key(person if person.user_id else stage.teams[HOME].author)


async def _company(stage: Stage, kind: Kind) -> str:
    """Create a company; operators reach any."""
    return (await stage.world.company())[0].id


async def _feature(stage: Stage, kind: Kind) -> str:
    return "chat"


async def _tool(stage: Stage, kind: Kind) -> str:
    return "search"


async def _nothing(stage: Stage, kind: Kind) -> str:
    return ""


async def new_username(stage: Stage, kind: Kind) -> str:
    return f"newcomer{next(_numbers)}"


async def new_owner(stage: Stage, kind: Kind) -> dict[str, str]:
    return {"username": await new_username(stage, kind)}


async def own_team(stage: Stage, kind: Kind) -> str:
    return stage.teams[kind.team].team.id


async def invitation(stage: Stage, kind: Kind) -> str:
    """Return the token of a new activation link."""
    return await stage.invitation(stage.target_team(kind))


async def author_username(stage: Stage, kind: Kind) -> str:
    return stage.target_team(kind).author.username


async def _screen(stage: Stage, kind: Kind) -> str:
    return "company/people"


async def _script(stage: Stage, kind: Kind) -> str:
    return "scheme.js"


async def _plugin_file(stage: Stage, kind: Kind) -> str:
    return "example-tools index.js"


NOTE = Target(_team_note, note_access)
NOTE_TO_SEE = Target(_seen_note, note_seen)
TRASHED_NOTE = Target(_trashed_note, trash_access)
STARRABLE = Target(_starrable, read_access)
STARRED = Target(_starred, anyone)
CONVERSATION = Target(_conversation, conversation_access("notes:read", "notes:write"))
CONVERSATION_TO_CONTINUE = Target(_conversation, conversation_access("notes:write"))
CONVERSATION_TO_MANAGE = Target(_conversation, conversation_access())
OBJECT = Target(_team_object, object_access)
OBJECT_WITH_LINK = Target(_object_with_link, object_access)
LINK = Target(_link, link_access)
TEAM_LINK = Target(_link_to_revoke, same_team)
COMPANY_LINK = Target(_link_to_revoke, same_company)
OBJECT_TO_MOVE = Target(_team_object, move_access)
OBJECT_TO_COPY = Target(_team_object, copy_access)
OBJECT_VERSION = Target(_first_version, object_access)
ENTITY = Target(_entity, entity_access)
NO_ENTITY = Target(_no_entity, anyone)
NEW_KEY = Target(new_key, create_permission)
NEW_UPLOAD = Target(_nothing, create_permission)
NO_UPLOAD = Target(_no_upload, anyone)
NO_ADDRESS = Target(_no_address, anyone)
MEMBER = Target(new_member, same_team)
TEAM_TOKEN = Target(_team_token, same_team)
OWN_SESSION = Target(_own_session, anyone)
OWN_KEY = Target(_own_key, anyone)
PERSON = Target(new_member, anyone)
COLLEAGUE = Target(new_member, same_company)
COLLEAGUES = Target(_nothing, company_role)
COMPANY = Target(_company, anyone)
FEATURE = Target(_feature, anyone)
TOOL = Target(_tool, anyone)
INSTANCE = Target(_nothing, operator_only)
JOB = Target(_job, job_access)
JOB_TO_CANCEL = Target(_job, cancel_access)
WORKFLOW = Target(_workflow, same_team)
RUN = Target(_run, job_access)
RUN_TO_CANCEL = Target(_run, cancel_access)
SOME_JOB = Target(_job, anyone)
EXECUTOR = Target(_executor, anyone)
ASSET = Target(_asset, anyone)
TEAM_ASSET = Target(_asset, same_team)
TRIGGER = Target(_trigger, same_team)
CONSOLE_TEXT = Target(_console_text, anyone)
PROPOSED_TEXT = Target(_proposed_text, anyone)
PROSPECT = Target(_prospect, same_team)
NOTHING = Target(_nothing, anyone)
SCREEN = Target(_screen, anyone)
SCRIPT = Target(_script, anyone)
PLUGIN_FILE = Target(_plugin_file, anyone)


# Preparations


async def without_remote_jobs(stage: Stage, kind: Kind) -> None:
    """Move all queued jobs to the server's own worker, so that a claim finds none."""
    await stage.change("UPDATE jobs SET channel = 'ai.chat@local' WHERE state = 'queued'")


async def with_console_texts(stage: Stage, kind: Kind) -> None:
    await stage.console_text()


async def without_assets(stage: Stage, kind: Kind) -> None:
    """Delete all assets, since a team can have only so many."""
    await stage.change("DELETE FROM onboarding_assets")


async def without_drafts(stage: Stage, kind: Kind) -> None:
    """Delete all drafts: only the first who publishes one finds it."""
    await stage.change("DELETE FROM experiences")


async def without_triggers(stage: Stage, kind: Kind) -> None:
    """Delete all triggers, since a team can have only so many."""
    await stage.change("DELETE FROM doc_triggers")


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


async def no_preparation(stage: Stage, kind: Kind) -> None:
    return None


async def resolve_values(values: dict[str, Any], stage: Stage, kind: Kind) -> dict[str, Any]:
    """Replace callables by what they make for this caller."""
    return {name: await value(stage, kind) if callable(value) else value for name, value in values.items()}
