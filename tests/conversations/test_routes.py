"""Conversations over HTTP."""

import asyncio
from typing import Any

import httpx2
import pytest

from teamspace.core import clock
from teamspace.sharing.domain import granting as sharing
from teamspace.tenancy.schemas import OrgRole, Role
from tests.conversations.help import begin, broken, create, end, say
from tests.support.world import Caller, World

HIDDEN = (404, "not_found")


def code(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def share(caller: Caller, id: str, user: Caller, permission: str | None = "notes:read") -> httpx2.Response:
    return await caller.post(f"/api/conversations/{id}/share", {"user_id": user.user_id, "permission": permission})


async def listed(caller: Caller, query: str = "") -> list[dict[str, Any]]:
    answer = await caller.get(f"/api/conversations{query}")
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


async def test_a_conversation_is_created_read_renamed_and_deleted(world: World) -> None:
    ann = await world.bootstrap()
    answer = await ann.post("/api/conversations", {"title": " Plans "})
    created = answer.json()
    assert (answer.status_code, created) == (201, {
        "id": created["id"], "title": "Plans", "owner": ann.user_id, "team_id": ann.team.id, "shared_with": [],
        "turns": [], "created_at": created["created_at"], "updated_at": created["created_at"],
    })  # fmt: skip
    path = f"/api/conversations/{created['id']}"
    assert (await ann.get(path)).json() == created
    renamed = (await ann("PATCH", path, {"title": "New"})).json()
    assert (await listed(ann)) == [renamed]
    assert (await ann.get(path)).json() == created | {"title": "New", "updated_at": renamed["updated_at"]}
    await say(world, ann, created["id"], [{"type": "note", "note_id": "x1"}])
    assert (await ann.delete(path)).status_code == 204
    assert code(await ann.get(path)) == code(await ann.delete(path)) == HIDDEN
    for table in ("conversations", "conversation_turns", "conversation_references", "conversation_grants", "texts"):
        assert not await world.db.exists(f"SELECT 1 FROM {table}"), table
    assert await broken(world) == []


@pytest.mark.parametrize("title", ["", "  ", "x" * 201, "turned \u202e around", "two\nlines"])
async def test_a_bad_title_is_refused(world: World, title: str) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann)
    for answer in (
        await ann.post("/api/conversations", {"title": title}),
        await ann("PATCH", f"/api/conversations/{id}", {"title": title}),
    ):
        assert code(answer) == (400, "invalid_request")
        assert answer.json()["errors"][0]["pointer"] == "/title"


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Hello\nmore", "Hello"),
        ("\n\t \n  What   is\tthis?  \r\nmore", "What is this?"),
        ("x" * 200, "x" * 79 + "…"),
        ("word " * 30, "word " * 15 + "word…"),
        ("## **All** about [our _new_ plan](https://example.com/plan)", "All about our new plan"),
        ("See [the plan](https://example.com/" + "x" * 2000, "See the plan"),
        ("```\ncode = 1", "code = 1"),
        ("Solve " + "$x + 1$ " * 12, "Solve " + "$x + 1$ " * 8 + "$x + 1$…"),
        ("$" + "x + " * 40 + "1$", "x + " * 19 + "x +…"),
        ("It costs $5 or $6", "It costs $5 or $6"),
        ("👩‍👧" * 40, "👩‍👧" * 26 + "…"),
        ("🇨🇭" * 60, "🇨🇭" * 39 + "…"),
        ("a\u202eb\x00c", "abc"),
        ("\u2028\u2029", ""),
        ([{"type": "note", "note_id": "x"}], ""),
        ([{"type": "note", "note_id": "x"}, {"type": "text", "text": "Read it"}], "Read it"),
    ],
)
async def test_the_first_prompt_is_the_title(world: World, prompt: Any, title: str) -> None:
    ann = await world.bootstrap()
    id, named = await create(world, ann), await create(world, ann, "Named")
    for each in (id, named):
        await say(world, ann, each, prompt)
    found = {item["id"]: item["title"] for item in await listed(ann)}
    assert found == {id: title, named: "Named"}
    await say(world, ann, id, "A second prompt")
    assert (await ann.get(f"/api/conversations/{id}")).json()["title"] == (title or "A second prompt")


