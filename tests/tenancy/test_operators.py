"""An operator's place in teams and companies is changed by operators alone."""

from teamspace.tenancy.schemas import OrgRole, Role
from tests.identity.help import refusal
from tests.support.world import Caller, World

FORBIDDEN = (403, "forbidden")


async def cast(world: World) -> tuple[Caller, Caller, Caller]:
    """An operator who is but a member, whoever owns team and company, and another operator."""
    await world.bootstrap()
    org, team = await world.company()
    chief = await world.person(org, team, Role.OWNER, org_role=OrgRole.OWNER)
    await world.person(org, team, Role.OWNER, org_role=OrgRole.OWNER)
    target = await world.person(org, team, Role.MEMBER, org_role=OrgRole.READER, operator=True)
    return target, chief, await world.person(org, team, Role.GUEST, operator=True)


async def test_nobody_else_changes_demotes_or_removes_an_operator(world: World) -> None:
    target, chief, _ = await cast(world)
    before = await world.counts()
    for answer in (
        await chief("PATCH", f"/api/members/{target.user_id}", {"role": "guest"}),
        await chief("PATCH", f"/api/members/{target.user_id}", {"role": "owner"}),
        await chief.delete(f"/api/members/{target.user_id}"),
        await chief("PATCH", f"/api/org/members/{target.user_id}", {"org_role": None}),
        await chief("PATCH", f"/api/org/members/{target.user_id}", {"org_role": "org_admin"}),
        await chief("PATCH", f"/api/admin/users/{target.user_id}", {"disabled": True}),
        await chief.delete(f"/api/admin/users/{target.user_id}/2fa"),
        await chief.post(f"/api/members/{target.user_id}/transfer", {"to": chief.user_id}),
    ):
        assert refusal(answer) == FORBIDDEN, answer.request.url
    assert await world.counts() == before


async def test_adding_an_operator_to_a_team_does_not_change_their_role_in_the_company(world: World) -> None:
    target, chief, _ = await cast(world)
    team = (await chief.post("/api/org/teams", {"name": "Second"})).json()
    wish = {"username": target.username, "team_id": team["id"], "role": "guest"}
    assert refusal(await chief.post("/api/org/members", wish | {"org_role": "org_admin"})) == FORBIDDEN
    assert (await chief.post("/api/org/members", wish)).status_code == 201


async def test_an_operator_does(world: World) -> None:
    target, _, operator = await cast(world)
    for answer in (
        await operator("PATCH", f"/api/members/{target.user_id}", {"role": "guest"}),
        await operator("PATCH", f"/api/org/members/{target.user_id}", {"org_role": None}),
        await operator.delete(f"/api/members/{target.user_id}"),
        await operator("PATCH", f"/api/admin/users/{target.user_id}", {"disabled": True}),
    ):
        assert answer.is_success, answer.text
