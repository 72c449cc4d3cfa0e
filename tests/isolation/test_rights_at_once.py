"""Revoked rights are gone with the next request, whatever was cached."""

from collections.abc import AsyncIterator

import httpx2
import pytest

from teamspace.tenancy.schemas import OrgRole, Role
from tests.isolation.contract import BY_NAME, HOME, OTHER, SISTER
from tests.isolation.outcomes import (
    CREATED,
    EMPTY,
    FORBIDDEN,
    HIDDEN,
    OK,
    ORG_SUSPENDED,
    REQUEST_ID,
    TENANT_SUSPENDED,
    UNAUTHENTICATED,
    Outcome,
    faults,
    forbidden,
)
from tests.isolation.stage import Stage
from tests.support.world import PASSWORD, Caller

pytestmark = pytest.mark.asyncio(loop_scope="session")

_ID = {"x-request-id": REQUEST_ID}
_NOTE = {"title": "Note"}
_LIMIT = {"dimension": "ai.requests", "limit": None, "window": "day"}


async def test_a_demoted_member_can_no_longer_read_or_write(stage: Stage) -> None:
    for person in await _with_both_credentials(stage, Role.MEMBER):
        note = await stage.note(stage.teams[HOME], "team")
        _check(await _read(person, note), OK)
        assert (await person.post("/api/notes", _NOTE)).status_code == 201

        await _change_role(stage, person, "viewer")
        _check(await person.post("/api/notes", _NOTE, headers=_ID), forbidden("notes:write"))
        _check(await _read(person, note), OK)

        await _change_role(stage, person, "guest")
        _check(await _read(person, note), HIDDEN)


async def test_a_demoted_admin_can_no_longer_manage(stage: Stage) -> None:
    for person in await _with_both_credentials(stage, Role.ADMIN):
        _check(await person.get("/api/tokens", headers=_ID), OK)
        await _change_role(stage, person, "member")
        _check(await person.get("/api/tokens", headers=_ID), forbidden("settings:manage"))
        _check(await _remove(person, person), forbidden("members:manage"))


async def test_a_member_demoted_during_an_upload_stores_nothing(stage: Stage) -> None:
    for person in await _with_both_credentials(stage, Role.MEMBER):
        marks: list[int] = []

        async def halves(person: Caller = person, marks: list[int] = marks) -> AsyncIterator[bytes]:
            yield b"first half, "
            await _change_role(stage, person, "viewer")
            marks.append(await stage.writes.mark())
            yield b"second half"

        headers = _ID | {"authorization": f"Bearer {person.token}"}
        answer = await stage.world.client.put("/api/repo/long.txt", content=halves(), headers=headers)
        _check(answer, forbidden("files:write"))
        changed = await stage.writes.since(marks[0])
        assert set(changed) <= {"blobs"}, "unreferenced blobs are collected later"


async def test_a_disabled_person_loses_every_credential_and_must_sign_in_again(stage: Stage) -> None:
    for person in await _with_both_credentials(stage, Role.MEMBER):
        elsewhere = await stage.world.join(person, stage.teams[SISTER].team)
        path = f"/api/admin/users/{person.user_id}"
        _check(await stage.superuser("PATCH", path, {"disabled": True}, headers=_ID), OK)
        for caller in (person, elsewhere):
            _check(await _whoami(caller), UNAUTHENTICATED)
            _check(await caller.post("/api/notes", _NOTE, headers=_ID), UNAUTHENTICATED)
        sign_in = {"username": person.username, "password": PASSWORD}
        _check(await stage.world.anonymous.post("/api/login", sign_in, headers=_ID), FORBIDDEN)
        _check(await stage.superuser("PATCH", path, {"disabled": False}, headers=_ID), OK)
        _check(await _whoami(person), UNAUTHENTICATED)
        _check(await stage.world.anonymous.post("/api/login", sign_in, headers=_ID), OK)


