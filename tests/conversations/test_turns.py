"""Turns: branches, bounds, and every order of two writes."""

import asyncio
from typing import Any

import pytest

from teamspace import conversations
from teamspace.completions import ImagePart, ImageUrl, TextPart
from teamspace.conversations import TurnError, TurnState
from teamspace.conversations.domain import turns
from teamspace.core.errors import BadRequest, Conflict, Forbidden, NotFound, Refusal, TooLarge
from tests.conversations.help import begin, broken, create, end, principal, say, told
from tests.support.world import Caller, World


async def shown(caller: Caller, conversation_id: str) -> dict[str, Any]:
    answer = await caller.get(f"/api/conversations/{conversation_id}")
    assert answer.status_code == 200, answer.text
    conversation: dict[str, Any] = answer.json()
    return conversation


async def test_a_turn_is_a_prompt_and_an_answer(world: World) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann)
    begun = await begin(world, ann, id, "What is new?\nTell me.")
    conversation = await shown(ann, id)
    prompt, answer = conversation["turns"]
    assert conversation["title"] == "What is new?"
    assert prompt == {
        "id": begun.prompt_id, "parent_id": None, "role": "user", "content": "What is new?\nTell me.", "state": "done",
        "created_at": prompt["created_at"], "author": ann.user_id,
    }  # fmt: skip
    assert answer == {
        "id": begun.id, "parent_id": begun.prompt_id, "role": "assistant", "content": "", "state": "running",
        "created_at": answer["created_at"],
    }  # fmt: skip
    assert await broken(world) == []

    citation, step = {"number": 1, "quote": "x"}, {"tool": "search", "result": "y"}
    await end(
        world, ann, begun.id, "Much.", citations=[citation], steps=[step], model="m", executor="e",
        error=TurnError("x", "y"),
    )  # fmt: skip
    assert (await shown(ann, id))["turns"][1] == answer | {
        "content": "Much.", "state": "done", "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        "citations": [citation], "steps": [step], "model": "m", "executor": "e", "error": {"code": "x", "message": "y"},
    }  # fmt: skip
    assert await told(world, ann, begun.id) == ["What is new?\nTell me."]
    assert await broken(world) == []


async def test_turns_form_a_tree(world: World) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann, "Tree")
    first = await say(world, ann, id, "one", "1")
    second = await say(world, ann, id, "two", "2")
    edited = await say(world, ann, id, "other two", "other 2", parent_id=first.id)
    again = await say(world, ann, id, None, "2 again", regenerate=second.id)
    third = await say(world, ann, id, "three", "3", parent_id=again.id)
    root = await say(world, ann, id, "another one", "another 1", parent_id=None)
    assert again.prompt_id == second.prompt_id
    assert await told(world, ann, second.id) == await told(world, ann, again.id) == ["one", "1", "two"]
    assert await told(world, ann, edited.id) == ["one", "1", "other two"]
    assert await told(world, ann, third.id) == ["one", "1", "two", "2 again", "three"]
    assert await told(world, ann, root.id) == ["another one"]
    last = await say(world, ann, id, "after the newest")
    assert await told(world, ann, last.id) == ["another one", "another 1", "after the newest"]
    turns = (await shown(ann, id))["turns"]
    assert [turn["content"] for turn in turns] == [
        "one", "1", "two", "2", "other two", "other 2", "2 again", "three", "3", "another one", "another 1",
        "after the newest", "Answer",
    ]  # fmt: skip
    assert [turn["parent_id"] for turn in turns] == [
        None, first.prompt_id, first.id, second.prompt_id, first.id, edited.prompt_id, second.prompt_id, again.id,
        third.prompt_id, None, root.prompt_id, root.id, last.prompt_id,
    ]  # fmt: skip
    assert await broken(world) == []


async def test_parts_are_stored_as_they_are(world: World) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann)
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 500_000}}
    parts = [{"type": "object", "object_id": "x", "version": 2}, image, {"type": "text", "text": "  \n Look\there\n!"}]
    first = await say(world, ann, id, parts)
    assert await told(world, ann, first.id) == [parts]
    second = await say(world, ann, id, "and now?")
    assert await told(world, ann, second.id) == [parts, "Answer", "and now?"], "an image does not push the rest out"
    assert (await shown(ann, id))["title"] == "Look here"


