"""Activity: what colleagues did with what the caller can read, grouped, newest first, at a bounded cost."""

from typing import Any

import pytest

from teamspace.activity.domain import colleagues
from teamspace.tenancy.schemas import Role
from tests.identity.help import run_sql
from tests.repository.help import put
from tests.support.visited import visited
from tests.support.world import Caller, World

PRIVATE = {"title": "Plan", "body": "…", "visibility": "private"}
TEAM = {"title": "Minutes", "body": "…", "visibility": "team"}


async def activity(caller: Caller, query: str = "") -> list[dict[str, Any]]:
    answer = await caller.get(f"/api/activity{query}")
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def told(items: list[dict[str, Any]]) -> list[tuple[str, str, str, int]]:
    return [(item["verb"], item["kind"], item["title"], item["times"]) for item in items]


async def create(caller: Caller, draft: dict[str, Any]) -> dict[str, Any]:
    answer = await caller.post("/api/notes", draft)
    assert answer.status_code == 201, answer.text
    created: dict[str, Any] = answer.json()
    return created


async def test_what_colleagues_did_is_grouped_and_newest_first(world: World) -> None:
    org, team = await world.company()
    ann, bob = await world.person(org, team), await world.person(org, team)
    note = await create(bob, TEAM)
    for body in ("a", "b", "c"):
        await bob.put(f"/api/notes/{note['id']}", {"body": body})
    await put(bob, "reports/march.pdf", b"x", "?visibility=team")
    await bob.post("/api/documents", {"title": "Handbook", "body": "…", "visibility": "team"})
    await ann.put(f"/api/notes/{note['id']}", {"body": "mine"})
    assert told(await activity(ann)) == [
        ("created", "document", "Handbook", 1), ("created", "file", "march.pdf", 1), ("created", "note", "Minutes", 4),
    ]  # fmt: skip
    assert {item["actor"] for item in await activity(ann)} == {bob.user_id}
    assert told(await activity(bob)) == [("edited", "note", "Minutes", 1)], "their own is no news"


async def test_nobody_learns_of_what_they_cannot_read(world: World) -> None:
    org, team = await world.company()
    ann, bob = await world.person(org, team), await world.person(org, team)
    other, (foreign, theirs) = await world.person(org, await world.team(org)), await world.company()
    stranger, guest = await world.person(foreign, theirs), await world.person(org, team, Role.GUEST)
    private = await create(bob, PRIVATE)
    await create(bob, TEAM)
    assert told(await activity(ann)) == [("created", "note", "Minutes", 1)]
    for outsider in (other, stranger, guest):
        assert await activity(outsider) == []
    await bob.post(f"/api/notes/{private['id']}/share", {"user_id": guest.user_id, "permission": "notes:read"})
    assert ("shared", "note", "Plan", 1) in told(await activity(guest))
    assert "Plan" not in str(await activity(ann))
    narrow = await world.token(ann, scope=["files:read"])
    assert await activity(narrow) == []


async def test_what_is_in_the_trash_or_gone_is_not_shown(world: World) -> None:
    org, team = await world.company()
    ann, bob = await world.person(org, team), await world.person(org, team)
    note = await create(bob, TEAM)
    assert len(await activity(ann)) == 1
    await bob.delete(f"/api/notes/{note['id']}")
    assert await activity(ann) == []


async def test_a_conversation_that_is_shared(world: World) -> None:
    org, team = await world.company()
    ann, bob = await world.person(org, team), await world.person(org, team)
    created = (await bob.post("/api/conversations", {"title": "Prices"})).json()
    assert await activity(ann) == []
    answer = await bob.post(
        f"/api/conversations/{created['id']}/share", {"user_id": ann.user_id, "permission": "notes:read"}
    )
    assert answer.status_code < 300, answer.text
    assert told(await activity(ann)) == [("shared", "conversation", "Prices", 1)]