async def test_a_removed_member_cannot_reach_their_things_from_another_team(stage: Stage) -> None:
    person = await _new_person(stage, Role.MEMBER)
    elsewhere = await stage.world.join(person, stage.teams[SISTER].team)
    note = await stage.note(stage.teams[HOME], "private", owner=person)
    file = await stage.object(stage.teams[HOME], "private", owner=person)
    paths = (f"/api/notes/{note}", f"/api/repo-obj/{file}", f"/api/documents/{file}", f"/api/repo-obj/{file}/content")
    for path in paths:
        _check(await elsewhere.get(path, headers=_ID), OK)
    _check(await _remove(stage.superuser, person), EMPTY)
    for path in paths:
        _check(await elsewhere.get(path, headers=_ID), HIDDEN)
    for path in paths[:3]:
        _check(await elsewhere.delete(path, headers=_ID), HIDDEN)


async def test_a_scoped_token_loses_permissions_with_its_owner(stage: Stage) -> None:
    person = await _new_person(stage, Role.ADMIN)
    token = await stage.world.token(person, scope=["settings:manage", "notes:write"])
    _check(await token.get("/api/tokens", headers=_ID), OK)
    await _change_role(stage, person, "viewer")
    _check(await token.get("/api/tokens", headers=_ID), forbidden("settings:manage"))
    _check(await token.post("/api/notes", _NOTE, headers=_ID), forbidden("notes:write"))


async def test_a_removed_member_loses_access_to_that_team_only(stage: Stage) -> None:
    for person in await _with_both_credentials(stage, Role.MEMBER):
        elsewhere = await stage.world.join(person, stage.teams[SISTER].team)
        _check(await _whoami(person), OK)
        _check(await _remove(stage.superuser, person), EMPTY)
        _check(await _whoami(person), UNAUTHENTICATED)
        _check(await person.post("/api/notes", _NOTE, headers=_ID), UNAUTHENTICATED)
        _check(await _whoami(elsewhere), OK)


async def test_old_credentials_stay_invalid_when_a_member_is_added_again(stage: Stage) -> None:
    person = await _new_person(stage, Role.MEMBER)
    await _remove(stage.superuser, person)
    again = await stage.superuser.post("/api/members", {"username": person.username, "role": "member"})
    assert (again.status_code, "token" in again.json()) == (201, False)
    _check(await _whoami(person), UNAUTHENTICATED)


async def test_without_a_company_role_only_the_own_team_is_readable(stage: Stage) -> None:
    setup = stage.teams[SISTER]
    person = await stage.world.person(setup.org, setup.team, Role.GUEST, org_role=OrgRole.READER)
    note = await stage.note(stage.teams[HOME], "team")
    _check(await _read(person, note), OK)
    _check(await person.get("/api/org", headers=_ID), OK)
    await _change_org_role(stage, person, None)
    _check(await _read(person, note), HIDDEN)
    for path in ("/api/notes?scope=org", "/api/members?scope=org", "/api/org", "/api/org/audit"):
        _check(await person.get(path, headers=_ID), forbidden("org:read"))


async def test_an_admin_demoted_to_reader_cannot_change_the_company(stage: Stage) -> None:
    for person in await _with_both_credentials(stage, Role.GUEST):
        token = await stage.world.token(person, scope=["org:manage"])
        _check(await _create_team(person), forbidden("org:manage"))
        await _change_org_role(stage, person, "org_admin")
        _check(await _create_team(person), CREATED)
        _check(await _create_team(token), CREATED)
        await _change_org_role(stage, person, "org_reader")
        _check(await _create_team(person), forbidden("org:manage"))
        _check(await _create_team(token), forbidden("org:manage"))
        _check(await person.get("/api/org", headers=_ID), OK)


