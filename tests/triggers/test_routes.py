"""Triggers over HTTP: create, change, delete, list with the AI budget, dry test, and history."""

from typing import Any

import pytest

from teamspace import triggers
from teamspace.tenancy.schemas import Role
from teamspace.triggers.schemas import KEPT_FIRES, MAX_INPUT, MAX_TRIGGERS
from tests.identity.help import run_sql
from tests.repository.help import put, share
from tests.support.world import Caller, World
from tests.triggers.help import FILE, add_trigger, change, dry_test, history, publish, reasons


@pytest.fixture
async def ann(world: World) -> Caller:
    ann = await world.bootstrap()
    await publish(ann)
    return ann


async def test_a_trigger_is_created_read_changed_and_deleted(ann: Caller) -> None:
    fields: dict[str, Any] = {
        "match_prefix": "inbox/",
        "match_types": ["Image/*", "application/pdf", "image/*"],
        "input": {},
    }
    trigger = await add_trigger(ann, **fields)
    assert trigger.pop("created_at") == trigger.pop("updated_at")
    assert trigger == {
        "id": trigger["id"], "workflow_slug": FILE, "match_prefix": "inbox/",
        "match_types": ["image/*", "application/pdf"], "input": {}, "fire_on_derived": False, "enabled": True,
        "author": ann.user_id, "ai_remaining": {"requests": None, "tokens": None},
    }  # fmt: skip
    shown = (await ann.get(f"/api/doc-triggers/{trigger['id']}")).json()
    assert shown | trigger == shown and (shown["history"], shown["next_cursor"]) == ([], None)
    changed = await change(ann, trigger, match_prefix="")
    assert (changed["match_prefix"], changed["match_types"]) == ("", trigger["match_types"]), "absent fields stay"
    assert (await ann.delete(f"/api/doc-triggers/{trigger['id']}")).status_code == 204
    assert (await ann.get(f"/api/doc-triggers/{trigger['id']}")).status_code == 404
    assert (await ann.get("/api/doc-triggers")).json() == {"items": [], "next_cursor": None}


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"workflow_slug": "missing"}, "/workflow_slug"),
        ({"workflow_slug": ""}, "/workflow_slug"),
        ({"match_types": ["image"]}, "/match_types/0"),
        ({"match_types": ["image/png", "*"]}, "/match_types/1"),
        ({"match_types": ["image/png; q=1"]}, "/match_types/0"),
        ({"match_types": ["text/plain"] * 21}, "/match_types"),
        ({"match_prefix": "a\nb"}, "/match_prefix"),
        ({"match_prefix": "x" * 1025}, "/match_prefix"),
        ({"input": {"text": "x" * MAX_INPUT}}, "/input"),
        ({"input": {"unknown": 1}}, "/input/unknown"),
        ({"enabled": None}, "/enabled"),
    ],
)
async def test_a_trigger_that_cannot_work_is_refused_naming_the_field(
    ann: Caller, fields: dict[str, Any], pointer: str
) -> None:
    trigger = await add_trigger(ann)
    for answer in (
        await ann.post("/api/doc-triggers", {"workflow_slug": FILE, **fields}),
        await ann("PATCH", f"/api/doc-triggers/{trigger['id']}", fields),
    ):
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, pointer), answer.text


async def test_an_empty_change_is_refused(ann: Caller) -> None:
    trigger = await add_trigger(ann)
    answer = await ann("PATCH", f"/api/doc-triggers/{trigger['id']}", {})
    assert (answer.status_code, answer.json()["key"]) == (400, "triggers.nothing")


async def test_inputs_are_checked_when_the_trigger_is_saved(ann: Caller) -> None:
    await publish(ann, "translate", object_id="string", locale="string")
    answer = await ann.post("/api/doc-triggers", {"workflow_slug": "translate"})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/input/locale")
    trigger = await add_trigger(ann, "translate", input={"locale": "es"})
    answer = await ann("PATCH", f"/api/doc-triggers/{trigger['id']}", {"input": {"locale": 7}})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/input/locale")
    assert (await ann.get(f"/api/doc-triggers/{trigger['id']}")).json()["input"] == {"locale": "es"}


