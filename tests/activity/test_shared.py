"""What others shared with the caller or with their team: all kinds, newest share first, at a bounded cost."""

import asyncio
from typing import Any

import pytest

from teamspace.activity.domain import shared
from teamspace.core import clock
from teamspace.tenancy.schemas import Role
from tests.identity.help import run_sql
from tests.repository.help import put
from tests.support.rows import NUMBERS, analyze, insert_in_batches
from tests.support.visited import visited
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
HOUR, PAST = 3600, "2020-01-01T00:00:00.000Z"


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


@pytest.fixture
async def bob(world: World, ann: Caller) -> Caller:
    """A person of another team."""
    return await world.person(ann.org, await world.team(ann.org), Role.MEMBER)


async def listed(caller: Caller, query: str = "") -> list[dict[str, Any]]:
    answer = await caller.get(f"/api/shared{query}")
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


async def titles(caller: Caller) -> list[str]:
    return [item["title"] for item in await listed(caller)]


async def make(owner: Caller, kind: str, title: str) -> str:
    answer = await owner.post(f"/api/{kind}", {"title": title})
    assert answer.status_code == 201, answer.text
    return f"/api/{kind}/{answer.json()['id']}"


async def share(owner: Caller, path: str, **body: Any) -> None:
    right = {"capability": "view"} if "repo-obj" in path else {"permission": "notes:read"}
    answer = await owner.post(f"{path}/share", {**right, **body})
    assert answer.status_code == 200, answer.text
    await asyncio.sleep(0.002)  # the time of a share has milliseconds: the next one is later


def team(of: Caller) -> dict[str, str]:
    return {"principal_type": "team", "principal_id": of.team.id}


async def test_everything_that_others_shared_newest_share_first(ann: Caller, bob: Caller) -> None:
    file = await put(ann, "plans/pier.png", b"x")
    document = (await ann.post("/api/documents", {"title": "Handbook"})).json()["id"]
    note, talk = await make(ann, "notes", "Minutes"), await make(ann, "conversations", "Tides")
    await share(ann, talk, user_id=bob.user_id)
    await share(ann, f"/api/repo-obj/{document}", **team(bob))
    await share(ann, note, **team(bob))
    await share(ann, f"/api/repo-obj/{file['id']}", user_id=bob.user_id)
    items = await listed(bob)
    assert [(item["kind"], item["title"]) for item in items] == [
        ("file", "pier.png"), ("note", "Minutes"), ("document", "Handbook"), ("conversation", "Tides"),
    ]  # fmt: skip
    assert {item["shared_by"] for item in items} == {ann.user_id}
    assert await listed(ann) == []
    first = (await bob.get("/api/shared?limit=3")).json()
    second = (await bob.get(f"/api/shared?limit=3&cursor={first['next_cursor']}")).json()
    assert [*first["items"], *second["items"]] == items and second["next_cursor"] is None


async def test_a_thing_is_listed_once_and_not_for_who_shared_it(world: World, ann: Caller, bob: Caller) -> None:
    mate = await world.person(ann.org, bob.team, Role.MEMBER)
    note = await make(ann, "notes", "Minutes")
    await ann.post(f"{note}/share", {"permission": "notes:manage", "user_id": bob.user_id})
    await share(bob, note, **team(bob))
    (item,) = await listed(bob)
    assert item["shared_by"] == ann.user_id
    assert [item["shared_by"] for item in await listed(mate)] == [bob.user_id]
    await share(ann, note, user_id=mate.user_id)
    assert [item["shared_by"] for item in await listed(mate)] == [ann.user_id]


async def test_a_thing_that_is_shared_twice_is_on_one_page(ann: Caller, bob: Caller) -> None:
    one, two = [await make(ann, "notes", title) for title in ("One", "Two")]
    for path in (one, two):
        await share(ann, path, **team(bob))
    await share(ann, one, user_id=bob.user_id)
    found, cursor = list[str](), ""
    while cursor is not None:
        page = (await bob.get(f"/api/shared?limit=1{cursor}")).json()
        found += [item["title"] for item in page["items"]]
        cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
    assert found == ["One", "Two"]


