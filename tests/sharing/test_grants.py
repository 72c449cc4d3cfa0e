"""Notes and conversations that are shared with people and teams, until a time, and who can see them and why."""

import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from teamspace import notes
from teamspace.core import clock
from teamspace.core.errors import NotFound
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import Call, Principal, ScopeEntry
from teamspace.sharing.domain import granting
from teamspace.tenancy.schemas import OrgRole, Role
from tests.support.moment import move_clock
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases

KINDS = ("notes", "conversations")
HOUR = 3600
Ahead = Callable[[float], Coroutine[Any, Any, None]]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


@pytest.fixture
async def bob(world: World, ann: Caller) -> Caller:
    """A person of another team."""
    return await world.person(ann.org, await world.team(ann.org), Role.MEMBER, username="bob")


@pytest.fixture
def ahead(world: World, monkeypatch: pytest.MonkeyPatch) -> Ahead:
    """Moves the clocks of server and database."""

    async def move(seconds: float) -> None:
        monkeypatch.setattr(clock, "now", lambda: time.time() + seconds)
        await move_clock(world, seconds)

    return move


async def make(owner: Caller, kind: str, **fields: Any) -> str:
    answer = await owner.post(f"/api/{kind}", {"title": "Harbour plan", **fields})
    assert answer.status_code == 201, answer.text
    return f"/api/{kind}/{answer.json()['id']}"


async def share(who: Caller, path: str, permission: str | None = "notes:read", **body: Any) -> list[dict[str, Any]]:
    answer = await who.post(f"{path}/share", {"permission": permission, **body})
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def team(of: Caller) -> dict[str, str]:
    return {"principal_type": "team", "principal_id": of.team.id}


async def sees(who: Caller, path: str) -> bool:
    """Whether they can read it; lists, filters and the search agree."""
    id = path.rsplit("/", 1)[1]
    found = (await who.get("/api/search?q=harbour")).json()["items"]
    answers = {
        (await who.get(path)).status_code == 200,
        *[id in [item["id"] for item in (await who.get(path[: -len(id) - 1] + query)).json()["items"]]
          for query in ("", "?shared=1")],
        id in [item["id"] for item in found],
    }  # fmt: skip
    assert len(answers) == 1, answers
    return answers.pop()


async def test_a_team_is_granted_access_and_loses_it(world: World, ann: Caller, bob: Caller, kind: str) -> None:
    mate = await world.person(ann.org, bob.team, Role.VIEWER)
    other = await world.person(ann.org, await world.team(ann.org), Role.OWNER)
    path = await make(ann, kind)
    (grant,) = await share(ann, path, **team(bob))
    assert grant == {"user_id": None, "permission": "notes:read", **team(bob), "expires_at": None}
    assert (await ann.get(path)).json()["shared_with"] == [grant]
    assert [await sees(who, path) for who in (bob, mate, other)] == [True, True, False]
    assert await share(ann, path, None, **team(bob)) == []
    assert [await sees(who, path) for who in (bob, mate, other)] == [False, False, False]


async def test_a_grant_gives_a_team_the_permission_and_those_below(ann: Caller, bob: Caller, kind: str) -> None:
    path = await make(ann, kind)
    change = (
        (lambda: bob.put(path, {"title": "x"})) if kind == "notes" else (lambda: bob("PATCH", path, {"title": "x"}))
    )
    await share(ann, path, **team(bob))
    assert (await change()).status_code == 403
    await share(ann, path, "notes:write", **team(bob))
    assert (await change()).status_code == 200
    assert (await bob.delete(path)).status_code == 403
    assert (await bob.post(f"{path}/share", {"permission": "notes:read", **team(ann)})).status_code == 403


@pytest.mark.parametrize("to_team", [False, True])
async def test_a_grant_ends_at_once(ann: Caller, bob: Caller, kind: str, ahead: Ahead, to_team: bool) -> None:
    path, end = await make(ann, kind), clock.later(HOUR)
    principal = team(bob) if to_team else {"user_id": bob.user_id}
    (grant,) = await share(ann, path, expires_at=end, **principal)
    assert grant["expires_at"] == end
    assert await sees(bob, path)
    await ahead(HOUR + 1)
    assert not await sees(bob, path)
    assert (await ann.get(path)).json()["shared_with"] == []
    if kind == "conversations":
        assert [item["shared"] for item in (await ann.get("/api/conversations")).json()["items"]] == [False]
    (ended,) = (await ann.get(f"{path}/grants")).json()["items"]
    assert (ended["expired"], ended["expires_at"]) == (True, end)
    (again,) = await share(ann, path, expires_at=clock.later(HOUR), **principal)
    assert again["expires_at"] > end
    assert await sees(bob, path)


async def test_an_ended_grant_is_worth_nothing_to_tools_and_presence(
    world: World, ann: Caller, bob: Caller, ahead: Ahead
) -> None:
    path = await make(ann, "notes")
    id = path.rsplit("/", 1)[1]
    who = Principal(
        "api", Call(), user_id=bob.user_id, team_id=bob.team.id, org_id=bob.org.id, permissions=frozenset(P),
        scope=(ScopeEntry(P.NOTES_READ), ScopeEntry(P.SEARCH)),
    )  # fmt: skip
    await share(ann, path, expires_at=clock.later(HOUR), **team(bob))
    assert (await notes.find(world.db, who, id)).id == id
    assert (await bob.put(f"/api/presence/note/{id}", {"editing": False})).status_code == 200
    await ahead(HOUR + 1)
    with pytest.raises(NotFound):
        await notes.find(world.db, who, id)
    assert (await bob.put(f"/api/presence/note/{id}", {"editing": False})).status_code == 404


