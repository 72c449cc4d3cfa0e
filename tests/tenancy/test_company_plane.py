"""The caller's own company: teams, people and company roles."""

from typing import Any

import httpx2
import msgspec

from teamspace.tenancy.schemas import OrgRole, Role, Team
from tests.identity.help import OTHER_PASSWORD, broken, conflict, is_alive, login, refusal
from tests.support.world import PASSWORD, Caller, World

CONFLICT = (409, "conflict")
FORBIDDEN = (403, "forbidden")
INVALID = (400, "invalid_request")
NOT_FOUND = (404, "not_found")
SELF = (403, "self_role_change")


async def company_owner(world: World) -> Caller:
    """The owner of a company with one team; the operator belongs to another company."""
    await world.bootstrap()
    return await create_company(world, "Aurora", "noor")


async def create_company(world: World, name: str, owner: str) -> Caller:
    org, team = await world.company(name)
    return await world.person(org, team, Role.OWNER, username=owner, org_role=OrgRole.OWNER, password=PASSWORD)


async def member(owner: Caller, org_role: OrgRole | None = None, role: Role = Role.MEMBER, **more: Any) -> Caller:
    """A member of the owner's team."""
    return await owner.world.person(owner.org, owner.team, role, org_role=org_role, **more)


async def create_team(caller: Caller, name: str, **more: Any) -> Team:
    answer = await caller.post("/api/org/teams", {"name": name, **more})
    assert answer.status_code == 201, answer.text
    return msgspec.convert(answer.json(), Team)


async def add(caller: Caller, username: str, team: Team | str, **more: Any) -> httpx2.Response:
    team_id = team if isinstance(team, str) else team.id
    return await caller.post("/api/org/members", {"username": username, "team_id": team_id, **more})


async def set_org_role(caller: Caller, user_id: str, role: str | None) -> tuple[int, str | None]:
    answer = await caller("PATCH", f"/api/org/members/{user_id}", {"org_role": role})
    return (200, answer.json()["org_role"]) if answer.is_success else refusal(answer)


async def whoami(caller: Caller) -> dict[str, Any]:
    me: dict[str, Any] = (await caller.get("/api/whoami")).json()
    return me