async def test_a_former_operator_has_only_the_permissions_of_their_role(stage: Stage) -> None:
    setup = stage.teams[HOME]
    person = await stage.world.person(setup.org, setup.team, Role.GUEST, operator=True)
    _check(await person.get("/api/tokens", headers=_ID), OK)
    await stage.change("UPDATE users SET operator = :no WHERE id = :id", no=False, id=person.user_id)
    _check(await person.get("/api/tokens", headers=_ID), forbidden("settings:manage"))
    taken = await person.delete(f"/api/admin/users/{setup.author.user_id}/2fa", headers=_ID)
    _check(taken, forbidden("instance:manage"))


async def test_a_share_can_be_lowered_and_revoked(stage: Stage) -> None:
    person, author = await _new_person(stage, Role.GUEST), stage.teams[HOME].author
    note = await stage.note(stage.teams[HOME], "shared")
    steps = (("notes:write", OK, OK), ("notes:read", OK, forbidden("notes:write")), (None, HIDDEN, HIDDEN))
    for permission, read, written in steps:
        grant = {"user_id": person.user_id, "permission": permission}
        _check(await author.post(f"/api/notes/{note}/share", grant, headers=_ID), OK)
        _check(await _read(person, note), read)
        _check(await person.put(f"/api/notes/{note}", _NOTE, headers=_ID), written)


async def test_a_note_made_private_disappears_for_the_team(stage: Stage) -> None:
    person = await _new_person(stage, Role.VIEWER)
    note = await stage.note(stage.teams[HOME], "team")
    _check(await _read(person, note), OK)
    _check(await stage.superuser.put(f"/api/notes/{note}", {"visibility": "private"}, headers=_ID), OK)
    _check(await _read(person, note), HIDDEN)
    _check(await _read(stage.superuser, note), HIDDEN)


async def test_a_revoked_token_and_an_ended_session_are_refused(stage: Stage) -> None:
    person = await _new_person(stage, Role.OWNER)
    token, session = await stage.world.token(person), await stage.world.session(person)
    for credential, path in ((token, "/api/tokens"), (session, "/api/sessions")):
        _check(await _whoami(credential), OK)
        _check(await person.delete(f"{path}/{await stage.token_id(credential)}", headers=_ID), EMPTY)
        _check(await _whoami(credential), UNAUTHENTICATED)


async def test_signing_out_ends_the_session_and_a_new_password_ends_the_others(stage: Stage) -> None:
    person = await _new_person(stage, Role.MEMBER)
    first, second, third = [await stage.world.session(person) for _ in range(3)]
    _check(await _whoami(first), OK)
    _check(await first.post("/api/logout", headers=_ID), EMPTY)
    _check(await _whoami(first), UNAUTHENTICATED)

    _check(await _whoami(second), OK)
    change = {"current_password": PASSWORD, "new_password": PASSWORD}
    _check(await third.post("/api/password", change, headers=_ID), EMPTY)
    _check(await _whoami(second), UNAUTHENTICATED)
    _check(await _whoami(third), OK)


async def test_a_session_that_switches_teams_acts_only_in_the_new_one(stage: Stage) -> None:
    person = await _new_person(stage, Role.VIEWER)
    sister = stage.teams[SISTER]
    await stage.world.join(person, sister.team, Role.VIEWER)
    session = await stage.world.session(person)
    here, there = await stage.note(stage.teams[HOME], "team"), await stage.note(sister, "team")
    _check(await _read(session, here), OK)
    _check(await session.post("/api/profile", {"team_id": sister.team.id}, headers=_ID), OK)
    _check(await _read(session, here), HIDDEN)
    _check(await _read(session, there), OK)


async def test_a_suspended_company_can_read_but_not_write_until_resumed(stage: Stage) -> None:
    org, team = await stage.world.company()
    person = await stage.world.person(org, team)
    for caller in (person, await stage.world.session(person)):
        _check(await caller.post("/api/notes", _NOTE, headers=_ID), CREATED)
        _check(await stage.superuser.post(f"/api/orgs/{org.slug}/suspend", headers=_ID), OK)
        _check(await caller.post("/api/notes", _NOTE, headers=_ID), ORG_SUSPENDED)
        _check(await _whoami(caller), OK)
        _check(await _whoami(stage.teams[OTHER].author), OK)
        _check(await stage.superuser.post(f"/api/orgs/{org.id}/resume", headers=_ID), OK)
        _check(await caller.post("/api/notes", _NOTE, headers=_ID), CREATED)


