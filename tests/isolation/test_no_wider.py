"""A credential cannot be used to gain more permissions than it has."""

import pytest

from teamspace.tenancy.schemas import OrgRole, Role
from tests.isolation.contract import HOME, SISTER
from tests.isolation.outcomes import REQUEST_ID, Outcome, faults, forbidden
from tests.isolation.stage import Stage
from tests.support.world import Caller

pytestmark = pytest.mark.asyncio(loop_scope="session")

_ID = {"x-request-id": REQUEST_ID}


async def test_a_members_token_cannot_add_a_role_beyond_its_scope(stage: Stage) -> None:
    token = await stage.world.token(stage.superuser, scope=["members:manage"])
    mark = await stage.writes.mark()
    added = await token.post("/api/members", {"username": "wider", "role": "owner"}, headers=_ID)
    assert added.status_code == 403, f"a scoped token made an owner with an unscoped token: {added.text}"
    assert await stage.writes.since(mark) == []


async def test_a_members_token_cannot_raise_a_role_beyond_its_scope(stage: Stage) -> None:
    token, person = await stage.world.token(stage.superuser, scope=["members:manage"]), await _new_person(stage)
    raised = await token("PATCH", f"/api/members/{person.user_id}", {"role": "owner"}, headers=_ID)
    assert raised.status_code == 403, f"a scoped token made an owner: {raised.text}"


async def test_an_idempotency_key_does_not_reveal_a_secret_to_a_narrower_token(stage: Stage) -> None:
    key = {"idempotency-key": "one token"}
    first = await stage.superuser.post("/api/tokens", {"name": "Wide"}, headers=key)
    narrow = await stage.world.token(stage.superuser, scope=["settings:manage"])
    again = await narrow.post("/api/tokens", {"name": "Wide"}, headers=key)
    assert first.json()["token"] not in again.text


async def test_an_idempotency_key_is_valid_in_one_team_only(stage: Stage) -> None:
    here = await _new_person(stage)
    there = await stage.world.join(here, stage.teams[SISTER].team)
    key = {"idempotency-key": "one note"}
    notes = [await each.post("/api/notes", {"title": "Note"}, headers=key) for each in (here, there)]
    assert [note.json()["team_id"] for note in notes] == [here.team.id, there.team.id]


async def test_a_company_list_needs_org_read_whatever_the_other_filters(stage: Stage) -> None:
    person = await _new_person(stage)
    answer = await person.get("/api/notes?scope=org&shared=1", headers=_ID)
    assert not faults(answer, forbidden("org:read"))


async def test_a_token_cannot_create_one_with_a_wider_scope(stage: Stage) -> None:
    token = await stage.world.token(stage.superuser, scope=["settings:manage"])
    mark = await stage.writes.mark()
    for scope in (None, ["notes:read"], ["settings:manage", "notes:read"], ["jobs:execute"]):
        answer = await token.post("/api/tokens", {"name": "Wider", "scope": scope}, headers=_ID)
        assert not faults(answer, Outcome(403, "out_of_scope")), f"{scope}: {answer.text}"
    assert await stage.writes.since(mark) == []


async def test_a_token_cannot_share_a_note_beyond_its_scope(stage: Stage) -> None:
    token = await stage.world.token(stage.superuser, scope=["notes:manage"])
    note, person = await stage.note(stage.teams[HOME], "team"), await _new_person(stage)
    mark = await stage.writes.mark()
    roles = {"user_id": person.user_id, "permission": "notes:delete"}
    answer = await token.post(f"/api/notes/{note}/share", roles, headers=_ID)
    assert not faults(answer, Outcome(403, "out_of_scope", "notes:delete"))
    assert await stage.writes.since(mark) == []


async def test_an_admin_can_neither_appoint_nor_change_owners(stage: Stage) -> None:
    setup = stage.teams[HOME]
    admin, member = await _new_person(stage, Role.ADMIN), await _new_person(stage)
    owner = await stage.world.person(setup.org, setup.team, Role.OWNER)
    mark = await stage.writes.mark()
    answers = [
        await admin.post("/api/members", {"username": "another.owner", "role": "owner"}, headers=_ID),
        await admin("PATCH", f"/api/members/{member.user_id}", {"role": "owner"}, headers=_ID),
        await admin("PATCH", f"/api/members/{owner.user_id}", {"role": "guest"}, headers=_ID),
        await admin.delete(f"/api/members/{owner.user_id}", headers=_ID),
    ]
    assert [fault for answer in answers for fault in faults(answer, Outcome(403, "forbidden", "owner"))] == []
    assert await stage.writes.since(mark) == []


async def test_a_team_admin_cannot_remove_an_owner_of_the_company(stage: Stage) -> None:
    org, team = await stage.world.company()
    await stage.world.person(org, team, Role.OWNER, org_role=OrgRole.OWNER)
    owner = await stage.world.person(org, team, org_role=OrgRole.OWNER)
    for role in (Role.ADMIN, Role.OWNER):
        admin = await stage.world.person(org, team, role)
        mark = await stage.writes.mark()
        assert not faults(await admin.delete(f"/api/members/{owner.user_id}", headers=_ID), Outcome(409, "conflict"))
        assert await stage.writes.since(mark) == []


@pytest.mark.parametrize("roles", [{"role": "owner"}, {"role": "guest", "org_role": "org_owner"}])
async def test_a_company_token_cannot_add_a_role_beyond_its_scope(stage: Stage, roles: dict[str, str]) -> None:
    token = await stage.world.token(stage.superuser, scope=["org:manage"])
    mark = await stage.writes.mark()
    body = {"username": "wider", "team_id": token.team.id, **roles}
    added = await token.post("/api/org/members", body, headers=_ID)
    assert added.status_code == 403, f"a scoped token made an account with an unscoped one: {added.text}"
    assert await stage.writes.since(mark) == []


async def test_people_cannot_raise_their_own_role(stage: Stage) -> None:
    for role in (Role.OWNER, Role.ADMIN):
        person = await _new_person(stage, role)
        answer = await person("PATCH", f"/api/members/{person.user_id}", {"role": "owner"}, headers=_ID)
        assert not faults(answer, Outcome(403, "self_role_change"))


async def test_a_person_of_another_company_is_neither_added_nor_revealed(stage: Stage) -> None:
    setup = stage.teams[HOME]
    org, team = await stage.world.company()
    foreign_people = [await stage.world.person(org, team, Role.OWNER), await stage.world.person(org, None)]
    owner = await stage.world.person(setup.org, setup.team, Role.OWNER)
    mark = await stage.writes.mark()
    answers = [
        await owner.post("/api/members", {"username": person.username, "role": "guest"}, headers=_ID)
        for person in foreign_people
    ]
    assert [fault for answer in answers for fault in faults(answer, Outcome(409, "conflict"))] == []
    assert answers[0].content == answers[1].content
    assert await stage.writes.since(mark) == []


async def _new_person(stage: Stage, role: Role = Role.MEMBER) -> Caller:
    return await stage.world.person(stage.teams[HOME].org, stage.teams[HOME].team, role)
