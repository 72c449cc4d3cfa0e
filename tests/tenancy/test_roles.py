"""Roles: who may give which, and that rights follow at once."""

from teamspace.settings import Settings
from teamspace.tenancy.domain.roles import BY_ROLE
from teamspace.tenancy.schemas import Role
from tests.identity.help import refusal
from tests.support.world import Caller, World
from tests.support.world import world as opened

FORBIDDEN = (403, "forbidden")
GIVEN_BY: dict[Role, set[Role]] = {
    Role.OWNER: {Role.OWNER, Role.ADMIN, Role.MEMBER, Role.VIEWER, Role.GUEST},
    Role.ADMIN: {Role.ADMIN, Role.MEMBER, Role.VIEWER, Role.GUEST},
}
"""Whoever is not named gives no role at all."""


async def change(caller: Caller, user_id: str, role: str) -> tuple[int, str]:
    answer = await caller("PATCH", f"/api/members/{user_id}", {"role": role})
    return (200, answer.json()["role"]) if answer.is_success else refusal(answer)


async def test_a_role_is_given_only_by_those_above_it(world: World) -> None:
    org, team = await world.company()
    await world.person(org, team, Role.OWNER)
    subject = await world.person(org, team, Role.GUEST)
    for actor in set(Role) - {Role.WORKER}:
        caller = await world.person(org, team, actor)
        for role in (Role.OWNER, Role.ADMIN, Role.MEMBER, Role.VIEWER, Role.GUEST, Role.WORKER):
            may = role in GIVEN_BY.get(actor, set())
            answer = await caller.post("/api/members", {"username": f"{role}.by.{actor}", "role": role})
            assert answer.status_code == (201 if may else 403), (actor, role)
        for role in (Role.ADMIN, Role.MEMBER, Role.VIEWER, Role.GUEST, Role.WORKER):
            may = role in GIVEN_BY.get(actor, set())
            assert await change(caller, subject.user_id, role) == ((200, role) if may else FORBIDDEN), actor


async def test_only_an_owner_touches_an_owner(world: World) -> None:
    org, team = await world.company()
    owner, other = [await world.person(org, team, Role.OWNER) for _ in range(2)]
    admin = await world.person(org, team, Role.ADMIN)
    assert await change(admin, owner.user_id, Role.GUEST) == FORBIDDEN
    assert refusal(await admin.delete(f"/api/members/{owner.user_id}")) == FORBIDDEN
    assert await change(admin, admin.user_id, Role.OWNER) == (403, "self_role_change")
    assert await change(other, owner.user_id, Role.GUEST) == (200, Role.GUEST)


async def test_an_operator_gives_every_role_but_that_of_a_worker(world: World) -> None:
    ann = await world.bootstrap()
    for number, role in enumerate(Role):
        answer = await ann.post("/api/members", {"username": f"new{number}", "role": role})
        assert answer.status_code == (403 if role is Role.WORKER else 201), role


async def test_a_role_of_the_company_gives_none_in_the_team(world: World) -> None:
    ann = await world.bootstrap()
    for role in ("org_owner", "org_admin", "superuser", "", "Owner"):
        answer = await ann.post("/api/members", {"username": "bob", "role": role})
        assert refusal(answer) == (400, "invalid_request")


async def test_nobody_changes_their_own_role(world: World) -> None:
    ann = await world.bootstrap()
    await world.person(ann.org, ann.team, Role.OWNER)
    for role in (Role.OWNER, Role.MEMBER):
        assert await change(ann, ann.user_id, role) == (403, "self_role_change")


async def test_a_new_role_holds_from_the_next_request_on(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.VIEWER)
    wish = {"title": "A note"}
    for role, status in ((Role.MEMBER, 201), (Role.GUEST, 403), (Role.ADMIN, 201), (Role.VIEWER, 403)):
        assert await change(ann, bob.user_id, role) == (200, role)
        assert (await bob.post("/api/notes", wish)).status_code == status
        held = (await bob.get("/api/whoami")).json()["permissions"]
        assert set(held) == BY_ROLE[role]


async def test_a_role_taken_away_by_another_process_is_gone_for_the_next_write(settings: Settings) -> None:
    async with opened(settings) as one, opened(settings) as other:
        ann = await one.bootstrap()
        bob = await one.person(ann.org, ann.team, Role.MEMBER)
        there = Caller(other, bob.token)
        assert (await there.post("/api/notes", {"title": "Before"})).status_code == 201
        assert await change(ann, bob.user_id, Role.VIEWER) == (200, Role.VIEWER)
        assert refusal(await there.post("/api/notes", {"title": "After"})) == FORBIDDEN


async def test_a_scoped_token_gives_no_role_beyond_its_scope(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, Role.GUEST)
    scoped = await world.token(ann, scope=["members:manage", "notes:read"])
    answer = await scoped.post("/api/members", {"username": "eve", "role": "admin"})
    assert answer.status_code == 403, "the first token of a new admin would be wider than the one that made it"
    assert (await change(scoped, bob.user_id, Role.ADMIN))[0] == 403
    assert await change(scoped, bob.user_id, Role.GUEST) == (200, Role.GUEST)