async def test_a_trigger_whose_workflow_takes_no_object_needs_no_object(ann: Caller) -> None:
    await publish(ann, "tell", text="string")
    trigger = await add_trigger(ann, "tell", input={"text": "hello"})
    await put(ann, "a.txt")
    assert await reasons(ann, trigger) == [None]


async def test_a_team_has_at_most_100_triggers(world: World, ann: Caller) -> None:
    for _ in range(MAX_TRIGGERS):
        await add_trigger(ann)
    answer = await ann.post("/api/doc-triggers", {"workflow_slug": FILE})
    assert (answer.status_code, answer.json()["key"]) == (409, "triggers.limit")
    assert len((await ann.get("/api/doc-triggers")).json()["items"]) == MAX_TRIGGERS


async def test_whoever_changes_a_trigger_is_its_author_unless_they_only_turn_it_off(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team)
    trigger = await add_trigger(ann)
    assert (await change(bob, trigger, enabled=False))["author"] == ann.user_id
    assert (await change(bob, trigger, enabled=True))["author"] == bob.user_id
    assert (await change(ann, trigger, match_prefix="x"))["author"] == ann.user_id


async def test_viewers_read_triggers_and_do_not_change_them(world: World, ann: Caller) -> None:
    trigger = await add_trigger(ann)
    vic = await world.person(ann.org, ann.team, Role.VIEWER)
    assert (await vic.get(f"/api/doc-triggers/{trigger['id']}")).status_code == 200
    assert (await vic("PATCH", f"/api/doc-triggers/{trigger['id']}", {"enabled": False})).status_code == 403
    elsewhere = await world.person(ann.org, await world.team(ann.org))
    for method, body in (("GET", None), ("PATCH", {"enabled": False}), ("DELETE", None)):
        assert (await elsewhere(method, f"/api/doc-triggers/{trigger['id']}", body)).status_code == 404


async def test_the_listing_says_what_remains_of_the_ai_budget(ann: Caller) -> None:
    await add_trigger(ann)
    for dimension, limit, window in (("ai.requests", 40, "day"), ("ai.tokens.total", 5000, "month")):
        await ann.post("/api/quota", {"dimension": dimension, "limit": limit, "window": window})
    (item,) = (await ann.get("/api/doc-triggers")).json()["items"]
    assert item["ai_remaining"] == {"requests": 40, "tokens": 5000}
    assert (item["would_fire"], item["reason"]) == (None, None)


async def test_a_dry_test_says_which_triggers_a_key_would_fire_and_why_not_the_others(ann: Caller) -> None:
    for slug in ("prefix", "type", "off", "all", "images"):
        await publish(ann, slug)
    await add_trigger(ann, "prefix", match_prefix="outbox/")
    await add_trigger(ann, "type", match_types=["application/pdf"])
    await add_trigger(ann, "off", enabled=False)
    await add_trigger(ann, "all")
    await add_trigger(ann, "images", match_types=["image/*"])
    expected = {"prefix": "prefix_mismatch", "type": "type_mismatch", "off": "disabled", "all": None}
    assert await dry_test(ann, "inbox/a.png") == expected | {"images": None}
    assert await dry_test(ann, "inbox/a.png", "text/plain") == expected | {"images": "type_mismatch"}
    items = {item["workflow_slug"]: item for item in (await ann.get("/api/doc-triggers?key=a.png")).json()["items"]}
    assert items["prefix"]["reason"] == {
        "code": "prefix_mismatch", "message": "The key does not begin with outbox/.", "key": "triggers.prefix_mismatch",
        "params": {"prefix": "outbox/"},
    }  # fmt: skip
    assert await history(ann, items["all"]) == [], "it is a read"


