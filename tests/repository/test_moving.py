"""Move, rename and copy objects."""

import asyncio
from typing import Any

import pytest

from teamspace.tenancy import Role
from tests.repository.help import TEXT, fetch, keys, put, send, share
from tests.support.world import Caller, World
from tests.triggers.help import add_trigger, publish

pytestmark = pytest.mark.both_databases


@pytest.fixture
async def ann(world: World) -> Caller:
    return await world.bootstrap()


async def move(caller: Caller, object_id: str, key: str, **options: Any) -> tuple[int, dict[str, Any]]:
    answer = await caller.post(f"/api/repo-obj/{object_id}/move", {"key": key}, **options)
    return answer.status_code, answer.json()


async def found(caller: Caller, words: str) -> list[str]:
    return [item["id"] for item in (await caller.get(f"/api/search?q={words}")).json()["items"]]


# Moving


async def test_a_moved_object_keeps_its_versions_grants_and_visibility(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team, Role.VIEWER)
    created = await put(ann, "drafts/plan.txt", query="?visibility=team")
    await put(ann, "drafts/plan.txt", b"Second")
    before = await share(ann, created["id"], bob, "edit")
    status, moved = await move(ann, created["id"], "final/2030/plan.txt")
    assert status == 200
    assert (moved["key"], moved["filename"], moved["version"]) == ("final/2030/plan.txt", "plan.txt", 2)
    assert moved["visibility"] == "team"
    assert [version["number"] for version in moved["versions"]] == [2, 1]
    assert (await fetch(ann, created["id"], "?version=1")).content == TEXT
    assert (await ann.get(f"/api/repo-obj/{created['id']}/grants")).json() == before
    assert await keys(ann, "?prefix=") == ["final/2030/plan.txt"]
    assert await keys(bob, "?shared=1&prefix=final/") == ["final/2030/plan.txt"]
    assert await keys(bob, "?shared=1&prefix=drafts/") == []


async def test_a_rename_changes_the_filename_but_not_one_that_was_chosen(ann: Caller) -> None:
    plain, named = await put(ann, "a.txt"), await put(ann, "b.txt", query="?filename=The%20plan.txt")
    _, renamed = await move(ann, plain["id"], "renamed.txt")
    assert renamed["filename"] == "renamed.txt"
    assert "renamed.txt" in (await fetch(ann, plain["id"])).headers["content-disposition"]
    _, moved = await move(ann, named["id"], "folder/b.txt")
    assert moved["filename"] == "The plan.txt"
    _, renamed = await move(ann, named["id"], "folder/c.txt")
    assert renamed["filename"] == "c.txt"


async def test_the_old_key_is_free_and_the_new_one_is_taken(ann: Caller) -> None:
    first = await put(ann, "a.txt")
    await move(ann, first["id"], "b.txt")
    assert (await send(ann, "b.txt", b"more")).json()["id"] == first["id"]
    second = await send(ann, "a.txt", b"another")
    assert second.status_code == 201
    status, problem = await move(ann, second.json()["id"], "b.txt")
    assert (status, problem["key"]) == (409, "repository.key_taken")
    assert (await move(ann, first["id"], "b.txt"))[0] == 200, "to where it is"


async def test_a_moved_object_is_found_by_its_new_key_and_its_old_text(ann: Caller) -> None:
    created = (await ann.post("/api/documents", {"title": "Harbour", "body": "The crane is back."})).json()
    await move(ann, created["id"], "cargo/quay.md")
    assert await found(ann, "cargo") == await found(ann, "crane") == [created["id"]]
    assert await found(ann, "documents") == []
    assert (await ann.get(f"/api/documents/{created['id']}")).json()["title"] == "Harbour"


@pytest.mark.parametrize("key", ["", "a/../b", "./a", "x" * 1025, "a\u007fb", "a\nb"])
async def test_the_rules_of_keys_apply(ann: Caller, key: str) -> None:
    created = await put(ann, "a.txt")
    for verb in ("move", "copy"):
        answer = await ann.post(f"/api/repo-obj/{created['id']}/{verb}", {"key": key})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
        assert answer.json()["errors"][0]["pointer"] == "/key"


async def test_if_match_is_honoured(ann: Caller) -> None:
    created = await put(ann, "a.txt")
    assert (await move(ann, created["id"], "b.txt", headers={"if-match": '"2"'}))[0] == 412
    assert (await move(ann, created["id"], "b.txt", headers={"if-match": '"1"'}))[0] == 200