async def test_a_share_that_has_ended_does_not_stand_for_one_that_counts(
    world: World, ann: Caller, bob: Caller
) -> None:
    carol = await world.person(ann.org, ann.team, Role.OWNER)
    note = (await ann.post("/api/notes", {"title": "Minutes", "visibility": "team"})).json()["id"]
    await share(carol, f"/api/notes/{note}", **team(bob))
    await share(ann, f"/api/notes/{note}", user_id=bob.user_id)
    await run_sql(world, "UPDATE note_grants SET expires_at = :past WHERE principal_type = 'user'", past=PAST)
    assert [item["shared_by"] for item in await listed(bob)] == [carol.user_id]


async def test_what_is_no_longer_shared_is_not_listed(world: World, ann: Caller, bob: Caller) -> None:
    ended, taken, trashed = [await make(ann, "notes", title) for title in ("Ended", "Taken back", "Trashed")]
    for path in (ended, taken, trashed):
        await share(ann, path, user_id=bob.user_id)
    assert await titles(bob) == ["Trashed", "Taken back", "Ended"]
    await run_sql(
        world, "UPDATE note_grants SET expires_at = :past WHERE note_id = :id", past=PAST, id=ended.rpartition("/")[2]
    )
    await ann.post(f"{taken}/share", {"permission": None, "user_id": bob.user_id})
    await ann.delete(trashed)
    assert await titles(bob) == []


async def test_nobody_else_sees_it(world: World, ann: Caller, bob: Caller) -> None:
    await share(ann, await make(ann, "notes", "Minutes"), user_id=bob.user_id)
    org, theirs = await world.company()
    for other in (await world.person(ann.org, bob.team), await world.person(org, theirs)):
        assert await listed(other) == []
    for scope, found in (["files:read"], []), (["notes:read"], ["Minutes"]):
        assert await titles(await world.token(bob, scope=scope)) == found


async def test_a_cursor_of_another_list_is_refused(ann: Caller) -> None:
    for title in ("One", "Two"):
        await make(ann, "notes", title)
    cursor = (await ann.get("/api/notes?limit=1")).json()["next_cursor"]
    assert (await ann.get(f"/api/shared?cursor={cursor}")).status_code == 400


GRANTS = (
    "INSERT INTO notes (id, org_id, team_id, owner_id, title, body, visibility, tags, version, created_at, updated_at)"
    f" {NUMBERS} SELECT 'n' || n, :org, :team, :owner, 'Note', '', 'private', '[]', 1, :now, :now FROM numbers",
    "INSERT INTO note_grants (note_id, principal_type, principal_id, org_id, permission, granted_by, expires_at, created_at)"
    f" {NUMBERS} SELECT 'n' || n, 'user', :bob, :org, 'notes:read', :owner, :past, :now FROM numbers",
)


async def test_ten_thousand_grants_that_have_ended_cost_no_more_than_some(
    world: World, ann: Caller, bob: Caller
) -> None:
    await share(ann, await make(ann, "notes", "Minutes"), user_id=bob.user_id)
    costs = []
    for first, last in ((0, 2_000), (2_000, 10_000)):
        facts = {
            "org": ann.org.id, "team": ann.team.id, "owner": ann.user_id, "bob": bob.user_id, "now": clock.later(HOUR),
            "past": PAST,
        }  # fmt: skip
        await insert_in_batches(world, GRANTS, facts, first, last, 2_000)
        await analyze(world)
        await listed(bob)
        async with visited(world) as total:
            await listed(bob)
        costs.append(total.count)
    assert costs[1] <= 1.3 * costs[0] + 400, costs
    found, cursor = list[dict[str, Any]](), ""
    for _ in range(10_000 // shared.BATCH):
        page = (await bob.get(f"/api/shared?limit=6{cursor}")).json()
        found += page["items"]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert [item["title"] for item in found] == ["Minutes"]