async def test_parts_can_be_structs(world: World) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann)
    begun = await say(world, ann, id, [TextPart("Look"), ImagePart(ImageUrl("data:x"))])
    parts = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "data:x"}}]
    assert await told(world, ann, begun.id) == [parts]


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ({"prompt": None}, BadRequest),
        ({"prompt": ""}, BadRequest),
        ({"prompt": []}, BadRequest),
        ({"prompt": [{"type": "text", "text": "x"}] * 51}, BadRequest),
        ({"prompt": "x", "parent_id": "unknown"}, NotFound),
        ({"regenerate": "unknown"}, NotFound),
    ],
)
async def test_a_turn_that_fits_nowhere_is_refused(world: World, more: dict[str, Any], refused: type[Refusal]) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann)
    with pytest.raises(refused):
        await begin(world, ann, id, **more)
    assert (await shown(ann, id))["turns"] == []


async def test_only_answers_of_the_same_conversation_are_continued(world: World) -> None:
    ann = await world.bootstrap()
    id, other = await create(world, ann), await create(world, ann)
    here, there = await say(world, ann, id, "here"), await say(world, ann, other, "there")
    for options in ({"parent_id": here.prompt_id}, {"regenerate": here.prompt_id}):
        with pytest.raises(BadRequest):
            await begin(world, ann, id, "x", **options)
    for options in ({"parent_id": there.id}, {"regenerate": there.id}):
        with pytest.raises(NotFound) as caught:
            await begin(world, ann, id, "x", **options)
        assert caught.value.key == "conversations.no_turn"


async def test_a_running_answer_is_neither_continued_nor_repeated(world: World) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann)
    first = await begin(world, ann, id, "one")
    for options in ({"prompt": "two"}, {"prompt": "two", "parent_id": first.id}, {"regenerate": first.id}):
        with pytest.raises(Conflict) as caught:
            await begin(world, ann, id, **options)
        assert caught.value.key == "conversations.running"
    branch = await begin(world, ann, id, "elsewhere", parent_id=None)
    await end(world, ann, first.id)
    await begin(world, ann, id, regenerate=first.id)
    await begin(world, ann, id, "two", parent_id=first.id)
    assert await told(world, ann, branch.id) == ["elsewhere"]
    assert await broken(world) == []


async def test_of_two_racing_turns_one_begins_and_on_two_branches_both(world: World) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann)
    first = await say(world, ann, id, "one")
    for options, expected in (
        ({"prompt": "x"}, [False, True]),
        ({"regenerate": first.id}, [False, True]),
        ({"prompt": "x", "parent_id": first.id}, [True, True]),
    ):
        results = await asyncio.gather(*(begin(world, ann, id, **options) for _ in range(2)), return_exceptions=True)
        assert sorted(not isinstance(result, Conflict) for result in results) == expected, (options, results)
        for result in results:
            if not isinstance(result, BaseException):
                await end(world, ann, result.id)
    numbers = await world.db.all(int, "SELECT number FROM conversation_turns ORDER BY number")
    assert numbers == list(range(1, len(numbers) + 1))
    assert await broken(world) == []


async def test_a_turn_ends_once(world: World) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann)
    begun = await begin(world, ann, id, "one")
    await asyncio.gather(*(end(world, ann, begun.id, f"answer {number}") for number in range(4)))
    (_, answer) = (await shown(ann, id))["turns"]
    assert answer["state"] == "done"
    await end(world, ann, begun.id, "later", state=TurnState.FAILED)
    await end(world, ann, "unknown", "later")
    assert (await shown(ann, id))["turns"][1] == answer
    assert await broken(world) == []