async def test_an_operator_of_a_suspended_company_can_only_administer_the_instance(stage: Stage) -> None:
    operator = await stage.world.person(*await stage.world.company(), operator=True)
    company = f"/api/orgs/{operator.org.id}"
    _check(await operator.post(f"{company}/suspend", headers=_ID), OK)
    for path, body in (("/api/notes", _NOTE), ("/api/quota", _LIMIT), ("/api/org/teams", {"name": "Team"})):
        _check(await operator.post(path, body, headers=_ID), ORG_SUSPENDED)
    _check(await operator.post(f"{company}/quota", _LIMIT, headers=_ID), OK)
    _check(await operator.post(f"{company}/resume", headers=_ID), OK)
    _check(await operator.post("/api/notes", _NOTE, headers=_ID), CREATED)


async def test_a_suspended_tenant_can_read_but_not_write_until_resumed(hosted_stage: Stage) -> None:
    stage, person = hosted_stage, await _new_person(hosted_stage, Role.OWNER)
    for caller in (person, await stage.world.session(person), stage.superuser):
        _check(await stage.host.post("/api/instance/resume", headers=_ID), OK)
        _check(await caller.post("/api/notes", _NOTE, headers=_ID), CREATED)
        _check(await stage.host.post("/api/instance/suspend", headers=_ID), OK)
        _check(await caller.post("/api/notes", _NOTE, headers=_ID), TENANT_SUSPENDED)
        _check(await _whoami(caller), OK)


async def test_a_tenant_suspension_is_reported_before_a_company_suspension(hosted_stage: Stage) -> None:
    stage, owner = hosted_stage, await hosted_stage.caller(BY_NAME["suspended"])
    for step, outcome in (("suspend", TENANT_SUSPENDED), ("resume", ORG_SUSPENDED)):
        _check(await stage.host.post(f"/api/instance/{step}", headers=_ID), OK)
        _check(await owner.post("/api/notes", _NOTE, headers=_ID), outcome)


async def _new_person(stage: Stage, role: Role) -> Caller:
    setup = stage.teams[HOME]
    return await stage.world.person(setup.org, setup.team, role, password=PASSWORD)


async def _with_both_credentials(stage: Stage, role: Role) -> list[Caller]:
    """Return two people: one with an API token, one with a session."""
    return [await _new_person(stage, role), await stage.world.session(await _new_person(stage, role))]


async def _change_role(stage: Stage, person: Caller, role: str) -> None:
    _check(await stage.superuser("PATCH", f"/api/members/{person.user_id}", {"role": role}, headers=_ID), OK)


async def _change_org_role(stage: Stage, person: Caller, role: str | None) -> None:
    path = f"/api/org/members/{person.user_id}"
    _check(await stage.superuser("PATCH", path, {"org_role": role}, headers=_ID), OK)


async def _create_team(person: Caller) -> httpx2.Response:
    return await person.post("/api/org/teams", {"name": "Team"}, headers=_ID)


async def _remove(by: Caller, person: Caller) -> httpx2.Response:
    return await by.delete(f"/api/members/{person.user_id}", headers=_ID)


async def _read(person: Caller, note_id: str) -> httpx2.Response:
    return await person.get(f"/api/notes/{note_id}", headers=_ID)


async def _whoami(person: Caller) -> httpx2.Response:
    return await person.get("/api/whoami", headers=_ID)


def _check(answer: httpx2.Response, expected: Outcome) -> None:
    found = faults(answer, expected)
    assert not found, f"\n{answer.request.method} {answer.request.url.path}: " + "; ".join(found)
