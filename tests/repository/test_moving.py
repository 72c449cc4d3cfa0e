"""Move, rename and copy objects."""

import asyncio
from typing import Any

import pytest

from teamspace.tenancy import Role
from tests.jobs.help import running
from tests.repository.help import TEXT, fetch, keys, put, send, share
from tests.repository.test_texts import wait_for_text
from tests.support.world import Caller, World
from tests.triggers.help import add_trigger, publish

pytestmark = pytest.mark.both_databases

BUSY = {"database.busy", "database.conflicting_writes"}


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


# Replacing


async def replace(caller: Caller, verb: str, object_id: str, key: str, **options: Any) -> tuple[int, dict[str, Any]]:
    answer = await caller.post(f"/api/repo-obj/{object_id}/{verb}", {"key": key, "replace": True}, **options)
    return answer.status_code, answer.json()


async def contents(caller: Caller, item: dict[str, Any]) -> list[bytes]:
    numbers = [version["number"] for version in item["versions"]]
    return [(await fetch(caller, item["id"], f"?version={number}")).content for number in numbers]


async def test_a_move_onto_an_object_is_its_next_version_and_can_be_undone(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team, Role.VIEWER)
    target = await put(ann, "kept/plan.txt", b"First", "?visibility=private")
    await share(ann, target["id"], bob)
    moved = await put(ann, "drafts/plan.txt", b"Second", "?visibility=team")
    status, answer = await replace(ann, "move", moved["id"], "kept/plan.txt")
    assert (status, answer["id"], answer["version"], answer["visibility"]) == (200, target["id"], 2, "private")
    assert await contents(bob, answer) == [b"Second", b"First"]
    assert await keys(ann, "?prefix=") == ["kept/plan.txt"]
    assert (await fetch(ann, moved["id"])).status_code == 404
    (entry,) = (await ann.get("/api/audit?action=object.move")).json()["items"]
    assert entry["target"] == target["id"]
    assert entry["detail"] == {
        "key": "kept/plan.txt", "from": "drafts/plan.txt", "version": 2, "moved": moved["id"],
    }  # fmt: skip
    assert (await ann.post(f"/api/trash/{moved['id']}/restore", {})).status_code == 200
    assert (await fetch(ann, moved["id"])).content == b"Second"


async def test_the_text_of_what_replaces_is_found_in_its_target(world: World, ann: Caller) -> None:
    kept, moved = [
        (await ann.post("/api/documents", {"title": title, "body": body})).json()
        for title, body in (("Harbour", "The crane is back."), ("Quay", "The ferry has left."))
    ]
    target = (await ann.get(f"/api/repo-obj/{kept['id']}")).json()
    assert (await replace(ann, "move", moved["id"], target["key"]))[0] == 200
    async with running(world):
        await wait_for_text(ann, kept["id"])
    assert (await found(ann, "ferry"), await found(ann, "crane")) == ([kept["id"]], [])
    assert (await ann.get(f"/api/documents/{kept['id']}")).json()["body"] == "The ferry has left."


async def test_a_copy_onto_an_object_is_its_next_version(world: World, ann: Caller) -> None:
    bob = await world.person(ann.org, ann.team)
    target = await put(ann, "plan.txt", b"First", "?visibility=team")
    source = await put(bob, "mine/plan.txt", b"Second", "?visibility=team")
    status, answer = await replace(bob, "copy", source["id"], "plan.txt")
    assert (status, answer["id"], answer["owner"]) == (201, target["id"], ann.user_id)
    assert await contents(bob, answer) == [b"Second", b"First"]
    assert await keys(bob, "?prefix=") == ["mine/plan.txt", "plan.txt"]
    status, problem = await replace(bob, "copy", source["id"], "mine/plan.txt")
    assert (status, problem["key"]) == (409, "repository.key_taken"), "itself"
    assert (await replace(bob, "copy", source["id"], "free.txt"))[0] == 201


async def test_what_another_team_shared_replaces_what_the_own_team_has_at_the_same_key(
    world: World, ann: Caller
) -> None:
    bob = await world.person(ann.org, await world.team(ann.org))
    source, target = await put(ann, "plan.txt", b"New"), await put(bob, "plan.txt", b"Old")
    await share(ann, source["id"], bob)
    status, answer = await replace(bob, "copy", source["id"], "plan.txt")
    assert (status, answer["id"]) == (201, target["id"])
    assert await contents(bob, answer) == [b"New", b"Old"]


