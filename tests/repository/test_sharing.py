"""Sharing an object: with whom, for what, until when, and who can see it in the end."""

import time
from typing import Any

import pytest

from teamspace.core import clock
from teamspace.tenancy.schemas import OrgRole, Role
from tests.repository.help import TEXT, fetch, keys, put, send, share
from tests.support.moment import move_clock
from tests.support.world import Caller, World


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


@pytest.fixture
async def bob(world: World, ann: Caller) -> Caller:
    """In another team of the company, and a guest there: whatever he may do, he was given."""
    return await world.person(ann.org, await world.team(ann.org), Role.GUEST, username="bob")


async def grants(caller: Caller, object_id: str, query: str = "") -> dict[str, Any]:
    answer = await caller.get(f"/api/repo-obj/{object_id}/grants{query}")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def may(caller: Caller, object_id: str) -> str:
    """What somebody can do with an object, tried out: r, w, m."""
    can = "r" if (await fetch(caller, object_id)).status_code == 200 else ""
    body = {"title": "New"}
    can += "w" if (await caller.put(f"/api/documents/{object_id}", body)).status_code == 200 else ""
    can += "m" if (await caller.get(f"/api/repo-obj/{object_id}/grants")).status_code == 200 else ""
    return can


async def test_a_share_says_what_it_gives(ann: Caller, bob: Caller) -> None:
    made = await put(ann, "a.txt", b"a")
    wish = {"principal_type": "user", "principal_id": bob.user_id}
    answer = await ann.post(f"/api/repo-obj/{made['id']}/share", wish)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/capability")


@pytest.mark.parametrize(("capability", "can"), [("view", "r"), ("edit", "rw"), ("manage", "rwm")])
async def test_a_capability_gives_what_it_says(ann: Caller, bob: Caller, capability: str, can: str) -> None:
    made = await put(ann, "plan.md")
    assert await may(bob, made["id"]) == ""
    told = await share(ann, made["id"], bob, capability)
    (grant,) = told["items"]
    assert (grant["principal_id"], grant["name"], grant["capability"]) == (bob.user_id, "bob", capability)
    assert (grant["granted_by"], grant["expires_at"], grant["expired"]) == (ann.user_id, None, False)
    assert len(grant["permissions"]) == {"view": 1, "edit": 2, "manage": 4}[capability]
    assert await may(bob, made["id"]) == can
    assert await keys(bob, "?shared=1") == ["plan.md"]
    deleted = await bob.delete(f"/api/repo-obj/{made['id']}")
    assert deleted.status_code == (204 if capability == "manage" else 403)


async def test_the_old_form_means_to_view(ann: Caller, bob: Caller) -> None:
    made = await put(ann, "plan.md")
    answer = await ann.post(f"/api/repo-obj/{made['id']}/share", {"user_id": bob.user_id})
    assert answer.json()["items"][0]["capability"] == "view"
    assert await may(bob, made["id"]) == "r"


async def test_a_team_can_be_given_it(world: World, ann: Caller, bob: Caller) -> None:
    made = await put(ann, "plan.md")
    wish = {"principal_type": "team", "principal_id": bob.team.id, "capability": "edit"}
    assert (await ann.post(f"/api/repo-obj/{made['id']}/share", wish)).status_code == 200
    assert await may(bob, made["id"]) == "rw"
    late = await world.person(ann.org, bob.team, Role.VIEWER)
    assert await may(late, made["id"]) == "rw", "whoever joins the team has it too"


async def test_a_grant_replaces_the_one_before_and_is_taken_back_whole(ann: Caller, bob: Caller) -> None:
    made = await put(ann, "plan.md")
    await share(ann, made["id"], bob, "manage")
    told = await share(ann, made["id"], bob, "view")
    assert [grant["capability"] for grant in told["items"]] == ["view"]
    taken = {"principal_type": "user", "principal_id": bob.user_id}
    answer = await ann.post(f"/api/repo-obj/{made['id']}/unshare", taken)
    assert answer.json()["items"] == []
    assert await may(bob, made["id"]) == ""
    assert (await ann.post(f"/api/repo-obj/{made['id']}/unshare", taken)).status_code == 200


