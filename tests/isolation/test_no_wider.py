"""A credential never leads to more than it holds itself, by whatever detour."""

import pytest

from teamspace.tenancy.schemas import OrgRole, Role
from tests.isolation.contract import HOME, SISTER
from tests.isolation.outcomes import REQUEST_ID, Outcome, faults, forbidden
from tests.isolation.stage import Stage
from tests.support.world import Caller

pytestmark = pytest.mark.asyncio(loop_scope="session")

_ID = {"x-request-id": REQUEST_ID}


async def test_a_token_for_members_alone_hands_out_no_role_beyond_its_scope(stage: Stage) -> None:
    token = await stage.world.token(stage.everything, scope=["members:manage"])
    mark = await stage.writes.mark()
    added = await token.post("/api/members", {"username": "wider", "role": "owner"}, headers=_ID)
    assert added.status_code == 403, f"a scoped token made an owner with an unscoped token: {added.text}"
    assert await stage.writes.since(mark) == []


async def test_a_token_for_members_alone_raises_nobody_beyond_its_scope(stage: Stage) -> None:
    token, person = await stage.world.token(stage.everything, scope=["members:manage"]), await _somebody(stage)
    raised = await token("PATCH", f"/api/members/{person.user_id}", {"role": "owner"}, headers=_ID)
    assert raised.status_code == 403, f"a scoped token made an owner: {raised.text}"


async def test_a_key_of_idempotency_does_not_carry_a_secret_to_a_narrower_token(stage: Stage) -> None:
    key = {"idempotency-key": "one token"}
    first = await stage.everything.post("/api/tokens", {"name": "Wide"}, headers=key)
    narrow = await stage.world.token(stage.everything, scope=["settings:manage"])
    again = await narrow.post("/api/tokens", {"name": "Wide"}, headers=key)
    assert first.json()["token"] not in again.text


async def test_a_key_of_idempotency_used_in_one_team_means_nothing_in_another(stage: Stage) -> None:
    here = await _somebody(stage)
    there = await stage.world.join(here, stage.spots[SISTER].team)
    key = {"idempotency-key": "one note"}
    notes = [await each.post("/api/notes", {"title": "Note"}, headers=key) for each in (here, there)]
    assert [note.json()["team_id"] for note in notes] == [here.team.id, there.team.id]


async def test_the_list_of_the_company_is_refused_without_its_right_whatever_else_is_asked(stage: Stage) -> None:
    person = await _somebody(stage)
    answer = await person.get("/api/notes?scope=org&shared=1", headers=_ID)
    assert not faults(answer, forbidden("org:read"))


async def test_a_token_is_given_no_scope_that_its_maker_lacks(stage: Stage) -> None:
    token = await stage.world.token(stage.everything, scope=["settings:manage"])
    mark = await stage.writes.mark()
    for scope in (None, ["notes:read"], ["settings:manage", "notes:read"], ["jobs:execute"]):
        answer = await token.post("/api/tokens", {"name": "Wider", "scope": scope}, headers=_ID)
        assert not faults(answer, Outcome(403, "out_of_scope")), f"{scope}: {answer.text}"
    assert await stage.writes.since(mark) == []


async def test_a_token_shares_a_note_for_nothing_beyond_its_scope(stage: Stage) -> None:
    token = await stage.world.token(stage.everything, scope=["notes:manage"])
    note, person = await stage.note(stage.spots[HOME], "team"), await _somebody(stage)
    mark = await stage.writes.mark()
    wish = {"user_id": person.user_id, "permission": "notes:delete"}
    answer = await token.post(f"/api/notes/{note}/share", wish, headers=_ID)
    assert not faults(answer, Outcome(403, "out_of_scope", "notes:delete"))
    assert await stage.writes.since(mark) == []


async def test_an_admin_names_no_owner_and_touches_none(stage: Stage) -> None:
    spot = stage.spots[HOME]
    admin, member = await _somebody(stage, Role.ADMIN), await _somebody(stage)
    owner = await stage.world.person(spot.org, spot.team, Role.OWNER)
    mark = await stage.writes.mark()
    answers = [
        await admin.post("/api/members", {"username": "another.owner", "role": "owner"}, headers=_ID),
        await admin("PATCH", f"/api/members/{member.user_id}", {"role": "owner"}, headers=_ID),
        await admin("PATCH", f"/api/members/{owner.user_id}", {"role": "guest"}, headers=_ID),
        await admin.delete(f"/api/members/{owner.user_id}", headers=_ID),
    ]
    assert [fault for answer in answers for fault in faults(answer, Outcome(403, "forbidden", "owner"))] == []
    assert await stage.writes.since(mark) == []


async def test_an_admin_of_a_team_takes_nobodys_ownership_of_the_company(stage: Stage) -> None:
    org, team = await stage.world.company()
    await stage.world.person(org, team, Role.OWNER, org_role=OrgRole.OWNER)
    owner = await stage.world.person(org, team, org_role=OrgRole.OWNER)
    for role in (Role.ADMIN, Role.OWNER):
        admin = await stage.world.person(org, team, role)
        mark = await stage.writes.mark()
        assert not faults(await admin.delete(f"/api/members/{owner.user_id}", headers=_ID), Outcome(409, "conflict"))
        assert await stage.writes.since(mark) == []


@pytest.mark.parametrize("wish", [{"role": "owner"}, {"role": "guest", "org_role": "org_owner"}])
async def test_a_token_for_the_company_alone_hands_out_no_role_beyond_its_scope(
    stage: Stage, wish: dict[str, str]
) -> None:
    token = await stage.world.token(stage.everything, scope=["org:manage"])
    mark = await stage.writes.mark()
    body = {"username": "wider", "team_id": token.team.id, **wish}
    added = await token.post("/api/org/members", body, headers=_ID)
    assert added.status_code == 403, f"a scoped token made an account with an unscoped one: {added.text}"
    assert await stage.writes.since(mark) == []


async def test_nobody_raises_themselves(stage: Stage) -> None:
    for role in (Role.OWNER, Role.ADMIN):
        person = await _somebody(stage, role)
        answer = await person("PATCH", f"/api/members/{person.user_id}", {"role": "owner"}, headers=_ID)
        assert not faults(answer, Outcome(403, "self_role_change"))


async def test_somebody_of_another_company_is_neither_added_nor_described(stage: Stage) -> None:
    spot = stage.spots[HOME]
    org, team = await stage.world.company()
    strangers = [await stage.world.person(org, team, Role.OWNER), await stage.world.person(org, None)]
    owner = await stage.world.person(spot.org, spot.team, Role.OWNER)
    mark = await stage.writes.mark()
    answers = [
        await owner.post("/api/members", {"username": stranger.username, "role": "guest"}, headers=_ID)
        for stranger in strangers
    ]
    assert [fault for answer in answers for fault in faults(answer, Outcome(409, "conflict"))] == []
    assert answers[0].content == answers[1].content
    assert await stage.writes.since(mark) == []


async def _somebody(stage: Stage, role: Role = Role.MEMBER) -> Caller:
    return await stage.world.person(stage.spots[HOME].org, stage.spots[HOME].team, role)