@pytest.mark.parametrize("query", ["?content_type=image/png", "?key=", "?key=a/../b", "?key=a&content_type=nonsense"])
async def test_a_dry_test_of_an_impossible_upload_is_refused(ann: Caller, query: str) -> None:
    assert (await ann.get(f"/api/doc-triggers{query}")).status_code == 400


async def test_a_dry_test_is_about_an_upload_by_the_caller(world: World, ann: Caller) -> None:
    await add_trigger(ann)
    vic = await world.person(ann.org, ann.team, Role.VIEWER)
    scoped = await world.token(ann, scope=["workflows:read", "workflows:run:inbox/"])
    assert await dry_test(vic, "inbox/a.txt") == {FILE: "no_permission"}
    assert await dry_test(scoped, "inbox/a.txt") == {FILE: None}
    assert await dry_test(scoped, "a.txt") == {FILE: "no_permission"}


async def test_history_is_paged_newest_first(ann: Caller) -> None:
    trigger = await add_trigger(ann)
    for number in range(5):
        await put(ann, "a.txt", b"%d" % number)
    path, seen, cursor = f"/api/doc-triggers/{trigger['id']}?limit=2", list[int](), ""
    while True:
        page = (await ann.get(path + cursor)).json()
        seen += [row["version"] for row in page["history"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == [5, 4, 3, 2, 1]


async def test_history_about_an_object_that_the_caller_cannot_read_is_reduced(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team)
    trigger = await add_trigger(ann)
    created = await put(ann, "secret.txt")
    (full,) = await history(ann, trigger)
    assert (full["view"], full["object_id"], full["version"]) == ("full", created["id"], 1)
    assert full["run_id"] and full["reason"] is None
    assert await history(bob, trigger) == [{"view": "outline", "reason": None, "at": full["at"]}]
    await share(ann, created["id"], bob)
    assert await history(bob, trigger) == [full]
    await ann.delete(f"/api/repo-obj/{created['id']}")
    assert [row["view"] for row in await history(ann, trigger)] == ["outline"], "the object is gone"


async def test_deleting_a_trigger_deletes_its_history_and_keeps_its_runs(world: World, ann: Caller) -> None:
    trigger = await add_trigger(ann)
    await put(ann, "a.txt")
    (fire,) = await history(ann, trigger)
    await ann.delete(f"/api/doc-triggers/{trigger['id']}")
    assert await world.db.one(int, "SELECT COUNT(*) FROM trigger_fires") == 0
    assert (await ann.get(f"/api/runs/{fire['run_id']}")).json()["trigger_id"] == trigger["id"]


async def test_only_the_newest_history_is_kept(world: World, ann: Caller) -> None:
    trigger, other = await add_trigger(ann), await add_trigger(ann)
    await put(ann, "a.txt")
    await run_sql(
        world,
        "INSERT INTO trigger_fires (id, trigger_id, org_id, object_id, version_id, number, reason, created_at)"
        " WITH RECURSIVE numbers (n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < 2300)"
        " SELECT '0' || CAST(10000 + n AS TEXT), :trigger_id, :org_id, 'o', CAST(n AS TEXT), n, 'derived', '2030'"
        " FROM numbers",
        trigger_id=trigger["id"], org_id=ann.org.id,
    )  # fmt: skip
    await triggers.tidy(world.db)
    kept = await world.db.all(str, "SELECT id FROM trigger_fires WHERE trigger_id = :id ORDER BY id", id=trigger["id"])
    assert (len(kept), kept[0]) == (KEPT_FIRES, "011302"), "the newest, and the real one"
    assert len(await history(ann, other)) == 1


async def test_members_are_told_when_a_trigger_changes_or_fires(world: World, ann: Caller) -> None:
    trigger = await add_trigger(ann)
    await put(ann, "a.txt")
    await ann.delete(f"/api/doc-triggers/{trigger['id']}")
    told = await world.db.all(str, "SELECT change FROM events WHERE kind = 'trigger' ORDER BY id")
    assert told == ["created", "updated", "deleted"]