async def test_the_list_is_ordered_by_the_last_activity(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    ann = await world.bootstrap()
    ids = [await create(world, ann, str(number)) for number in range(5)]
    bob = await world.person(ann.org, ann.team)
    for id in ids:
        await share(ann, id, bob)
    now += 1
    begun = await begin(world, ann, ids[1], "prompt of the second")
    now += 1
    await say(world, ann, ids[3], "x", "answer of the fourth")
    now += 1
    await ann("PATCH", f"/api/conversations/{ids[0]}", {"title": "first"})
    expected = [ids[0], ids[3], ids[1], ids[4], ids[2]]
    for caller, query in ((ann, ""), (bob, ""), (bob, "shared=1&")):
        pages, cursor = list[dict[str, Any]](), ""
        while True:
            page = (await caller.get(f"/api/conversations?{query}limit=2{cursor}")).json()
            pages += page["items"]
            if page["next_cursor"] is None:
                break
            cursor = f"&cursor={page['next_cursor']}"
        assert [item["id"] for item in pages] == expected, query
        assert [item["excerpt"] for item in pages] == ["", "answer of the fourth", "prompt of the second", "", ""]
        assert all(item["shared"] and item["owner"] == ann.user_id for item in pages)
    now += 1
    await end(world, ann, begun.id, "")
    newest = (await listed(ann))[0]
    assert (newest["id"], newest["excerpt"]) == (ids[1], "prompt of the second"), "an empty answer has no excerpt"
    assert newest["updated_at"] == clock.stamp() > newest["created_at"]
    assert await broken(world) == []


async def test_a_conversation_belongs_to_its_owner_and_those_it_is_shared_with(world: World) -> None:
    ann = await world.bootstrap()
    team, sister = ann.team, await world.team(ann.org)
    owner = await world.person(ann.org, team)
    people = {
        "manager": await world.person(ann.org, team, Role.OWNER),
        "company": await world.person(ann.org, sister, org_role=OrgRole.OWNER),
        "operator": ann,
        "stranger": await world.person(*await world.company(), Role.OWNER),
        "reader": await world.person(ann.org, sister, Role.GUEST),
        "writer": await world.person(ann.org, sister),
    }
    id = await create(world, owner, "Secret")
    for name, permission in (("reader", "notes:read"), ("writer", "notes:write")):
        assert (await share(owner, id, people[name], permission)).status_code == 200
    path = f"/api/conversations/{id}"
    for name, caller in people.items():
        found = name in ("reader", "writer")
        assert (await caller.get(path)).status_code == (200 if found else 404), name
        for query in ("", "?shared=1"):
            assert [item["id"] for item in await listed(caller, query)] == ([id] if found else []), name
        renamed = await caller("PATCH", path, {"title": "Mine"})
        assert renamed.status_code == (200 if name == "writer" else 403 if found else 404), name
        for refused in (await caller.delete(path), await share(caller, id, people["reader"])):
            assert refused.status_code == (403 if found else 404), name
    token = await world.token(owner, scope=["notes:read"])
    assert code(await token.get(path)) == (403, "out_of_scope")
    assert await listed(await world.token(owner, scope=["chat:use"])) == await listed(owner)
    assert await listed(owner, "?shared=1") == []


async def test_shares_are_changed_and_taken_back(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    zoe = await world.person(*await world.company())
    id = await create(world, ann)
    for permission in ("notes:read", "notes:write", "notes:read"):
        grants = (await share(ann, id, bob, permission)).json()["items"]
        assert [(grant["user_id"], grant["permission"]) for grant in grants] == [(bob.user_id, permission)]
        assert (await bob.get(f"/api/conversations/{id}")).json()["shared_with"] == grants
    assert (await share(ann, id, bob, None)).json() == {"items": []}
    assert code(await bob.get(f"/api/conversations/{id}")) == HIDDEN
    assert code(await share(ann, id, zoe)) == HIDDEN
    for user, permission in ((ann, "notes:read"), (bob, "notes:manage"), (bob, "chat:use")):
        assert code(await share(ann, id, user, permission)) == (400, "invalid_request")
    assert not (await listed(ann))[0]["shared"]


async def test_a_conversation_is_shared_with_a_limited_number_of_people(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharing, "MAX_GRANTS", 2)
    ann = await world.bootstrap()
    people = [await world.person(ann.org, ann.team) for _ in range(3)]
    id = await create(world, ann)
    answers = [await share(ann, id, person) for person in people]
    assert [answer.status_code for answer in answers] == [200, 200, 400]
    assert answers[2].json()["key"] == "sharing.grants"
    assert (await share(ann, id, people[0], "notes:write")).status_code == 200


async def test_racing_changes_of_one_conversation_are_all_kept(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    id = await create(world, ann)
    turn, renamed, shared = await asyncio.gather(
        say(world, ann, id, "Question"), ann("PATCH", f"/api/conversations/{id}", {"title": "New"}), share(ann, id, bob)
    )
    assert (renamed.status_code, shared.status_code) == (200, 200)
    conversation = (await bob.get(f"/api/conversations/{id}")).json()
    assert (conversation["title"], conversation["turns"][1]["id"]) == ("New", turn.id)
    assert await broken(world) == []


# People who come and go


async def test_a_former_member_has_no_access_until_they_return(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    reader = await world.person(ann.org, ann.team)
    id = await create(world, bob)
    await share(bob, id, reader)
    elsewhere = await world.join(bob, await world.team(ann.org))
    path = f"/api/conversations/{id}"
    assert (await elsewhere.get(path)).status_code == 200, "readable from another of their teams"
    assert (await ann.delete(f"/api/members/{bob.user_id}")).status_code == 204
    for answer in (await elsewhere.get(path), await elsewhere.delete(path), await share(elsewhere, id, ann)):
        assert code(answer) == HIDDEN
    assert await listed(elsewhere) == []
    assert (await reader.get(path)).status_code == 200, "what was shared stays shared"
    again = await world.join(bob, ann.team, Role.GUEST)
    assert (await again.get(path)).status_code == 200, "also without the permission to chat"


async def test_a_persons_conversations_are_transferred(world: World) -> None:
    ann = await world.bootstrap()
    bob, eve = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team)
    ids = [await create(world, bob, str(number)) for number in range(3)]
    await share(bob, ids[0], eve)
    await say(world, bob, ids[0], "Question")
    assert (await ann.delete(f"/api/members/{bob.user_id}")).status_code == 204
    moved = await ann.post(f"/api/members/{bob.user_id}/transfer", {"to": eve.user_id})
    assert moved.json()["moved"] == {"notes": 0, "conversations": 3, "objects": 0}
    assert sorted(item["id"] for item in await listed(eve)) == sorted(ids)
    assert await listed(eve, "?shared=1") == []
    await say(world, eve, ids[0], "Another question")
    authors = [turn.get("author") for turn in (await eve.get(f"/api/conversations/{ids[0]}")).json()["turns"]]
    assert authors == [bob.user_id, None, eve.user_id, None]
    assert await broken(world) == []


async def test_a_disabled_person_keeps_what_they_shared(world: World) -> None:
    ann = await world.bootstrap()
    bob, eve = await world.person(ann.org, ann.team), await world.person(ann.org, ann.team)
    id = await create(world, bob, "Shared")
    await share(bob, id, eve)
    assert (await ann("PATCH", f"/api/admin/users/{bob.user_id}", {"disabled": True})).status_code == 200
    assert (await bob.get(f"/api/conversations/{id}")).status_code == 401
    assert (await eve.get(f"/api/conversations/{id}")).json()["owner"] == bob.user_id