async def test_replacing_needs_rights_at_both_ends(world: World, ann: Caller) -> None:
    bob, guest = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team, Role.VIEWER)
    hidden = await put(ann, "hidden.txt", b"Hidden")
    read_only = await put(ann, "read.txt", b"Read only")
    theirs = await put(ann, "theirs.txt", b"Theirs")
    await share(ann, read_only["id"], bob)
    await share(ann, theirs["id"], bob, "edit")
    own = await put(bob, "own.txt", b"Own")
    for verb in ("move", "copy"):
        status, problem = await replace(bob, verb, own["id"], "hidden.txt")
        assert (status, problem["key"]) == (409, "repository.key_taken"), "not even that it could be replaced"
        assert (await replace(bob, verb, own["id"], "read.txt"))[0] == 403
        assert (await replace(guest, verb, own["id"], "theirs.txt"))[0] == 404
        assert (await replace(guest, verb, own["id"], "own.txt"))[0] == 404
    assert (await replace(bob, "move", theirs["id"], "own.txt"))[0] == 403, "it would be deleted"
    assert (await replace(bob, "copy", theirs["id"], "own.txt"))[0] == 201
    for item, content in ((hidden, b"Hidden"), (read_only, b"Read only"), (theirs, b"Theirs")):
        assert (await fetch(ann, item["id"])).content == content
    limited = await world.token(bob, scope=["files:read:in/", "files:write:in/", "files:delete:in/"])
    inside = await put(bob, "in/a.txt", b"In")
    assert (await replace(limited, "move", inside["id"], "own.txt"))[0] == 403
    assert (await replace(limited, "copy", inside["id"], "own.txt"))[0] == 403
    unable = await world.token(bob, scope=["files:read", "files:write"])
    assert (await replace(unable, "move", inside["id"], "own.txt"))[0] == 403, "without the right to delete"


async def test_of_those_who_replace_one_object_at_once_each_writes_a_version_or_changes_nothing(ann: Caller) -> None:
    target = await put(ann, "target.txt", b"0")
    made = [await put(ann, f"{number}.txt", str(number).encode()) for number in range(1, 5)]
    answers = await asyncio.gather(*(replace(ann, "move", item["id"], "target.txt") for item in made))
    won = [number for number, (status, _) in enumerate(answers, 1) if status == 200]
    # A busy database can give up, and says so.
    lost = {number: problem["key"] for number, (status, problem) in enumerate(answers, 1) if status != 200}
    assert won and set(lost.values()) <= BUSY
    ended = (await ann.get(f"/api/repo-obj/{target['id']}")).json()
    assert [version["number"] for version in ended["versions"]] == list(range(len(won) + 1, 0, -1))
    assert sorted(await contents(ann, ended)) == [b"0", *(str(number).encode() for number in won)]
    assert await keys(ann, "?prefix=") == [*(f"{number}.txt" for number in lost), "target.txt"]


async def test_of_two_that_move_one_object_onto_others_one_wins(ann: Caller) -> None:
    for attempt in range(5):
        targets = [await put(ann, f"{attempt}/target {number}.txt", b"Old") for number in range(3)]
        moved = await put(ann, f"{attempt}/moved.txt", b"New")
        answers = await asyncio.gather(*(replace(ann, "move", moved["id"], item["key"]) for item in targets))
        assert [status for status, _ in answers].count(200) == 1
        assert all(status in (200, 404) or problem["key"] in BUSY for status, problem in answers)
        assert sorted([(await fetch(ann, item["id"])).content for item in targets]) == [b"New", b"Old", b"Old"]


async def test_replacing_starts_upload_triggers_as_any_new_version(ann: Caller) -> None:
    await put(ann, "inbox/a.txt", b"Old")
    await publish(ann)
    await add_trigger(ann, match_prefix="inbox/")
    moved = await put(ann, "a.txt", b"New")
    await replace(ann, "move", moved["id"], "inbox/a.txt")
    assert len((await ann.get("/api/runs")).json()["items"]) == 1


async def test_a_deleted_object_with_older_versions_is_replaced_and_a_free_key_is_just_taken(ann: Caller) -> None:
    moved = await put(ann, "a.txt", b"A")
    status, answer = await replace(ann, "move", moved["id"], "b.txt")
    assert (status, answer["id"], answer["version"]) == (200, moved["id"], 1)
    assert (await replace(ann, "move", moved["id"], "b.txt"))[1]["version"] == 1, "to where it is"


async def test_what_replaces_counts_as_storage(ann: Caller) -> None:
    async def stored() -> int:
        usage = (await ann.get("/api/usage")).json()
        return next(int(each["used"]) for each in usage["items"] if each["dimension"] == "storage.bytes")

    await put(ann, "a.txt", b"x" * 100)
    other = await put(ann, "b.txt", b"x" * 50)
    before = await stored()
    await replace(ann, "copy", other["id"], "a.txt")
    assert await stored() == before + 50
