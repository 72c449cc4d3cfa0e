"""Roles: who may give which, effective immediately."""

from teamspace.settings import Settings
from teamspace.tenancy.domain.roles import BY_ROLE
from teamspace.tenancy.schemas import Role
from tests.identity.help import refusal
from tests.support.world import Caller, World
from tests.support.world import world as open_world

FORBIDDEN = (403, "forbidden")
ASSIGNABLE: dict[Role, set[Role]] = {
    Role.OWNER: {Role.OWNER, Role.ADMIN, Role.MEMBER, Role.VIEWER, Role.GUEST},
    Role.ADMIN: {Role.ADMIN, Role.MEMBER, Role.VIEWER, Role.GUEST},
}
"""The roles that a role can assign; others can assign none."""


async def change(caller: Caller, user_id: str, role: str) -> tuple[int, str]:
    answer = await caller("PATCH", f"/api/members/{user_id}", {"role": role})
    return (200, answer.json()["role"]) if answer.is_success else refusal(answer)


async def test_each_role_can_assign_only_certain_roles(world: World) -> None:
    org, team = await world.company()
    await world.person(org, team, Role.OWNER)
    subject = await world.person(org, team, Role.GUEST)
    for actor in set(Role) - {Role.WORKER}:
        caller = await world.person(org, team, actor)
        for role in (Role.OWNER, Role.ADMIN, Role.MEMBER, Role.VIEWER, Role.GUEST, Role.WORKER):
            allowed = role in ASSIGNABLE.get(actor, set())
            answer = await caller.post("/api/members", {"username": f"{role}.by.{actor}", "role": role})
            assert answer.status_code == (201 if allowed else 403), (actor, role)
        for role in (Role.ADMIN, Role.MEMBER, Role.VIEWER, Role.GUEST, Role.WORKER):
            allowed = role in ASSIGNABLE.get(actor, set())
            assert await change(caller, subject.user_id, role) == ((200, role) if allowed else FORBIDDEN), actor


async def test_only_an_owner_changes_an_owner(world: World) -> None:
    org, team = await world.company()
    owner, other = [await world.person(org, team, Role.OWNER) for _ in range(2)]
    admin = await world.person(org, team, Role.ADMIN)
    assert await change(admin, owner.user_id, Role.GUEST) == FORBIDDEN
    assert refusal(await admin.delete(f"/api/members/{owner.user_id}")) == FORBIDDEN
    assert await change(admin, admin.user_id, Role.OWNER) == (403, "self_role_change")
    assert await change(other, owner.user_id, Role.GUEST) == (200, Role.GUEST)


async def test_an_operator_can_assign_every_role_but_worker(world: World) -> None:
    ann = await world.bootstrap()
    for number, role in enumerate(Role):
        answer = await ann.post("/api/members", {"username": f"new{number}", "role": role})
        assert answer.status_code == (403 if role is Role.WORKER else 201), role


async def test_a_company_role_is_not_a_team_role(world: World) -> None:
    ann = await world.bootstrap()
    for role in ("org_owner", "org_admin", "superuser", "", "Owner"):
        answer = await ann.post("/api/members", {"username": "bob", "role": role})
        assert refusal(answer) == (400, "invalid_request")


async def test_changing_ones_own_role_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    await world.person(ann.org, ann.team, Role.OWNER)
    for role in (Role.OWNER, Role.MEMBER):
        assert await change(ann, ann.user_id, role) == (403, "self_role_change")


async def test_a_new_role_is_effective_from_the_next_request_on(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.VIEWER)
    body = {"title": "A note"}
    for role, status in ((Role.MEMBER, 201), (Role.GUEST, 403), (Role.ADMIN, 201), (Role.VIEWER, 403)):
        assert await change(ann, bob.user_id, role) == (200, role)
        assert (await bob.post("/api/notes", body)).status_code == status
        permissions = (await bob.get("/api/whoami")).json()["permissions"]
        assert set(permissions) == BY_ROLE[role]


async def test_a_role_change_by_another_process_affects_the_next_write(settings: Settings) -> None:
    async with open_world(settings) as first, open_world(settings) as second:
        ann = await first.bootstrap()
        bob = await first.person(ann.org, ann.team, Role.MEMBER)
        remote = Caller(second, bob.token)
        assert (await remote.post("/api/notes", {"title": "Before"})).status_code == 201
        assert await change(ann, bob.user_id, Role.VIEWER) == (200, Role.VIEWER)
        assert refusal(await remote.post("/api/notes", {"title": "After"})) == FORBIDDEN


async def test_a_scoped_token_cannot_assign_a_role_beyond_its_scope(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.GUEST)
    scoped = await world.token(ann, scope=["members:manage", "notes:read"])
    answer = await scoped.post("/api/members", {"username": "eve", "role": "admin"})
    assert answer.status_code == 403, "the new admin's token would have more permissions"
    assert (await change(scoped, bob.user_id, Role.ADMIN))[0] == 403
    assert await change(scoped, bob.user_id, Role.GUEST) == (200, Role.GUEST)
