"""The members of a team: joining, listing, leaving."""

import unicodedata
from typing import Any

import httpx2

from teamspace.core import clock
from teamspace.tenancy.schemas import Role
from tests.identity.help import OTHER_PASSWORD, Hands, broken, conflict, enrolled, is_alive, login, refusal, signed_in
from tests.support.world import PASSWORD, Caller, World

CONFLICT = (409, "conflict")
FORBIDDEN = (403, "forbidden")
INVALID = (400, "invalid_request")


async def add(caller: Caller, username: str, role: str = "member", **more: Any) -> httpx2.Response:
    return await caller.post("/api/members", {"username": username, "role": role, **more})


async def add_person(caller: Caller, username: str, role: str = "member", **more: Any) -> Caller:
    """Add a new person; return them with their first token."""
    answer = await add(caller, username, role, **more)
    assert answer.status_code == 201, answer.text
    created = answer.json()
    return Caller(
        caller.world, created["token"], user_id=created["member"]["user_id"], username=username, org=caller.org,
        team=caller.team,
    )  # fmt: skip


async def activate(world: World, link: str) -> httpx2.Response:
    return await world.anonymous.post("/api/activate", {"token": link, "password": OTHER_PASSWORD})


async def usernames(caller: Caller) -> list[str]:
    return [member["username"] for member in (await caller.get("/api/members")).json()["items"]]


# Joining


async def test_a_new_person_gets_an_account_and_a_first_token(world: World) -> None:
    ann = await world.bootstrap()
    answer = await add(ann, "Bob", "viewer", display_name="Bob Ray", password=OTHER_PASSWORD)
    assert answer.status_code == 201
    created = answer.json()
    assert set(created) == {"member", "token"}
    assert created["member"] == {
        "user_id": created["member"]["user_id"], "username": "Bob", "display_name": "Bob Ray", "role": "viewer",
        "org_role": None, "two_factor": False, "last_seen_at": None, "disabled": False,
    }  # fmt: skip
    assert created["token"].startswith("ts_a_")
    assert (await Caller(world, created["token"]).get("/api/whoami")).json()["role"] == "viewer"
    assert (await login(world, "bob", OTHER_PASSWORD)).status_code == 200


async def test_a_person_without_a_password_cannot_sign_in_yet(world: World) -> None:
    ann = await world.bootstrap()
    bob = await add_person(ann, "bob")
    assert refusal(await login(world, "bob", "")) == (401, "invalid_credentials")
    assert await is_alive(bob)


async def test_a_person_without_a_password_gets_a_one_time_activation_link(world: World, hands: Hands) -> None:
    ann = await world.bootstrap()
    created = (await add(ann, "bob")).json()
    assert set(created) == {"member", "token", "activation_url"}
    address, _, link = created["activation_url"].partition("#")
    assert address == f"{world.app.settings.address}/activate" and link.startswith("ts_v_")
    first = await activate(world, link)
    assert (first.status_code, first.json()["user"]["id"]) == (200, created["member"]["user_id"])
    assert (await login(world, "bob", OTHER_PASSWORD)).status_code == 200
    assert refusal(await activate(world, link)) == (401, "invalid_credentials")
    late = (await add(ann, "eve")).json()["activation_url"].partition("#")[2]
    hands.forward(7 * clock.DAY)
    assert refusal(await activate(world, late)) == (401, "token_expired")
    assert await broken(world) == []


async def test_an_existing_account_gets_no_activation_link(world: World) -> None:
    ann = await world.bootstrap()
    await add_person(ann, "bob")
    second = await world.join(ann, await world.team(ann.org), Role.OWNER)
    assert set((await add(second, "bob")).json()) == {"member"}
    assert (await world.counts())["activations"] == 1