async def test_the_end_of_a_grant_is_changed_and_removed(ann: Caller, bob: Caller, kind: str) -> None:
    path, later = await make(ann, kind), clock.later(2 * HOUR)
    for end in (clock.later(HOUR), later, None):
        (grant,) = await share(ann, path, user_id=bob.user_id, expires_at=end)
        assert grant["expires_at"] == end


async def test_a_grant_does_not_outlive_the_grant_of_its_giver(world: World, ann: Caller, bob: Caller) -> None:
    path, end, sooner = await make(ann, "notes"), clock.later(HOUR), clock.later(60)
    carol = await world.person(ann.org, ann.team, Role.GUEST)
    await share(ann, path, "notes:manage", expires_at=end, **team(bob))
    for asked, given in ((None, end), (sooner, sooner), (clock.later(2 * HOUR), end)):
        grants = await share(bob, path, user_id=carol.user_id, expires_at=asked)
        assert [grant["expires_at"] for grant in grants if grant["user_id"] == carol.user_id] == [given]
    grants = await share(bob, path, "notes:manage", **team(bob))
    assert [grant["expires_at"] for grant in grants if grant["principal_type"] == "team"] == [end]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/principal_id"),
        ({"principal_type": "team"}, "/principal_id"),
        ({"user_id": "x", "principal_type": "user", "principal_id": "x"}, "/user_id"),
        ({"principal_type": "company", "principal_id": "x"}, "/principal_type"),
        ({"user_id": "x", "expires_at": "2001-01-01T00:00:00Z"}, "/expires_at"),
        ({"user_id": "x", "expires_at": "tomorrow"}, "/expires_at"),
    ],
)
async def test_an_incomplete_share_is_refused(ann: Caller, kind: str, body: dict[str, str], pointer: str) -> None:
    answer = await ann.post(f"{await make(ann, kind)}/share", {"permission": "notes:read", **body})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer)


async def test_nothing_is_shared_with_teams_of_other_companies(world: World, ann: Caller, kind: str) -> None:
    _, foreign = await world.company()
    path = await make(ann, kind)
    for id in (foreign.id, "nobody"):
        body = {"permission": "notes:read", "principal_type": "team", "principal_id": id}
        answer = await ann.post(f"{path}/share", body)
        assert (answer.status_code, answer.json()["key"]) == (404, "tenancy.no_team")


async def test_people_and_teams_share_one_limit(
    ann: Caller, bob: Caller, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(granting, "MAX_GRANTS", 1)
    path = await make(ann, kind)
    await share(ann, path, **team(bob))
    answer = await ann.post(f"{path}/share", {"user_id": bob.user_id, "permission": "notes:read"})
    assert (answer.status_code, answer.json()["key"]) == (400, "sharing.grants")


# Who can see it, and why


async def test_everyone_who_can_see_it_is_listed_with_reasons(
    world: World, ann: Caller, bob: Caller, kind: str
) -> None:
    await world.person(ann.org, ann.team, Role.MEMBER, username="member")
    await world.person(ann.org, ann.team, Role.GUEST, username="guest")
    await world.person(ann.org, bob.team, Role.GUEST, username="reader", org_role=OrgRole.READER)
    path = await make(ann, kind, **({"visibility": "team"} if kind == "notes" else {}))
    end = clock.later(HOUR)
    await share(ann, path, "notes:write", user_id=bob.user_id)
    await share(ann, path, expires_at=end, **team(bob))
    shown = (await ann.get(f"{path}/grants?effective=1")).json()
    assert [(item["name"], item["permission"], item["granted_by"], item["expired"]) for item in shown["items"]] == [
        (bob.team.name, "notes:read", ann.user_id, False), ("bob", "notes:write", ann.user_id, False),
    ]  # fmt: skip
    reasons = {
        reader["username"]: [
            (reason["rule"], reason["permission"], reason["expires_at"]) for reason in reader["reasons"]
        ]
        for reader in shown["effective"]
    }
    by_grant: dict[str, list[tuple[str, str, str | None]]] = {
        "ann": [("owner", "notes:manage", None)],
        "bob": [("team_grant", "notes:read", end), ("grant", "notes:write", None)],
        "reader": [("team_grant", "notes:read", end)],
    }
    by_role: dict[str, list[tuple[str, str, str | None]]] = {
        "ann": [("team_role", "notes:manage", None), ("company_role", "notes:read", None)],
        "member": [("team_role", "notes:write", None)],
        "reader": [("company_role", "notes:read", None)],
    }
    if kind == "conversations":
        assert reasons == by_grant
    else:
        assert {name: set(each) for name, each in reasons.items()} == {
            name: {*by_grant.get(name, []), *by_role.get(name, [])} for name in by_grant | by_role
        }


async def test_the_readers_come_in_pages(world: World, ann: Caller, bob: Caller, kind: str) -> None:
    for _ in range(3):
        await world.person(ann.org, bob.team, Role.GUEST)
    path = await make(ann, kind)
    await share(ann, path, **team(bob))
    seen, query = [], "?effective=1&limit=2"
    while True:
        page = (await ann.get(f"{path}/grants{query}")).json()
        seen += [reader["user_id"] for reader in page["effective"]]
        if page["next_cursor"] is None:
            break
        query = f"?effective=1&limit=2&cursor={page['next_cursor']}"
    assert len(seen) == len(set(seen)) == 5


async def test_only_who_manages_it_lists_the_grants(ann: Caller, bob: Caller, kind: str) -> None:
    path = await make(ann, kind)
    assert (await bob.get(f"{path}/grants")).status_code == 404
    await share(ann, path, "notes:write", user_id=bob.user_id)
    assert (await bob.get(f"{path}/grants?effective=1")).status_code == 403