async def test_a_grant_ends_when_it_says(
    world: World, ann: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await put(ann, "plan.md")
    await share(ann, made["id"], bob, expires_at=clock.later(3600))
    assert await may(bob, made["id"]) == "r"
    monkeypatch.setattr(clock, "now", lambda: time.time() + 3601)
    await move_clock(world, 3601)
    assert await may(bob, made["id"]) == ""
    assert await keys(bob, "?shared=1") == []
    (grant,) = (await grants(ann, made["id"]))["items"]
    assert grant["expired"] is True


@pytest.mark.parametrize("given", ["2001-01-01T00:00:00Z", "tomorrow", "2099-01-01T00:00:00", "99999-01-01T00:00:00Z"])
async def test_an_end_that_cannot_be_is_refused(ann: Caller, bob: Caller, given: str) -> None:
    made = await put(ann, "plan.md")
    wish = {"principal_type": "user", "principal_id": bob.user_id, "capability": "view", "expires_at": given}
    answer = await ann.post(f"/api/repo-obj/{made['id']}/share", wish)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/expires_at")


async def test_no_grant_outlives_the_one_it_was_made_under(world: World, ann: Caller, bob: Caller) -> None:
    made = await put(ann, "plan.md")
    carol = await world.person(ann.org, bob.team)
    end = clock.later(3600)
    await share(ann, made["id"], bob, "manage", expires_at=end)
    told = await share(bob, made["id"], carol, "view")
    assert next(grant for grant in told["items"] if grant["principal_id"] == carol.user_id)["expires_at"] == end
    sooner = clock.later(60)
    told = await share(bob, made["id"], carol, "view", expires_at=sooner)
    assert next(grant for grant in told["items"] if grant["principal_id"] == carol.user_id)["expires_at"] == sooner
    told = await share(bob, made["id"], carol, "view", expires_at=clock.later(7200))
    assert next(grant for grant in told["items"] if grant["principal_id"] == carol.user_id)["expires_at"] == end


@pytest.mark.parametrize(
    "wish",
    [
        {},
        {"principal_id": "x"},
        {"principal_type": "user"},
        {"principal_type": "company", "principal_id": "x"},
        {"user_id": "x", "principal_id": "y"},
        {"user_id": "x", "capability": "own"},
    ],
)
async def test_a_wish_that_says_too_little_is_refused(ann: Caller, wish: dict[str, str]) -> None:
    made = await put(ann, "plan.md")
    assert (await ann.post(f"/api/repo-obj/{made['id']}/share", wish)).status_code == 400


async def test_the_owner_needs_no_grant_and_strangers_get_none(world: World, ann: Caller) -> None:
    made = await put(ann, "plan.md")
    assert (await ann.post(f"/api/repo-obj/{made['id']}/share", {"user_id": ann.user_id})).status_code == 400
    org, team = await world.company()
    stranger = await world.person(org, team)
    for kind, id in (("user", stranger.user_id), ("team", team.id), ("user", "nobody")):
        wish = {"principal_type": kind, "principal_id": id, "capability": "view"}
        assert (await ann.post(f"/api/repo-obj/{made['id']}/share", wish)).status_code == 404


async def test_visibility_decides_over_the_team(world: World, ann: Caller) -> None:
    made = await put(ann, "plan.md")
    colleague = await world.person(ann.org, ann.team)
    assert await may(colleague, made["id"]) == ""
    answer = await ann.post(f"/api/repo-obj/{made['id']}/visibility", {"visibility": "team"})
    assert (answer.status_code, answer.json()["visibility"]) == (200, "team")
    assert await may(colleague, made["id"]) == "rw"
    await ann.post(f"/api/repo-obj/{made['id']}/visibility", {"visibility": "shared"})
    assert await may(colleague, made["id"]) == ""


async def test_a_token_below_a_prefix_reaches_nothing_else(world: World, ann: Caller) -> None:
    inside, outside = await put(ann, "contracts/a"), await put(ann, "b")
    token = await world.token(ann, scope=["files:read:contracts/", "files:write:contracts/"])
    assert await keys(token) == ["contracts/a"]
    assert (await fetch(token, inside["id"])).content == TEXT
    assert (await fetch(token, outside["id"])).status_code == 404
    assert (await send(token, "contracts/new")).status_code == 201
    assert (await send(token, "elsewhere")).status_code == 403
    assert (await send(token, "b", b"spoilt")).status_code == 409


# Who can see it


async def test_everybody_who_can_see_it_is_told_with_the_reason(world: World, ann: Caller, bob: Caller) -> None:
    member = await world.person(ann.org, ann.team, username="member")
    await world.person(ann.org, ann.team, Role.GUEST, username="guest")
    reader = await world.person(ann.org, bob.team, Role.GUEST, username="reader", org_role=OrgRole.READER)
    made = await put(ann, "plan.md", query="?visibility=team")
    await share(ann, made["id"], bob, "edit")
    told = (await grants(ann, made["id"], "?effective=1"))["effective"]
    reasons = {one["username"]: [(why["rule"], why["capability"]) for why in one["reasons"]] for one in told}
    assert reasons == {
        "ann": [("owner", "manage"), ("team_role", "manage"), ("company_role", "view")],
        "bob": [("grant", "edit")],
        "member": [("team_role", "edit")],
        "reader": [("company_role", "view")],
    }
    assert await may(member, made["id"]) == "rw"
    assert await may(reader, made["id"]) == "r"


async def test_only_who_manages_it_learns_who_sees_it(ann: Caller, bob: Caller) -> None:
    made = await put(ann, "plan.md")
    await share(ann, made["id"], bob, "edit")
    assert (await bob.get(f"/api/repo-obj/{made['id']}/grants")).status_code == 403


async def test_targets_are_the_teams_people_and_the_companys_teams(world: World, ann: Caller, bob: Caller) -> None:
    await world.person(ann.org, ann.team, username="carol")
    await world.person(*(await world.company()), username="stranger")
    found = (await ann.get("/api/share-targets")).json()["items"]
    people = {one["username"] for one in found if one["principal_type"] == "user"}
    teams = {one["principal_id"] for one in found if one["principal_type"] == "team"}
    assert people == {"ann", "carol"}
    assert teams == {ann.team.id, bob.team.id}
    assert [one["username"] for one in (await ann.get("/api/share-targets?q=CAR")).json()["items"]] == ["carol"]
    assert (await ann.get("/api/share-targets?q=%25")).json()["items"] == []


async def test_whom_to_share_with_stands_without_regard_to_case(world: World) -> None:
    ann = await world.bootstrap()
    for username in ("zoe", "Bea", "adam"):
        person = await world.person(ann.org, ann.team, username=username)
        await person.post("/api/profile", {"display_name": f"{username} of the harbour"})
    found = (await ann.get("/api/share-targets?q=harbour")).json()["items"]
    assert [one["username"] for one in found] == ["adam", "Bea", "zoe"]


@pytest.mark.parametrize(("capability", "count"), [("view", 1), ("edit", 2), ("manage", 4)])
async def test_an_object_says_what_its_reader_may_do_with_it(
    world: World, ann: Caller, bob: Caller, capability: str, count: int
) -> None:
    made = await put(ann, "plans/plan.md")
    assert len(made["permissions"]) == 4
    await share(ann, made["id"], bob, capability)
    for path in (f"/api/repo-obj/{made['id']}", f"/api/documents/{made['id']}"):
        assert len((await bob.get(path)).json()["permissions"]) == count
    narrow = await world.token(ann, scope=["files:read", "files:write:elsewhere/", "files:delete:plans/"])
    shown = (await narrow.get(f"/api/repo-obj/{made['id']}")).json()
    assert shown["permissions"] == ["files:read", "files:delete"]
