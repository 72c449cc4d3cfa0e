"""Sharing objects: grants, access levels, expiry and effective readers."""

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
    """A guest in another team of the company: all his rights come from grants."""
    return await world.person(ann.org, await world.team(ann.org), Role.GUEST, username="bob")


async def grants(caller: Caller, object_id: str, query: str = "") -> dict[str, Any]:
    answer = await caller.get(f"/api/repo-obj/{object_id}/grants{query}")
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


async def access_of(caller: Caller, object_id: str) -> str:
    """What a caller can do with an object: r(ead), w(rite), m(anage)."""
    allowed = "r" if (await fetch(caller, object_id)).status_code == 200 else ""
    change = {"title": "New"}
    allowed += "w" if (await caller.put(f"/api/documents/{object_id}", change)).status_code == 200 else ""
    allowed += "m" if (await caller.get(f"/api/repo-obj/{object_id}/grants")).status_code == 200 else ""
    return allowed


async def test_a_share_needs_an_access_level(ann: Caller, bob: Caller) -> None:
    created = await put(ann, "a.txt", b"a")
    body = {"principal_type": "user", "principal_id": bob.user_id}
    answer = await ann.post(f"/api/repo-obj/{created['id']}/share", body)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/capability")


@pytest.mark.parametrize(("capability", "allowed"), [("view", "r"), ("edit", "rw"), ("manage", "rwm")])
async def test_an_access_level_gives_its_permissions(ann: Caller, bob: Caller, capability: str, allowed: str) -> None:
    created = await put(ann, "plan.md")
    assert await access_of(bob, created["id"]) == ""
    shared = await share(ann, created["id"], bob, capability)
    (grant,) = shared["items"]
    assert (grant["principal_id"], grant["name"], grant["capability"]) == (bob.user_id, "bob", capability)
    assert (grant["granted_by"], grant["expires_at"], grant["expired"]) == (ann.user_id, None, False)
    assert len(grant["permissions"]) == {"view": 1, "edit": 2, "manage": 4}[capability]
    assert await access_of(bob, created["id"]) == allowed
    assert await keys(bob, "?shared=1") == ["plan.md"]
    deleted = await bob.delete(f"/api/repo-obj/{created['id']}")
    assert deleted.status_code == (204 if capability == "manage" else 403)


async def test_a_share_by_user_id_alone_is_for_viewing(ann: Caller, bob: Caller) -> None:
    created = await put(ann, "plan.md")
    answer = await ann.post(f"/api/repo-obj/{created['id']}/share", {"user_id": bob.user_id})
    assert answer.json()["items"][0]["capability"] == "view"
    assert await access_of(bob, created["id"]) == "r"


async def test_an_object_can_be_shared_with_a_team(world: World, ann: Caller, bob: Caller) -> None:
    created = await put(ann, "plan.md")
    body = {"principal_type": "team", "principal_id": bob.team.id, "capability": "edit"}
    assert (await ann.post(f"/api/repo-obj/{created['id']}/share", body)).status_code == 200
    assert await access_of(bob, created["id"]) == "rw"
    newcomer = await world.person(ann.org, bob.team, Role.VIEWER)
    assert await access_of(newcomer, created["id"]) == "rw", "new members have access too"


async def test_a_grant_replaces_the_previous_one_and_can_be_removed(ann: Caller, bob: Caller) -> None:
    created = await put(ann, "plan.md")
    await share(ann, created["id"], bob, "manage")
    shared = await share(ann, created["id"], bob, "view")
    assert [grant["capability"] for grant in shared["items"]] == ["view"]
    grantee = {"principal_type": "user", "principal_id": bob.user_id}
    answer = await ann.post(f"/api/repo-obj/{created['id']}/unshare", grantee)
    assert answer.json()["items"] == []
    assert await access_of(bob, created["id"]) == ""
    assert (await ann.post(f"/api/repo-obj/{created['id']}/unshare", grantee)).status_code == 200