def pointers(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 400, answer.text
    return [error["pointer"] for error in answer.json()["errors"]]


# The company and its teams


async def test_a_company_role_allows_reading_the_company_and_its_teams(world: World) -> None:
    noor = await company_owner(world)
    rights = await create_team(noor, "Rights")
    shown = [(await caller.get("/api/org")).json() for caller in (noor, await member(noor, OrgRole.READER, Role.GUEST))]
    assert shown[0] == shown[1] == shown[0] | msgspec.to_builtins(noor.org)
    assert shown[0]["teams"] == msgspec.to_builtins([rights, noor.team])
    assert [row["limit"] for row in shown[0]["quotas"]] == [100, 200_000, 2, 5 * 1024**3, 100_000]
    for path in ("/api/org", "/api/org/teams"):
        assert refusal(await (await member(noor)).get(path)) == FORBIDDEN


async def test_an_operator_needs_no_role_in_the_company(world: World) -> None:
    noor = await company_owner(world)
    operator = await member(noor, None, Role.GUEST, operator=True)
    assert (await operator.get("/api/org")).json()["id"] == noor.org.id
    assert (await operator.post("/api/org/teams", {"name": "Rights"})).status_code == 201
    assert (await add(operator, "jonas", noor.team)).status_code == 201


async def test_teams_are_listed_newest_first_in_pages(world: World) -> None:
    noor = await company_owner(world)
    await create_company(world, "Borealis", "ines")
    for number in range(3):
        await create_team(noor, f"Team {number}")
    first = (await noor.get("/api/org/teams?limit=3")).json()
    second = (await noor.get(f"/api/org/teams?limit=3&cursor={first['next_cursor']}")).json()
    assert [team["name"] for team in first["items"]] == ["Team 2", "Team 1", "Team 0"]
    assert (second["items"], second["next_cursor"]) == ([msgspec.to_builtins(noor.team)], None)


async def test_the_creator_of_a_team_owns_it(world: World) -> None:
    noor = await company_owner(world)
    admin = await member(noor, OrgRole.ADMIN, Role.GUEST, username="admin", password=PASSWORD)
    team = await create_team(admin, "Rights & Permissions")
    assert (team.org_id, team.slug, team.name) == (noor.org.id, "rights-permissions", "Rights & Permissions")
    roles = {team["slug"]: team["role"] for team in (await whoami(admin))["teams"]}
    assert roles == {noor.team.slug: "guest", "rights-permissions": "owner"}
    signed_in = await login(world, "admin", team=team.slug)
    assert (signed_in.json()["team"]["id"], signed_in.json()["org"]["id"]) == (team.id, noor.org.id)
    me = await whoami(Caller(world, signed_in.json()["token"]))
    assert (me["role"], me["features"]) == ("owner", ["agent", "chat", "translate", "workflows"])
    assert [team["slug"] for team in (await whoami(noor))["teams"]] == [noor.team.slug], "only the creator joined it"
    assert await broken(world) == []


async def test_a_team_slug_is_unique_in_its_company(world: World) -> None:
    noor = await company_owner(world)
    ines = await create_company(world, "Borealis", "ines")
    assert (await create_team(noor, "Rights", slug="legal")).slug == "legal"
    before = await world.counts()
    assert conflict(await noor.post("/api/org/teams", {"name": "Other", "slug": "legal"})) == "/slug"
    assert await world.counts() == before
    assert (await create_team(ines, "Rights", slug="legal")).slug == "legal"
    assert [(await create_team(noor, "Rights")).slug for _ in range(3)] == ["rights", "rights-2", "rights-3"]


async def test_an_invalid_team_is_refused_with_a_pointer(world: World) -> None:
    noor = await company_owner(world)
    before = await world.counts()
    for body, pointer in (
        ({"name": ""}, "/name"),
        ({"name": "x" * 81}, "/name"),
        ({"name": "a\u202eb"}, "/name"),
        ({"name": "Rights", "slug": "R"}, "/slug"),
        ({"name": "Rights", "slug": "a b"}, "/slug"),
        ({"name": "Rights", "slug": "01a12345-0000-7000-8000-000000000000"}, "/slug"),
    ):
        assert pointers(await noor.post("/api/org/teams", body)) == [pointer], body
    for body in ({}, {"slug": "rights"}, {"name": "Rights", "org_id": "x"}):
        assert refusal(await noor.post("/api/org/teams", body)) == INVALID
    assert await world.counts() == before


async def test_an_empty_slug_is_refused(world: World) -> None:
    noor = await company_owner(world)
    assert pointers(await noor.post("/api/org/teams", {"name": "Rights", "slug": ""})) == ["/slug"]


async def test_company_readers_and_plain_members_cannot_change_the_company(world: World) -> None:
    noor = await company_owner(world)
    callers = [await member(noor, OrgRole.READER, Role.OWNER), await member(noor, None, Role.OWNER)]
    before = await world.counts()
    for caller in callers:
        assert refusal(await caller.post("/api/org/teams", {"name": "Rights"})) == FORBIDDEN
        assert refusal(await add(caller, "jonas", noor.team)) == FORBIDDEN
        assert await set_org_role(caller, callers[0].user_id, "org_admin") == FORBIDDEN
    assert await world.counts() == before


# Adding people


async def test_a_new_person_gets_an_account_and_a_token(world: World) -> None:
    noor = await company_owner(world)
    rights = await create_team(noor, "Rights")
    answer = await add(noor, "Jonas", rights, display_name="Jonas Lind", password=OTHER_PASSWORD)
    assert answer.status_code == 201
    created = answer.json()
    assert created == {
        "member": {
            "user_id": created["member"]["user_id"], "username": "Jonas", "display_name": "Jonas Lind", "role": "member",
            "org_role": None, "two_factor": False, "last_seen_at": None, "disabled": False,
        },
        "token": created["token"],
    }  # fmt: skip
    me = await whoami(Caller(world, created["token"]))
    assert (me["team"]["id"], me["role"], me["org"]["id"]) == (rights.id, "member", noor.org.id)
    assert (await login(world, "jonas", OTHER_PASSWORD)).json()["team"]["id"] == rights.id
    assert await broken(world) == []


async def test_a_new_person_without_a_password_gets_an_activation_link(world: World) -> None:
    noor = await company_owner(world)
    rights = await create_team(noor, "Rights")
    created = (await add(noor, "jonas", rights)).json()
    assert set(created) == {"member", "token", "activation_url"}
    link = {"token": created["activation_url"].partition("#")[2], "password": OTHER_PASSWORD}
    first = await world.anonymous.post("/api/activate", link)
    assert (first.status_code, first.json()["team"]["id"]) == (200, rights.id)
    assert (await login(world, "jonas", OTHER_PASSWORD)).status_code == 200


async def test_an_existing_person_joins_unchanged_and_without_a_token(world: World) -> None:
    noor = await company_owner(world)
    rights = await create_team(noor, "Rights")
    jonas = await member(noor, username="jonas", password=PASSWORD)
    answer = await add(noor, "JONAS", rights, role="viewer", password=OTHER_PASSWORD, display_name="Else")
    assert (answer.status_code, set(answer.json())) == (201, {"member"})
    added = answer.json()["member"]
    assert (added["user_id"], added["display_name"], added["role"]) == (jonas.user_id, "jonas", "viewer")
    assert (await login(world, "jonas", team=rights.slug)).status_code == 200
    assert refusal(await login(world, "jonas", OTHER_PASSWORD)) == (401, "invalid_credentials")


async def test_a_company_manager_can_assign_any_team_role(world: World) -> None:
    noor = await company_owner(world)
    admin = await member(noor, OrgRole.ADMIN, Role.GUEST)
    for number, role in enumerate(("owner", "admin", "member", "viewer", "guest")):
        answer = await add(admin, f"new{number}", noor.team, role=role)
        assert (answer.status_code, answer.json()["member"]["role"]) == (201, role)
    before = await world.counts()
    for role in ("worker", "translator", "reviewer"):
        assert refusal(await add(admin, "never", noor.team, role=role)) == FORBIDDEN, role
    assert await world.counts() == before


async def test_a_member_is_not_added_again(world: World) -> None:
    noor = await company_owner(world)
    jonas = await member(noor, username="jonas")
    before = await world.counts()
    for username in ("jonas", "JONAS"):
        assert conflict(await add(noor, username, noor.team, org_role="org_admin")) == "/username"
    assert refusal(await add(noor, "noor", noor.team)) == CONFLICT
    assert await world.counts() == before
    assert (await whoami(jonas))["org_role"] is None


async def test_a_username_of_another_company_is_refused_without_details(world: World) -> None:
    noor = await company_owner(world)
    ines = await create_company(world, "Borealis", "ines")
    before = await world.counts()
    for username in ("ines", "INES", "ann"):
        answer = await add(noor, username, noor.team)
        assert conflict(answer) == "/username"
        assert answer.json()["detail"] == "This username cannot be added here."
        assert ines.user_id not in answer.text and ines.org.id not in answer.text
    assert await world.counts() == before


async def test_a_team_of_another_company_is_not_found(world: World) -> None:
    noor = await company_owner(world)
    ines = await create_company(world, "Borealis", "ines")
    before = await world.counts()
    foreign, unknown = [await add(noor, "jonas", team) for team in (ines.team, "nothing")]
    assert refusal(foreign) == refusal(unknown) == NOT_FOUND
    assert foreign.json() | {"request_id": ""} == unknown.json() | {"request_id": ""}
    for team in ("", "' OR 1=1 --", noor.team.slug, ines.org.id):
        assert refusal(await add(noor, "jonas", team)) == NOT_FOUND
    assert await world.counts() == before


async def test_an_invalid_person_is_refused_with_a_pointer(world: World) -> None:
    noor = await company_owner(world)
    before = await world.counts()
    wrong: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("a", {}, "/username"),
        ("jonas lind", {}, "/username"),
        ("jonas", {"role": "boss"}, "/role"),
        ("jonas", {"role": None}, "/role"),
        ("jonas", {"org_role": "owner"}, "/org_role"),
        ("jonas", {"password": "short"}, "/password"),
        ("jonas", {"password": "password1234"}, "/password"),
        ("jonas", {"display_name": "a\nb"}, "/display_name"),
    )
    for username, more, pointer in wrong:
        assert pointers(await add(noor, username, noor.team, **more)) == [pointer], more
    for body in ({}, {"username": "jonas"}, {"team_id": noor.team.id}):
        assert refusal(await noor.post("/api/org/members", body)) == INVALID
    assert refusal(await add(noor, "jonas", noor.team, operator=True)) == INVALID
    assert await world.counts() == before