async def test_a_conversation_deleted_during_a_turn_stays_deleted(world: World) -> None:
    ann = await world.bootstrap()
    for _ in range(5):
        id = await create(world, ann)
        begun = await begin(world, ann, id, "one")
        deleted, _ = await asyncio.gather(ann.delete(f"/api/conversations/{id}"), end(world, ann, begun.id))
        assert deleted.status_code == 204
        await end(world, ann, begun.id)
        await conversations.index(world.db, principal(ann), id)
        assert await told(world, ann, begun.id) == []
    assert await world.db.exists("SELECT 1 FROM conversation_turns") is False
    assert await broken(world) == []


async def test_only_those_who_may_continue_begin_a_turn(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    id = await create(world, ann)
    with pytest.raises(NotFound):
        await begin(world, bob, id, "x")
    for permission, refused in (("notes:read", True), ("notes:write", False)):
        await ann.post(f"/api/conversations/{id}/share", {"user_id": bob.user_id, "permission": permission})
        if refused:
            with pytest.raises(Forbidden):
                await begin(world, bob, id, "x")
        else:
            begun = await say(world, bob, id, "x")
    assert await told(world, ann, begun.id) == ["x"]
    assert [turn.get("author") for turn in (await shown(ann, id))["turns"]] == [bob.user_id, None]


async def test_a_conversation_has_a_maximum_number_of_turns(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MAX_TURNS", 4)
    ann = await world.bootstrap()
    id = await create(world, ann)
    first = await say(world, ann, id, "one")
    await say(world, ann, id, None, regenerate=first.id)
    with pytest.raises(Conflict) as caught:
        await begin(world, ann, id, "two")
    assert (caught.value.key, caught.value.params) == ("conversations.turns", {"limit": 4})
    await say(world, ann, id, None, regenerate=first.id)
    with pytest.raises(Conflict):
        await begin(world, ann, id, regenerate=first.id)
    assert await broken(world) == []


async def test_a_conversation_has_a_maximum_size(world: World) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann)
    room = turns.MAX_SIZE - turns.ANSWER_SIZE
    with pytest.raises(TooLarge) as caught:
        await begin(world, ann, id, "x" * (room - 1))
    assert caught.value.key == "conversations.size"
    begun = await begin(world, ann, id, "x" * (room - 2))
    with pytest.raises(TooLarge):
        await begin(world, ann, id, "y", parent_id=None)
    await end(world, ann, begun.id, "short", citations=[{"number": 1}])
    with pytest.raises(TooLarge):
        await begin(world, ann, id, "y", parent_id=None)
    other = await create(world, ann)
    for _ in range(2):
        await say(world, ann, other, "x" * (room // 2 - 100), "short")
    assert await broken(world) == []


@pytest.mark.parametrize("sign", ["x", "\x01", '"', "é", "𝔘"])
async def test_an_answer_that_does_not_fit_is_cut(world: World, sign: str) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann)
    await say(world, ann, id, "x" * 1_000_000)
    begun = await begin(world, ann, id, "more")
    await end(world, ann, begun.id, sign * 1_500_000, citations=[{"quote": "x" * 7_000}], steps=[{"tool": "y"}])
    answer = (await shown(ann, id))["turns"][3]
    assert set(answer["content"]) == {sign} and len(answer["content"]) < 1_500_000
    assert answer["error"]["key"] == "conversations.cut" and "citations" not in answer
    size = await world.db.one(int, "SELECT size FROM conversations")
    assert turns.MAX_SIZE - 8_000 < (size or 0) <= turns.MAX_SIZE
    assert await broken(world) == []


async def test_a_history_has_the_newest_turns_that_fit(world: World) -> None:
    ann = await world.bootstrap()
    id = await create(world, ann)
    for number in range(4):
        begun = await say(world, ann, id, f"{number}" * 90_000, f"{number}" * 30_000)
    texts = await told(world, ann, begun.id)
    assert [(text[0], len(text)) for text in texts] == [
        ("1", 90_000), ("1", 30_000), ("2", 90_000), ("2", 30_000), ("3", 90_000)
    ]  # fmt: skip
    alone = await say(world, ann, id, "x" * 500_000)
    assert [len(text) for text in await told(world, ann, alone.id)] == [500_000], "a prompt is never left out"