async def test_runs_appear_when_they_have_ended(world: World) -> None:
    org, team = await world.company()
    ann, bob = await world.person(org, team, Role.ADMIN), await world.person(org, team)
    await run_sql(
        world,
        "INSERT INTO workflow_specs (team_id, digest, org_id, spec) VALUES (:team, 'd', :org, '{}')",
        team=team.id, org=org.id,
    )  # fmt: skip
    await run_sql(
        world,
        "INSERT INTO runs (id, org_id, team_id, owner_id, slug, version, digest, max_steps, state, steps_used, counts,"
        " locale, objects, requests, tokens, created_at) VALUES ('r1', :org, :team, :bob, 'invoice', 1, 'd', 1,"
        " 'running', 0, '{}', 'en', 0, 0, 0, '2026-01-01')",
        org=org.id, team=team.id, bob=bob.user_id,
    )  # fmt: skip
    await run_sql(
        world,
        "INSERT INTO audit (id, org_id, team_id, at, actor_kind, actor_id, action, target, detail, request_id, address)"
        " VALUES ('0', :org, :team, '2026-01-01', 'human', :bob, 'run.start', 'r1', '{}', '', '')",
        org=org.id, team=team.id, bob=bob.user_id,
    )  # fmt: skip
    assert await activity(ann) == []
    await run_sql(world, "UPDATE runs SET state = 'succeeded', finished_at = '2026-01-02'")
    (item,) = await activity(ann)
    assert (item["verb"], item["kind"], item["title"], item["state"]) == ("ran", "run", "invoice", "succeeded")
    member = await world.person(org, team)
    assert await activity(member) == [], "a run is read in full by its owner and admins, or with all its documents"


async def test_pages_have_everything_once(world: World) -> None:
    org, team = await world.company()
    ann, bob = await world.person(org, team), await world.person(org, team)
    for number in range(7):
        await create(bob, {**TEAM, "title": f"{number}"})
        await create(bob, PRIVATE)
    found, cursor, pages = list[str](), "", 0
    while True:
        answer = (await ann.get(f"/api/activity?limit=3{cursor}")).json()
        found += [item["title"] for item in answer["items"]]
        pages += 1
        if answer["next_cursor"] is None:
            break
        cursor = f"&cursor={answer['next_cursor']}"
    assert found == ["6", "5", "4", "3", "2", "1", "0"]
    assert pages == 3


async def test_a_page_reads_a_bounded_number_of_rows(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A member who can read nothing of much that happened gets an empty page and a cursor to go on."""
    monkeypatch.setattr(colleagues, "BATCH", 5)
    org, team = await world.company()
    ann, bob = await world.person(org, team), await world.person(org, team)
    await create(bob, TEAM)
    for _ in range(colleagues.MAX_BATCHES * 5):
        await create(bob, PRIVATE)
    first = (await ann.get("/api/activity")).json()
    assert first["items"] == []
    second = (await ann.get(f"/api/activity?cursor={first['next_cursor']}")).json()
    assert told(second["items"]) == [("created", "note", "Minutes", 1)]
    assert second["next_cursor"] is None


async def test_the_work_does_not_grow_with_what_happened(world: World) -> None:
    """A member who owns nothing, in a team with much that they cannot read and much that is no activity."""
    org, team = await world.company()
    ann, bob = await world.person(org, team), await world.person(org, team)
    notes = [(await create(bob, PRIVATE))["id"] for _ in range(3)]
    await _fill(world, bob, notes, 0, 4_000)
    await activity(ann)
    async with visited(world) as little:
        await activity(ann)
    await _fill(world, bob, notes, 4_000, 40_000)
    async with visited(world) as much:
        assert await activity(ann) == []
    assert much.count <= little.count * 1.2 + 500


async def _fill(world: World, caller: Caller, notes: list[str], first: int, last: int) -> None:
    """Insert rows of the log: as many edits as calls of models, of all of a team."""
    await run_sql(
        world,
        "WITH RECURSIVE numbers (n) AS (SELECT CAST(:first AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :last)"
        " INSERT INTO audit (id, org_id, team_id, at, actor_kind, actor_id, action, target, detail, request_id, address)"
        " SELECT 'x' || n, :org, :team, '', 'human', :user, CASE n % 2 WHEN 0 THEN 'note.update' ELSE 'ai.call' END,"
        " CASE n % 3 WHEN 0 THEN :one WHEN 1 THEN :two ELSE :three END, '{}', '', '' FROM numbers",
        org=caller.org.id, team=caller.team.id, user=caller.user_id, first=first, last=last, one=notes[0], two=notes[1],
        three=notes[2],
    )  # fmt: skip
    await run_sql(world, "ANALYZE")