async def test_a_person_can_be_added_with_a_company_role(world: World) -> None:
    noor = await company_owner(world)
    for role in ("org_reader", "org_admin", "org_owner"):
        answer = await add(noor, role.replace("_", "."), noor.team, role="guest", org_role=role)
        assert (answer.status_code, answer.json()["member"]["org_role"]) == (201, role)
        me = await whoami(Caller(world, answer.json()["token"]))
        assert (me["role"], me["org_role"]) == ("guest", role)


async def test_only_owners_and_operators_add_company_owners(world: World) -> None:
    noor = await company_owner(world)
    admin = await member(noor, OrgRole.ADMIN, Role.OWNER)
    before = await world.counts()
    assert refusal(await add(admin, "jonas", noor.team, org_role="org_owner")) == FORBIDDEN
    assert await world.counts() == before
    assert (await add(admin, "jonas", noor.team, org_role="org_admin")).status_code == 201
    operator = await member(noor, None, Role.GUEST, operator=True)
    for number, caller in enumerate((operator, noor)):
        answer = await add(caller, f"owner{number}", noor.team, org_role="org_owner")
        assert answer.json()["member"]["org_role"] == "org_owner"


async def test_joining_another_team_cannot_change_ones_own_company_role(world: World) -> None:
    noor = await company_owner(world)
    admin = await member(noor, OrgRole.ADMIN, username="admin")
    operator = await member(noor, None, Role.OWNER, username="operator", operator=True)
    rights = await create_team(noor, "Rights")
    before = await world.counts()
    for caller in (admin, operator):
        for role in ("org_owner", "org_admin", "org_reader"):
            assert refusal(await add(caller, caller.username, rights, org_role=role)) == SELF
    assert await world.counts() == before
    assert (await add(admin, "admin", rights, role="viewer")).status_code == 201, (
        "joining without a company role is allowed"
    )


