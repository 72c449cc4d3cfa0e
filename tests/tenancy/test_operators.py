"""Only operators change the roles and memberships of operators."""

from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import refusal
from tests.support.world import Caller, World

FORBIDDEN = (403, "forbidden")


async def people(world: World) -> tuple[Caller, Caller, Caller]:
    """An operator who is a member, an owner of team and company, and another operator."""
    await world.bootstrap()
    org, team = await world.company()
    owner = await world.person(org, team, Role.OWNER, org_role=OrgRole.OWNER)
    await world.person(org, team, Role.OWNER, org_role=OrgRole.OWNER)
    target = await world.person(org, team, Role.MEMBER, org_role=OrgRole.READER, operator=True)
    return target, owner, await world.person(org, team, Role.GUEST, operator=True)


async def test_an_owner_cannot_change_demote_or_remove_an_operator(world: World) -> None:
    target, owner, _ = await people(world)
    before = await world.counts()
    for answer in (
        await owner("PATCH", f"/api/members/{target.user_id}", {"role": "guest"}),
        await owner("PATCH", f"/api/members/{target.user_id}", {"role": "owner"}),
        await owner.delete(f"/api/members/{target.user_id}"),
        await owner("PATCH", f"/api/org/members/{target.user_id}", {"org_role": None}),
        await owner("PATCH", f"/api/org/members/{target.user_id}", {"org_role": "org_admin"}),
        await owner("PATCH", f"/api/admin/users/{target.user_id}", {"disabled": True}),
        await owner.delete(f"/api/admin/users/{target.user_id}/2fa"),
        await owner.post(f"/api/members/{target.user_id}/transfer", {"to": owner.user_id}),
    ):
        assert refusal(answer) == FORBIDDEN, answer.request.url
    assert await world.counts() == before


async def test_adding_an_operator_to_a_team_does_not_change_their_role_in_the_company(world: World) -> None:
    target, owner, _ = await people(world)
    team = (await owner.post("/api/org/teams", {"name": "Second"})).json()
    body = {"username": target.username, "team_id": team["id"], "role": "guest"}
    assert refusal(await owner.post("/api/org/members", body | {"org_role": "org_admin"})) == FORBIDDEN
    assert (await owner.post("/api/org/members", body)).status_code == 201


async def test_an_operator_can_change_and_remove_an_operator(world: World) -> None:
    target, _, operator = await people(world)
    for answer in (
        await operator("PATCH", f"/api/members/{target.user_id}", {"role": "guest"}),
        await operator("PATCH", f"/api/org/members/{target.user_id}", {"org_role": None}),
        await operator.delete(f"/api/members/{target.user_id}"),
        await operator("PATCH", f"/api/admin/users/{target.user_id}", {"disabled": True}),
    ):
        assert answer.is_success, answer.text