async def test_both_keys_must_be_in_the_tokens_prefixes(world: World, ann: Caller) -> None:
    created = await put(ann, "in/a.txt")
    limited = await world.token(ann, scope=["files:read:in/", "files:write:in/"])
    assert (await move(limited, created["id"], "out/a.txt"))[0] == 403
    assert (await move(limited, created["id"], "in/b.txt"))[0] == 200
    await move(ann, created["id"], "out/b.txt")
    assert (await move(limited, created["id"], "in/b.txt"))[0] == 404
    other = await put(ann, "in/c.txt")
    assert (await limited.post(f"/api/repo-obj/{other['id']}/copy", {"key": "out/c.txt"})).status_code == 403


async def test_a_grant_does_not_name_things_in_another_team(world: World, ann: Caller) -> None:
    sister = await world.team(ann.org)
    bob = await world.person(ann.org, sister)
    created = await put(ann, "a.txt")
    await share(ann, created["id"], bob, "manage")
    assert (await move(bob, created["id"], "b.txt"))[0] == 403
    answer = await bob.post(f"/api/repo-obj/{created['id']}/copy", {"key": "b.txt"})
    assert answer.status_code == 201
    assert (answer.json()["team_id"], answer.json()["owner"]) == (sister.id, bob.user_id)


async def test_a_move_starts_no_upload_trigger_and_a_copy_does(ann: Caller) -> None:
    await publish(ann)
    await add_trigger(ann, match_prefix="inbox/")
    created = await put(ann, "a.txt")
    await move(ann, created["id"], "inbox/a.txt")
    assert (await ann.get("/api/runs")).json()["items"] == []
    await ann.post(f"/api/repo-obj/{created['id']}/copy", {"key": "inbox/b.txt"})
    assert len((await ann.get("/api/runs")).json()["items"]) == 1


async def test_of_two_moves_to_one_key_one_wins(ann: Caller) -> None:
    for attempt in range(5):
        made = [await put(ann, f"{attempt}/{number}.txt") for number in range(4)]
        answers = await asyncio.gather(*(move(ann, item["id"], f"{attempt}/target.txt") for item in made))
        assert sorted(status for status, _ in answers) == [200, 409, 409, 409]


async def test_writes_by_id_follow_a_move(ann: Caller) -> None:
    created = (await ann.post("/api/documents", {"title": "Plan", "body": "0"})).json()

    async def edit() -> None:
        for number in range(8):
            answer = await ann.put(f"/api/documents/{created['id']}", {"body": str(number)})
            assert answer.status_code == 200, answer.text

    async def wander() -> None:
        for number in range(8):
            assert (await move(ann, created["id"], f"{number}.md"))[0] == 200

    await asyncio.gather(edit(), wander())
    ended = (await ann.get(f"/api/repo-obj/{created['id']}")).json()
    assert (ended["key"], ended["filename"], ended["version"]) == ("7.md", "7.md", 9)
    assert [version["number"] for version in ended["versions"]] == list(range(9, 0, -1))


async def test_a_move_is_audited_with_both_keys(world: World, ann: Caller) -> None:
    created = await put(ann, "a.txt")
    await move(ann, created["id"], "b.txt")
    (entry,) = (await ann.get("/api/audit?action=object.move")).json()["items"]
    assert (entry["target"], entry["detail"]) == (created["id"], {"key": "b.txt", "from": "a.txt"})


# Copying


async def test_a_copy_is_a_private_object_of_the_caller_with_the_newest_content(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team)
    await put(ann, "a.txt", b"First", "?visibility=team")
    created = await put(ann, "a.txt", TEXT)
    answer = await bob.post(f"/api/repo-obj/{created['id']}/copy", {"key": "mine/a.txt"})
    assert answer.status_code == 201
    copied = answer.json()
    assert (copied["owner"], copied["visibility"], copied["version"]) == (bob.user_id, "private", 1)
    assert (copied["sha256"], copied["filename"]) == (created["sha256"], "a.txt")
    assert (await fetch(ann, copied["id"])).status_code == 404
    await ann.delete(f"/api/repo-obj/{created['id']}")
    assert (await fetch(bob, copied["id"])).content == TEXT
    assert (await bob.post(f"/api/repo-obj/{copied['id']}/copy", {"key": "mine/a.txt"})).status_code == 409