async def test_adding_to_a_team_follows_the_rules_of_company_roles(world: World) -> None:
    noor = await company_owner(world)
    admin = await member(noor, OrgRole.ADMIN, username="admin")
    operator = await member(noor, None, Role.GUEST, operator=True)
    rights = await create_team(admin, "Rights")
    before = await world.counts()
    assert refusal(await add(admin, "noor", rights, org_role="org_reader")) == FORBIDDEN
    assert refusal(await add(operator, "noor", rights, org_role="org_reader")) == CONFLICT, "the last owner"
    assert await world.counts() == before
    assert (await whoami(noor))["org_role"] == "org_owner"


# Roles in the company


async def test_a_company_role_is_set_changed_and_cleared_immediately(world: World) -> None:
    noor = await company_owner(world)
    jonas = await member(noor, None, Role.VIEWER, username="jonas")
    for role in ("org_reader", "org_admin", "org_owner", None, None, "org_admin"):
        answer = await noor("PATCH", f"/api/org/members/{jonas.user_id}", {"org_role": role})
        assert answer.status_code == 200
        assert answer.json() == {
            "user_id": jonas.user_id, "username": "jonas", "display_name": "jonas", "role": "viewer", "org_role": role,
            "two_factor": False, "last_seen_at": answer.json()["last_seen_at"], "disabled": False,
        }  # fmt: skip
        assert (await whoami(jonas))["org_role"] == role
        assert (await jonas.get("/api/org")).status_code == (200 if role else 403)


async def test_changing_ones_own_company_role_is_refused(world: World) -> None:
    noor = await company_owner(world)
    await member(noor, OrgRole.OWNER)
    admin = await member(noor, OrgRole.ADMIN)
    operator = await member(noor, None, Role.OWNER, operator=True)
    for caller in (noor, admin, operator):
        before = (await whoami(caller))["org_role"]
        for role in ("org_owner", "org_admin", "org_reader", None):
            assert await set_org_role(caller, caller.user_id, role) == SELF
        assert (await whoami(caller))["org_role"] == before