async def test_an_existing_person_joins_another_team_unchanged(world: World) -> None:
    ann = await world.bootstrap()
    bob = await add_person(ann, "bob", password=OTHER_PASSWORD, display_name="Bob Ray")
    second = await world.join(ann, await world.team(ann.org), Role.OWNER)
    body = {"username": "BOB", "role": "admin", "password": PASSWORD, "display_name": "Robert"}
    answer = await second.post("/api/members", body)
    assert answer.status_code == 201
    assert answer.json() == {
        "member": {
            "user_id": bob.user_id, "username": "bob", "display_name": "Bob Ray", "role": "admin",
            "org_role": None, "two_factor": False, "last_seen_at": None, "disabled": False,
        }
    }  # fmt: skip
    assert refusal(await login(world, "bob", PASSWORD)) == (401, "invalid_credentials")
    assert (await login(world, "bob", OTHER_PASSWORD, team=second.team.id)).status_code == 200
    roles = {team["team_id"]: team["role"] for team in (await bob.get("/api/whoami")).json()["teams"]}
    assert roles == {ann.team.id: "member", second.team.id: "admin"}


async def test_a_member_is_not_added_twice_regardless_of_case(world: World) -> None:
    ann = await world.bootstrap()
    await add_person(ann, "bob")
    before = await world.counts()
    for username in ("bob", "BOB", "bOb"):
        assert conflict(await add(ann, username)) == "/username"
    assert await world.counts() == before


