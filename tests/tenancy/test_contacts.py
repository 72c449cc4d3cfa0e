"""Contacts for access: a few people who manage the caller's team and company."""

import pytest

from teamspace.core import clock
from teamspace.core.permissions import Permission as P
from teamspace.tenancy.domain import roles
from teamspace.tenancy.schemas import OrgRole, Role
from tests.support.rows import analyze, insert
from tests.support.visited import visited
from tests.support.world import Caller, World

CROWD = 5_000
_NUMBERS = (
    "WITH RECURSIVE numbers (n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < :crowd)"
)
_ID = "'00' || CAST(10000 + n AS TEXT)"
"""These sort first, so that a scan of all members would read them."""
_CROWD = (
    "INSERT INTO users (id, org_id, username, username_key, display_name, operator, created_at)"
    f" {_NUMBERS} SELECT {_ID}, :org, {_ID}, {_ID}, {_ID}, FALSE, :now FROM numbers",
    "INSERT INTO memberships (team_id, user_id, org_id, role, created_at)"
    f" {_NUMBERS} SELECT :team, {_ID}, :org, 'member', :now FROM numbers",
    "INSERT INTO org_roles (org_id, user_id, role, created_at)"
    f" {_NUMBERS} SELECT :org, {_ID}, 'org_reader', :now FROM numbers",
)


async def contacts(caller: Caller) -> dict[str, list[str]]:
    answer = await caller.get("/api/contacts")
    assert answer.status_code == 200, answer.text
    return {scope: [person["username"] for person in people] for scope, people in answer.json().items()}


@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER, Role.GUEST])
async def test_contacts_are_the_managers_of_the_team_and_the_company(world: World, role: Role) -> None:
    org, team = await world.company()
    other = await world.team(org)
    await world.person(org, team, Role.OWNER, username="olga")
    await world.person(org, team, Role.ADMIN, username="adam")
    await world.person(org, other, Role.ADMIN, username="elsewhere")
    await world.person(org, other, Role.GUEST, username="carla", org_role=OrgRole.ADMIN)
    await world.person(org, other, Role.GUEST, username="rita", org_role=OrgRole.READER)
    other_org, other_team = await world.company()
    await world.person(other_org, other_team, Role.OWNER, username="stranger", org_role=OrgRole.OWNER)
    caller = await world.person(org, team, role)
    assert await contacts(caller) == {"team": ["olga", "adam"], "org": ["carla"]}


async def test_contacts_exclude_the_caller_and_disabled_people(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.ADMIN, username="bob")
    gone = await world.person(ann.org, ann.team, Role.ADMIN, username="gone")
    answer = await ann("PATCH", f"/api/admin/users/{gone.user_id}", {"disabled": True})
    assert answer.status_code == 200, answer.text
    assert await contacts(bob) == {"team": ["ann"], "org": ["ann"]}
    assert await contacts(ann) == {"team": ["bob"], "org": []}


async def test_contacts_are_limited_to_three_at_constant_cost(world: World) -> None:
    org, team = await world.company()
    caller = await world.person(org, team)
    for number in range(4):
        await world.person(org, team, Role.ADMIN, username=f"admin{number}", org_role=OrgRole.ADMIN)
    before = await cost(world, caller)
    params = {"org": org.id, "team": team.id, "now": clock.stamp(), "crowd": CROWD}
    await insert(world, _CROWD, params)
    assert await contacts(caller) == {"team": [f"admin{n}" for n in range(3)], "org": [f"admin{n}" for n in range(3)]}
    assert await cost(world, caller) <= before + 10


async def cost(world: World, caller: Caller) -> int:
    await analyze(world)
    async with visited(world) as total:
        await contacts(caller)
    return total.count


def test_contacts_have_the_roles_that_can_manage_members() -> None:
    """The statements and indexes name these roles."""
    assert {role for role, permissions in roles.BY_ROLE.items() if P.MEMBERS_MANAGE in permissions} == {
        Role.OWNER,
        Role.ADMIN,
    }
    managing = {role for role, permissions in roles.BY_ORG_ROLE.items() if P.ORG_MANAGE in permissions}
    assert managing == {OrgRole.OWNER, OrgRole.ADMIN}