async def test_only_a_company_owner_changes_company_owners(world: World) -> None:
    noor = await company_owner(world)
    other = await member(noor, OrgRole.OWNER)
    admin, second = await member(noor, OrgRole.ADMIN), await member(noor, OrgRole.ADMIN)
    jonas = await member(noor)
    for subject, role in ((jonas, "org_owner"), (second, "org_owner"), (other, None), (other, "org_admin")):
        assert await set_org_role(admin, subject.user_id, role) == FORBIDDEN
    assert await set_org_role(admin, jonas.user_id, "org_reader") == (200, "org_reader")
    assert await set_org_role(admin, second.user_id, None) == (200, None)
    assert await set_org_role(noor, other.user_id, "org_admin") == (200, "org_admin")
    assert await set_org_role(noor, jonas.user_id, "org_owner") == (200, "org_owner")


async def test_an_operator_changes_company_owners_but_not_the_last(world: World) -> None:
    noor = await company_owner(world)
    operator = await member(noor, None, Role.GUEST, operator=True)
    jonas = await member(noor)
    for role in (None, "org_admin", "org_reader"):
        assert await set_org_role(operator, noor.user_id, role) == CONFLICT
    assert (await whoami(noor))["org_role"] == "org_owner"
    assert await set_org_role(operator, noor.user_id, "org_owner") == (200, "org_owner")
    assert await set_org_role(operator, jonas.user_id, "org_owner") == (200, "org_owner")
    assert await set_org_role(operator, noor.user_id, None) == (200, None)
    assert await set_org_role(operator, jonas.user_id, None) == CONFLICT
    assert await broken(world) == []


async def test_people_of_other_companies_are_not_found(world: World) -> None:
    noor = await company_owner(world)
    ines = await create_company(world, "Borealis", "ines")
    before = await world.counts()
    path = "/api/org/members/"
    foreign, unknown = [await noor("PATCH", path + user, {"org_role": None}) for user in (ines.user_id, "nobody")]
    assert refusal(foreign) == refusal(unknown) == NOT_FOUND
    assert foreign.json() | {"request_id": ""} == unknown.json() | {"request_id": ""}
    assert await set_org_role(noor, "noor", "org_admin") == NOT_FOUND, "an id is required, not a name"
    assert await world.counts() == before
    assert (await whoami(ines))["org_role"] == "org_owner"


async def test_an_invalid_change_of_a_company_role_is_refused(world: World) -> None:
    noor = await company_owner(world)
    jonas = await member(noor, OrgRole.READER)
    bodies: tuple[dict[str, Any], ...] = (
        {}, {"role": "owner"}, {"org_role": "owner"}, {"org_role": ""}, {"org_role": "org_admin", "role": "owner"},
    )  # fmt: skip
    for body in bodies:
        assert refusal(await noor("PATCH", f"/api/org/members/{jonas.user_id}", body)) == INVALID, body
    assert (await whoami(jonas))["org_role"] == "org_reader"


# People of the company


async def test_people_of_the_company_are_listed_with_their_role_in_the_callers_team(world: World) -> None:
    noor = await company_owner(world)
    rights = await create_team(noor, "Rights")
    await create_company(world, "Borealis", "ines")
    reader = await member(noor, OrgRole.READER, Role.VIEWER, username="reader")
    await world.person(noor.org, rights, Role.ADMIN, username="jonas")
    listed = (await reader.get("/api/members?scope=org")).json()
    assert [(row["username"], row["role"], row["org_role"]) for row in listed["items"]] == [
        ("jonas", None, None), ("reader", "viewer", "org_reader"), ("noor", "owner", "org_owner"),
    ]  # fmt: skip
    assert listed["next_cursor"] is None
    assert [row["username"] for row in (await reader.get("/api/members")).json()["items"]] == ["reader", "noor"]


async def test_the_list_of_the_company_is_paged(world: World) -> None:
    noor = await company_owner(world)
    for number in range(4):
        await member(noor, username=f"member{number}")
    first = (await noor.get("/api/members?scope=org&limit=3")).json()
    second = (await noor.get(f"/api/members?scope=org&limit=3&cursor={first['next_cursor']}")).json()
    names = [row["username"] for row in first["items"] + second["items"]]
    assert names == ["member3", "member2", "member1", "member0", "noor"]
    assert second["next_cursor"] is None