async def test_a_grant_expires(world: World, ann: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    created = await put(ann, "plan.md")
    await share(ann, created["id"], bob, expires_at=clock.later(3600))
    assert await access_of(bob, created["id"]) == "r"
    monkeypatch.setattr(clock, "now", lambda: time.time() + 3601)
    await move_clock(world, 3601)
    assert await access_of(bob, created["id"]) == ""
    assert await keys(bob, "?shared=1") == []
    (grant,) = (await grants(ann, created["id"]))["items"]
    assert grant["expired"] is True


@pytest.mark.parametrize(
    "expires_at", ["2001-01-01T00:00:00Z", "tomorrow", "2099-01-01T00:00:00", "99999-01-01T00:00:00Z"]
)
async def test_an_invalid_expiry_is_refused(ann: Caller, bob: Caller, expires_at: str) -> None:
    created = await put(ann, "plan.md")
    body = {"principal_type": "user", "principal_id": bob.user_id, "capability": "view", "expires_at": expires_at}
    answer = await ann.post(f"/api/repo-obj/{created['id']}/share", body)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/expires_at")


async def test_a_grant_does_not_outlive_the_grant_of_its_giver(world: World, ann: Caller, bob: Caller) -> None:
    created = await put(ann, "plan.md")
    carol = await world.person(ann.org, bob.team)
    end = clock.later(3600)
    await share(ann, created["id"], bob, "manage", expires_at=end)
    shared = await share(bob, created["id"], carol, "view")
    assert next(grant for grant in shared["items"] if grant["principal_id"] == carol.user_id)["expires_at"] == end
    sooner = clock.later(60)
    shared = await share(bob, created["id"], carol, "view", expires_at=sooner)
    assert next(grant for grant in shared["items"] if grant["principal_id"] == carol.user_id)["expires_at"] == sooner
    shared = await share(bob, created["id"], carol, "view", expires_at=clock.later(7200))
    assert next(grant for grant in shared["items"] if grant["principal_id"] == carol.user_id)["expires_at"] == end


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"principal_id": "x"},
        {"principal_type": "user"},
        {"principal_type": "company", "principal_id": "x"},
        {"user_id": "x", "principal_id": "y"},
        {"user_id": "x", "capability": "own"},
    ],
)
async def test_an_incomplete_share_is_refused(ann: Caller, body: dict[str, str]) -> None:
    created = await put(ann, "plan.md")
    assert (await ann.post(f"/api/repo-obj/{created['id']}/share", body)).status_code == 400


async def test_an_object_is_not_shared_with_its_owner_or_other_companies(world: World, ann: Caller) -> None:
    created = await put(ann, "plan.md")
    assert (await ann.post(f"/api/repo-obj/{created['id']}/share", {"user_id": ann.user_id})).status_code == 400
    org, team = await world.company()
    stranger = await world.person(org, team)
    for kind, id in (("user", stranger.user_id), ("team", team.id), ("user", "nobody")):
        body = {"principal_type": kind, "principal_id": id, "capability": "view"}
        assert (await ann.post(f"/api/repo-obj/{created['id']}/share", body)).status_code == 404


async def test_visibility_decides_whether_the_team_has_access(world: World, ann: Caller) -> None:
    created = await put(ann, "plan.md")
    colleague = await world.person(ann.org, ann.team)
    assert await access_of(colleague, created["id"]) == ""
    answer = await ann.post(f"/api/repo-obj/{created['id']}/visibility", {"visibility": "team"})
    assert (answer.status_code, answer.json()["visibility"]) == (200, "team")
    assert await access_of(colleague, created["id"]) == "rw"
    await ann.post(f"/api/repo-obj/{created['id']}/visibility", {"visibility": "shared"})
    assert await access_of(colleague, created["id"]) == ""