async def test_a_person_of_another_company_cannot_be_added(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    zoe = await world.person(org, team, Role.OWNER, username="zoe")
    before = await world.counts()
    for username, caller in (("Zoe", ann), ("ann", zoe)):
        answer = await add(caller, username, "guest")
        assert conflict(answer) == "/username"
        assert "zoe" not in answer.text.lower() and org.id not in answer.text
    assert await world.counts() == before


async def test_a_former_member_can_be_added_again_and_old_credentials_stay_revoked(world: World) -> None:
    ann = await world.bootstrap()
    bob = await add_person(ann, "bob")
    await ann.delete(f"/api/members/{bob.user_id}")
    again = await add(ann, "bob")
    assert (again.status_code, again.json()["member"]["user_id"]) == (201, bob.user_id)
    assert not await is_alive(bob)


# Names


async def test_usernames_have_a_restricted_alphabet(world: World) -> None:
    ann = await world.bootstrap()
    for valid in ("ab", "0x", "a.b_c@d+e-f", "x" * 64):
        assert (await add(ann, valid)).status_code == 201, valid
    for invalid in ("", "a", "x" * 65, "ann lee", ".ann", "ännchen", "ann\n", "аnn", "a/b", "a:b", "x" * 1001):
        assert refusal(await add(ann, invalid)) == INVALID, invalid


async def test_a_display_name_is_normalised_and_trimmed(world: World) -> None:
    ann = await world.bootstrap()
    decomposed = unicodedata.normalize("NFD", "Zoë Müller")
    answer = await add(ann, "zoe", display_name=f"  {decomposed} ")
    assert answer.json()["member"]["display_name"] == "Zoë Müller"


async def test_a_display_name_with_control_characters_is_refused(world: World) -> None:
    ann = await world.bootstrap()
    marks = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
    controls = "\x01\x07\x1b\x7f\x85\n\r\t"
    for character in marks + controls:
        assert refusal(await add(ann, "bob", display_name=f"a{character}b")) == INVALID, ascii(character)
    assert refusal(await add(ann, "bob", display_name="x" * 81)) == INVALID
    assert (await add(ann, "bob", display_name="x" * 80)).status_code == 201


# Listing


async def test_members_see_only_their_own_team(world: World) -> None:
    ann = await world.bootstrap()
    guest = await world.person(ann.org, ann.team, Role.GUEST, username="guest")
    elsewhere = await world.person(ann.org, await world.team(ann.org), Role.OWNER, username="elsewhere")
    assert set(await usernames(guest)) == {"ann", "guest"}
    assert await usernames(elsewhere) == ["elsewhere"]


async def test_the_list_shows_who_is_disabled(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    for disabled in (True, False):
        await ann("PATCH", f"/api/admin/users/{bob.user_id}", {"disabled": disabled})
        members = (await ann.get("/api/members")).json()["items"]
        assert {member["user_id"]: member["disabled"] for member in members} == {
            ann.user_id: False, bob.user_id: disabled,
        }  # fmt: skip


async def test_the_list_shows_who_uses_two_factor_authentication(world: World) -> None:
    ann = await world.bootstrap()
    await add_person(ann, "bob")
    await enrolled(ann)
    members = (await ann.get("/api/members")).json()["items"]
    assert {member["username"]: member["two_factor"] for member in members} == {"ann": True, "bob": False}


async def test_the_list_is_paged(world: World) -> None:
    ann = await world.bootstrap()
    for number in range(4):
        await world.person(ann.org, ann.team, username=f"member{number}")
    first = (await ann.get("/api/members?limit=3")).json()
    second = (await ann.get(f"/api/members?limit=3&cursor={first['next_cursor']}")).json()
    names = [member["username"] for member in first["items"] + second["items"]]
    assert names == ["member3", "member2", "member1", "member0", "ann"]
    assert second["next_cursor"] is None


async def test_members_of_another_team_are_not_found(world: World) -> None:
    ann = await world.bootstrap()
    elsewhere = await world.person(ann.org, await world.team(ann.org), Role.MEMBER)
    org, team = await world.company()
    stranger = await world.person(org, team, Role.MEMBER)
    for user_id in (elsewhere.user_id, stranger.user_id, "nobody"):
        path = f"/api/members/{user_id}"
        assert refusal(await ann("PATCH", path, {"role": "guest"})) == (404, "not_found")
        assert refusal(await ann.delete(path)) == (404, "not_found")


# Leaving


async def test_removal_revokes_the_credentials_for_this_team_only(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team, username="bob", password=PASSWORD)
    second = await world.team(ann.org)
    elsewhere = await world.join(bob, second, Role.OWNER)
    here, there = await signed_in(world, "bob", team=ann.team.id), await signed_in(world, "bob", team=second.id)
    assert all([await is_alive(caller) for caller in (bob, elsewhere, here, there)])

    assert (await ann.delete(f"/api/members/{bob.user_id}")).status_code == 204
    assert [await is_alive(caller) for caller in (bob, here)] == [False, False]
    assert [await is_alive(caller) for caller in (elsewhere, there)] == [True, True]
    assert await usernames(ann) == ["ann"]
    assert (await login(world, "bob")).json()["team"]["id"] == second.id
    assert refusal(await login(world, "bob", team=ann.team.id)) == (404, "not_found")
    assert await broken(world) == []


async def test_notes_of_a_former_member_stay_with_the_team(world: World) -> None:
    ann = await world.bootstrap()
    bob = await add_person(ann, "bob")
    note = (await bob.post("/api/notes", {"title": "Hand-over", "visibility": "team"})).json()
    await ann.delete(f"/api/members/{bob.user_id}")
    assert (await ann.get(f"/api/notes/{note['id']}")).status_code == 200


async def test_an_admin_can_leave(world: World) -> None:
    ann = await world.bootstrap()
    admin = await world.person(ann.org, ann.team, Role.ADMIN)
    assert (await admin.delete(f"/api/members/{admin.user_id}")).status_code == 204
    assert not await is_alive(admin)


async def test_the_last_owner_cannot_be_removed_or_demoted(world: World) -> None:
    ann = await world.bootstrap()
    operator = await world.person(ann.org, ann.team, Role.ADMIN, operator=True)
    path = f"/api/members/{ann.user_id}"
    before = await world.counts()
    for answer in (
        await ann.delete(path),
        await operator.delete(path),
        await operator("PATCH", path, {"role": "admin"}),
    ):
        assert refusal(answer) == CONFLICT
    assert await world.counts() == before
    assert await is_alive(ann)


async def test_an_owner_can_step_down_if_there_is_another(world: World) -> None:
    ann = await world.bootstrap()
    team = await world.team(ann.org)
    first, second = [await world.person(ann.org, team, Role.OWNER) for _ in range(2)]
    assert (await second("PATCH", f"/api/members/{first.user_id}", {"role": "member"})).status_code == 200
    assert refusal(await second.delete(f"/api/members/{second.user_id}")) == CONFLICT


async def test_a_suspended_company_cannot_change_members(world: World) -> None:
    ann = await world.bootstrap()
    bob = await add_person(ann, "bob")
    await world.suspend(ann.org)
    for answer in (
        await add(ann, "eve"),
        await ann("PATCH", f"/api/members/{bob.user_id}", {"role": "admin"}),
        await ann.delete(f"/api/members/{bob.user_id}"),
    ):
        assert refusal(answer) == (403, "org_suspended")