async def test_listing_the_company_needs_a_company_role(world: World) -> None:
    noor = await company_owner(world)
    path = "/api/members?scope=org"
    for role in (Role.OWNER, Role.ADMIN, Role.MEMBER):
        assert refusal(await (await member(noor, None, role)).get(path)) == FORBIDDEN
    assert (await (await member(noor, None, Role.GUEST, operator=True)).get(path)).status_code == 200
    narrow, wide = [await world.token(noor, scope=[scope]) for scope in ("notes:read", "org:read")]
    assert (await narrow.get(path)).status_code == 403
    assert (await wide.get(path)).status_code == 200
    for query in ("scope=team", "scope=", "scope=org&scope=org", "org=1"):
        assert refusal(await noor.get(f"/api/members?{query}")) == INVALID, query


# Leaving


async def test_a_person_with_a_company_role_cannot_leave_their_last_team(world: World) -> None:
    noor = await company_owner(world)
    rights = await create_team(noor, "Rights")
    admin = await member(noor, OrgRole.ADMIN, username="admin")
    there = await world.join(admin, rights)
    assert (await noor.delete(f"/api/members/{admin.user_id}")).status_code == 204
    assert (await whoami(there))["org_role"] == "org_admin", "there is another team"
    owner_there = await world.join(noor, await world.team(noor.org), Role.OWNER)
    answer = await owner_there.post("/api/members", {"username": "admin", "role": "member"})
    assert answer.status_code == 201

    assert (await owner_there.delete(f"/api/members/{admin.user_id}")).status_code == 204
    assert (await whoami(there))["org_role"] == "org_admin"
    in_rights = (await login(world, "noor", team=rights.slug)).json()["token"]
    last = f"/api/members/{admin.user_id}"
    assert refusal(await Caller(world, in_rights).delete(last)) == CONFLICT
    assert await is_alive(there)

    assert await set_org_role(noor, admin.user_id, None) == (200, None)
    assert (await Caller(world, in_rights).delete(last)).status_code == 204
    assert not await is_alive(there)
    assert await broken(world) == []


async def test_the_last_company_owner_cannot_leave_their_last_team(world: World) -> None:
    noor = await company_owner(world)
    other = await member(noor, OrgRole.ADMIN, Role.OWNER)
    before = await world.counts()
    for caller in (other, noor):
        assert refusal(await caller.delete(f"/api/members/{noor.user_id}")) == CONFLICT
    assert await world.counts() == before
    assert await is_alive(noor)

    rights = await create_team(noor, "Rights")
    assert (await other.delete(f"/api/members/{noor.user_id}")).status_code == 204, "there is another team"
    there = Caller(world, (await login(world, "noor")).json()["token"])
    me = await whoami(there)
    assert (me["team"]["id"], me["org_role"]) == (rights.id, "org_owner")
    assert await set_org_role(there, other.user_id, "org_owner") == (200, "org_owner")
    assert await broken(world) == []


async def test_a_company_owner_can_leave_if_there_is_another(world: World) -> None:
    noor = await company_owner(world)
    other = await member(noor, OrgRole.OWNER, Role.OWNER)
    assert refusal(await other.delete(f"/api/members/{noor.user_id}")) == CONFLICT
    assert await set_org_role(other, noor.user_id, None) == (200, None)
    assert (await other.delete(f"/api/members/{noor.user_id}")).status_code == 204
    assert not await is_alive(noor)
    assert refusal(await login(world, "noor")) == FORBIDDEN
    assert await broken(world) == []


async def test_a_person_without_a_team_gets_no_company_role(world: World) -> None:
    """They cannot sign in, so they must not be the only owner."""
    noor = await company_owner(world)
    jonas = await member(noor)
    await noor.delete(f"/api/members/{jonas.user_id}")
    assert (await set_org_role(noor, jonas.user_id, "org_owner"))[0] in (404, 409)
    assert await world.db.all(str, "SELECT role FROM org_roles WHERE user_id = :id", id=jonas.user_id) == []


# Suspension


async def test_a_suspended_company_cannot_change_teams_or_people(world: World) -> None:
    noor = await company_owner(world)
    jonas = await member(noor)
    await world.suspend(noor.org)
    before = await world.counts()
    for answer in (
        await noor.post("/api/org/teams", {"name": "Rights"}),
        await add(noor, "mira", noor.team),
        await noor("PATCH", f"/api/org/members/{jonas.user_id}", {"org_role": "org_reader"}),
    ):
        assert refusal(answer) == (403, "org_suspended")
    assert await world.counts() == before