async def test_a_token_scoped_to_a_prefix_allows_nothing_else(world: World, ann: Caller) -> None:
    inside, outside = await put(ann, "contracts/a"), await put(ann, "b")
    token = await world.token(ann, scope=["files:read:contracts/", "files:write:contracts/"])
    assert await keys(token) == ["contracts/a"]
    assert (await fetch(token, inside["id"])).content == TEXT
    assert (await fetch(token, outside["id"])).status_code == 404
    assert (await send(token, "contracts/new")).status_code == 201
    assert (await send(token, "elsewhere")).status_code == 403
    assert (await send(token, "b", b"spoilt")).status_code == 409


# Effective readers


async def test_effective_readers_are_listed_with_reasons(world: World, ann: Caller, bob: Caller) -> None:
    member = await world.person(ann.org, ann.team, username="member")
    await world.person(ann.org, ann.team, Role.GUEST, username="guest")
    company_reader = await world.person(ann.org, bob.team, Role.GUEST, username="reader", org_role=OrgRole.READER)
    created = await put(ann, "plan.md", query="?visibility=team")
    await share(ann, created["id"], bob, "edit")
    effective = (await grants(ann, created["id"], "?effective=1"))["effective"]
    reasons = {
        reader["username"]: [(reason["rule"], reason["capability"]) for reason in reader["reasons"]]
        for reader in effective
    }
    assert reasons == {
        "ann": [("owner", "manage"), ("team_role", "manage"), ("company_role", "view")],
        "bob": [("grant", "edit")],
        "member": [("team_role", "edit")],
        "reader": [("company_role", "view")],
    }
    assert await access_of(member, created["id"]) == "rw"
    assert await access_of(company_reader, created["id"]) == "r"


async def test_only_managers_can_list_grants(ann: Caller, bob: Caller) -> None:
    created = await put(ann, "plan.md")
    await share(ann, created["id"], bob, "edit")
    assert (await bob.get(f"/api/repo-obj/{created['id']}/grants")).status_code == 403


async def test_share_targets_are_members_of_the_team_and_teams_of_the_company(
    world: World, ann: Caller, bob: Caller
) -> None:
    await world.person(ann.org, ann.team, username="carol")
    await world.person(*(await world.company()), username="stranger")
    found = (await ann.get("/api/share-targets")).json()["items"]
    people = {target["username"] for target in found if target["principal_type"] == "user"}
    teams = {target["principal_id"] for target in found if target["principal_type"] == "team"}
    assert people == {"ann", "carol"}
    assert teams == {ann.team.id, bob.team.id}
    assert [target["username"] for target in (await ann.get("/api/share-targets?q=CAR")).json()["items"]] == ["carol"]
    assert (await ann.get("/api/share-targets?q=%25")).json()["items"] == []


async def test_share_targets_are_sorted_without_regard_to_case(world: World) -> None:
    ann = await world.bootstrap()
    for username in ("zoe", "Bea", "adam"):
        person = await world.person(ann.org, ann.team, username=username)
        await person.post("/api/profile", {"display_name": f"{username} of the harbour"})
    found = (await ann.get("/api/share-targets?q=harbour")).json()["items"]
    assert [target["username"] for target in found] == ["adam", "Bea", "zoe"]


@pytest.mark.parametrize(("capability", "count"), [("view", 1), ("edit", 2), ("manage", 4)])
async def test_an_object_lists_the_permissions_of_its_reader(
    world: World, ann: Caller, bob: Caller, capability: str, count: int
) -> None:
    created = await put(ann, "plans/plan.md")
    assert len(created["permissions"]) == 4
    await share(ann, created["id"], bob, capability)
    for path in (f"/api/repo-obj/{created['id']}", f"/api/documents/{created['id']}"):
        assert len((await bob.get(path)).json()["permissions"]) == count
    narrow = await world.token(ann, scope=["files:read", "files:write:elsewhere/", "files:delete:plans/"])
    shown = (await narrow.get(f"/api/repo-obj/{created['id']}")).json()
    assert shown["permissions"] == ["files:read", "files:delete"]
