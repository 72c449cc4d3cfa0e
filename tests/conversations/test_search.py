"""Conversations are found by their prompts and answers, by those who can read them."""

import asyncio
from typing import Any

from teamspace import conversations, fulltext
from teamspace.core.permissions import Permission as P
from teamspace.core.principal import system
from teamspace.search import tools
from tests.conversations.help import begin, broken, create, end, principal, say
from tests.support.world import Caller, World


async def found(caller: Caller, q: str, **more: str) -> list[dict[str, Any]]:
    answer = await caller.get("/api/search", params={"q": q, **more})
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


async def test_prompts_and_answers_of_all_branches_are_found(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    id = await create(world, ann)
    first = await say(world, ann, id, "What about *oranges*?", "Oranges are **juicy**.")
    parts = [{"type": "image_url", "image_url": {"url": "data:lemon"}}, {"type": "text", "text": "and grapefruit"}]
    await say(world, ann, id, parts, "pomelo", parent_id=first.id)
    await say(world, ann, id, None, "tangerine", regenerate=first.id)
    assert [item["id"] for item in await found(ann, "oranges")] == [id], "the title is found at once"
    assert await found(ann, "tangerine") == []
    await conversations.index(world.db, system(org_id=ann.org.id), id)
    for word in ("oranges", "juicy", "grapefruit", "pomelo", "tangerine"):
        (item,) = await found(ann, word)
        assert (item["type"], item["id"], item["title"]) == ("conversation", id, "What about oranges?")
        assert await found(bob, word) == []
    assert await found(ann, "lemon") == []
    assert "<mark>juicy</mark>" in (await found(ann, "juicy"))[0]["snippet"]
    assert "**" not in (await found(ann, "juicy"))[0]["snippet"]
    await ann.post(f"/api/conversations/{id}/share", {"user_id": bob.user_id, "permission": "notes:read"})
    assert len(await found(bob, "pomelo", types="conversation")) == 1
    assert await found(bob, "pomelo", types="note,object") == []
    assert await found(await world.token(ann, scope=["search", "notes:read"]), "pomelo") == []
    await ann("PATCH", f"/api/conversations/{id}", {"title": "Citrus"})
    assert len(await found(ann, "citrus pomelo")) == 1
    await ann.delete(f"/api/conversations/{id}")
    assert await found(ann, "pomelo") == []
    assert await broken(world) == []


async def test_an_older_text_never_replaces_a_newer_one(world: World, monkeypatch: Any) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann)
    await say(world, ann, id, "first")
    read, proceed = asyncio.Event(), asyncio.Event()
    prepare = fulltext.prepare

    async def slow(text: str, *, is_markdown: bool = False) -> fulltext.Prepared:
        read.set()
        await proceed.wait()
        return await prepare(text, is_markdown=is_markdown)

    with monkeypatch.context() as patch:
        patch.setattr(fulltext, "prepare", slow)
        older = asyncio.create_task(conversations.index(world.db, system(), id))
        await read.wait()
    begun = await begin(world, ann, id, "second")
    await end(world, ann, begun.id, "newest")
    await conversations.index(world.db, system(), id)
    proceed.set()
    await older
    assert len(await found(ann, "newest")) == 1


async def test_any_answer_can_be_indexed(world: World) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann)
    await say(world, ann, id, "Any signs", "nul\0 and \x01 and \U000fffff")
    await say(world, ann, id, "long", "word " * 250_000)
    await conversations.index(world.db, system(), id)
    assert len(await found(ann, "signs")) == 1
    await conversations.index(world.db, system(), "unknown")
    assert await broken(world) == []


async def test_a_model_that_searches_does_not_find_its_own_question(world: World) -> None:
    ann = await world.bootstrap()
    await create(world, ann, "Oranges")
    note = (await ann.post("/api/notes", {"title": "Oranges"})).json()["id"]
    who = principal(ann, frozenset({P.SEARCH, P.NOTES_READ, P.FILES_READ, P.CHAT_USE}))
    assert [result.id for result in await tools.search(world.db, who, "oranges")] == [note]
    assert len(await found(ann, "oranges")) == 2
