"""A conversation is deleted, and nothing that was said in it is left anywhere in the database."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from teamspace import conversations, jobs
from teamspace.conversations import store
from teamspace.conversations.schemas import TurnForgotten
from teamspace.core import clock
from teamspace.core.db import catalog
from teamspace.core.principal import system
from teamspace.jobs.domain import forgetting as job_forgetting
from teamspace.jobs.domain import sweeping
from teamspace.settings import Settings
from tests.ai.help import chat, model_world, stream, tokens_used, wait_until_running
from tests.conversations.help import broken
from tests.executors.help import Worker, executor
from tests.mcp.help import loop_watched
from tests.support.model_server import ModelServer, calls, cuts, fails, says, stalls
from tests.support.rows import NUMBERS, insert
from tests.support.world import Caller, World

pytestmark = pytest.mark.both_databases
ASKED, ANSWERED, CALLED = "quixotry", "zanzibar", "wherewithal"
"""Words of prompts, of answers, and of the arguments of tools. Nothing else in an instance has them."""
AGENT = "/api/agent"


@pytest.fixture
async def cast(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[World, Caller, ModelServer]]:
    monkeypatch.setattr(job_forgetting, "_SETTLED_SECONDS", 0.0)
    async with model_world(settings) as (world, ann, server):
        yield world, ann, server


async def found(world: World) -> list[str]:
    """Return the columns of all tables that have one of the words."""
    places = []
    for table in await catalog.tables(world.db.engine, world.db.dialect):
        for column in table.columns:
            is_escaped = column.kind == "bytes" and world.db.dialect.name == "postgres"
            text = f"encode({column.name}, 'escape')" if is_escaped else f"CAST({column.name} AS TEXT)"
            matches = " OR ".join(f"LOWER({text}) LIKE '%{word}%'" for word in (ASKED, ANSWERED, CALLED))
            if await world.db.exists(f"SELECT 1 FROM {table.name} WHERE {matches} LIMIT 1"):
                places.append(f"{table.name}.{column.name}")
    return places


async def forget(world: World) -> None:
    """Do what the server does all the time, until it is done."""
    async with asyncio.timeout(20):
        while await world.db.exists("SELECT 1 FROM deleted_turns"):
            await conversations.forget_deleted(world.db, world.app.queue)
            await asyncio.sleep(0.01)


async def converse(caller: Caller) -> str:
    answer = await caller.post("/api/conversations", {})
    assert answer.status_code == 201
    return str(answer.json()["id"])


async def delete(caller: Caller, id: str) -> None:
    assert (await caller("DELETE", f"/api/conversations/{id}")).status_code == 204


async def fill(ann: Caller, server: ModelServer, id: str) -> str:
    """Have turns of every kind; return the id of the first answer."""
    prompt, answer = f"What is {ASKED}?", f"It is {ANSWERED}."
    tools = calls(("chat_message", {"text": f"Tell me of {CALLED}"}), ("search", {"q": CALLED}), text=answer)
    server.script([
        says(answer), says(answer), cuts(answer), fails(400), says(answer),
        tools, says(answer), says(answer), tools, says(answer), fails(400),
    ])  # fmt: skip
    first = await ann(
        "POST", "/api/ai/chat", {"prompt": prompt, "conversation_id": id}, headers={"idempotency-key": "k"}
    )
    assert first.status_code == 200, first.text
    turn_id = str(first.json()["id"])
    await stream(ann, {"prompt": prompt, "conversation_id": id})
    assert (await stream(ann, {"prompt": prompt, "conversation_id": id}))[-1]["type"] == "error"
    await chat(ann, prompt, 502, conversation_id=id)
    again = await ann.post("/api/ai/chat", {"conversation_id": id, "regenerate": turn_id})
    assert again.status_code == 200, again.text
    run = await ann.post(AGENT, {"prompt": prompt, "conversation_id": id})
    assert [step["tool"] for step in run.json()["steps"]] == ["chat_message", "search"], run.text
    failed = await stream(ann, {"prompt": prompt, "conversation_id": id}, AGENT)
    assert failed[-1]["type"] == "error", failed[-1]
    return turn_id


async def test_nothing_of_a_deleted_conversation_is_left(cast: tuple[World, Caller, ModelServer]) -> None:
    world, ann, server = cast
    id = await converse(ann)
    await fill(ann, server, id)
    before = await found(world)
    expected = {
        "jobs.input", "jobs.result", "jobs.title", "agent_steps.data", "model_answers.answer", "stream_batches.content",
        "conversation_turns.content", "conversation_turns.steps", "conversations.excerpt",
    }  # fmt: skip
    assert expected <= set(before), "else the test proves nothing"
    spent, states = (
        await tokens_used(ann),
        await world.db.all(str, "SELECT id || state || user_id FROM jobs ORDER BY id"),
    )
    await delete(ann, id)
    await forget(world)
    assert await found(world) == []
    assert not await world.db.exists("SELECT 1 FROM idempotency WHERE answer IS NOT NULL"), "a response, encrypted"
    repeated = await ann(
        "POST", "/api/ai/chat", {"prompt": f"What is {ASKED}?", "conversation_id": id}, headers={"idempotency-key": "k"}
    )
    assert (repeated.status_code, repeated.json()["key"]) == (409, "idempotency.no_response"), "it is not made again"
    after = await world.db.all(
        str, "SELECT id || state || user_id FROM jobs WHERE kind <> 'conversation.index' ORDER BY id"
    )
    assert set(after) <= set(states) and len(after) >= 7, "that there were jobs, whose, and how they ended"
    assert await world.db.exists("SELECT 1 FROM jobs WHERE result LIKE '%\"total_tokens\":7%'"), "and what they used"
    assert await tokens_used(ann) == spent
    assert await broken(world) == []


async def test_the_response_with_its_title_is_forgotten_at_once(cast: tuple[World, Caller, ModelServer]) -> None:
    world, ann, _ = cast
    key = {"idempotency-key": "k"}
    made = await ann("POST", "/api/conversations", {"title": f"About {ASKED}"}, headers=key)
    assert await world.db.exists("SELECT 1 FROM idempotency WHERE answer IS NOT NULL")
    await delete(ann, made.json()["id"])
    assert not await world.db.exists("SELECT 1 FROM idempotency WHERE answer IS NOT NULL")


async def test_nothing_is_left_in_the_archive_either(cast: tuple[World, Caller, ModelServer], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    world, ann, server = cast
    id = await converse(ann)
    await fill(ann, server, id)
    monkeypatch.setattr(sweeping, "ARCHIVE_AFTER", -60)
    await jobs.tidy(world.db, world.app.queue)
    assert {"job_archive.input", "job_archive.result"} <= set(await found(world))
    await delete(ann, id)
    await forget(world)
    assert await found(world) == []
    assert await broken(world) == []


async def test_other_conversations_stay_as_they_are(cast: tuple[World, Caller, ModelServer]) -> None:
    world, ann, server = cast
    kept, gone = await converse(ann), await converse(ann)
    await fill(ann, server, gone)
    await delete(ann, gone)
    await fill_kept(ann, server, kept)
    before = await world.db.all(
        str, "SELECT id || COALESCE(result, '') || input FROM jobs WHERE subject_id = :id", id=kept
    )
    await forget(world)
    assert before == await world.db.all(
        str, "SELECT id || COALESCE(result, '') || input FROM jobs WHERE subject_id = :id", id=kept
    )
    assert await world.db.exists("SELECT 1 FROM agent_steps")


async def fill_kept(ann: Caller, server: ModelServer, id: str) -> None:
    server.script([calls(("search", {"q": "boats"})), says("Three.")])
    assert (await ann.post(AGENT, {"prompt": "Boats?", "conversation_id": id})).status_code == 200


@pytest.mark.parametrize("path", ["/api/ai/chat", "/api/ai/chat/stream", AGENT])
async def test_a_running_turn_is_stopped_and_nothing_of_it_is_left(
    cast: tuple[World, Caller, ModelServer], path: str
) -> None:
    world, ann, server = cast
    id = await converse(ann)
    server.script([stalls(f"It is {ANSWERED} and")])
    asked = asyncio.create_task(ann.post(path, {"prompt": f"What is {ASKED}?", "conversation_id": id}))
    await wait_until_running(world)
    await delete(ann, id)
    async with asyncio.timeout(10):
        answer = await asked
    assert answer.status_code == 200, answer.text
    await forget(world)
    assert await found(world) == []
    assert await broken(world) == []


async def test_a_turn_that_runs_elsewhere_is_stopped_by_its_job(cast: tuple[World, Caller, ModelServer]) -> None:
    """The process that deletes does not have the turn; the one that has learns it with its next heartbeat."""
    world, ann, server = cast
    id = await converse(ann)
    server.script([stalls(f"It is {ANSWERED} and")])
    asked = asyncio.create_task(stream(ann, {"prompt": f"What is {ASKED}?", "conversation_id": id}))
    await wait_until_running(world)
    attempts: Any = world.app.attempts
    attempts.stop, stop = (lambda _: None), attempts.stop
    await delete(ann, id)
    attempts.stop = stop
    await conversations.forget_deleted(world.db, world.app.queue)
    assert await world.db.exists("SELECT 1 FROM deleted_turns"), "it runs"
    await attempts._extend_leases(world.db)
    assert (await asked)[-1]["finish_reason"] == "stopped"
    await forget(world)
    assert await found(world) == []


async def test_a_run_whose_server_was_lost_does_not_go_on(cast: tuple[World, Caller, ModelServer]) -> None:
    world, ann, server = cast
    id = await converse(ann)
    server.script([stalls(f"It is {ANSWERED} and")])
    asked = asyncio.create_task(ann.post(AGENT, {"prompt": f"What is {ASKED}?", "conversation_id": id}))
    await wait_until_running(world)
    for attempt in list(world.app.attempts._working.values()):
        attempt.stale = True  # as if the process were gone
        attempt.task.cancel()
    with contextlib.suppress(Exception):
        await asked
    await delete(ann, id)
    async with world.db.maintenance(system()) as tx:
        await tx.run("UPDATE jobs SET lease_until = moment(-1) WHERE state = 'running'")
    await jobs.sweep(world.db, world.app.queue)
    await forget(world)
    assert await found(world) == []
    assert await broken(world) == []


async def test_what_a_remote_worker_was_given_and_answered_is_left_out_too(
    cast: tuple[World, Caller, ModelServer],
) -> None:
    world, ann, _ = cast
    _, worker = await executor(world, ann, "Far", model="far-model")
    await worker.claim(max_wait=0)  # it is there
    id = await converse(ann)
    prompt = f"What is {ASKED}?"
    asked = asyncio.create_task(chat(ann, prompt, conversation_id=id, model="far-model"))
    claimed = await claim(worker)
    assert ASKED in str(claimed["job"]["input"])
    assert (await worker.report("complete", claimed, result=answer_of(f"It is {ANSWERED}."))).status_code == 204
    await asked
    # And one that is still at the worker when the conversation is deleted.
    late = asyncio.create_task(
        ann.post("/api/ai/chat", {"prompt": prompt, "conversation_id": id, "model": "far-model"})
    )
    claimed = await claim(worker)
    await delete(ann, id)
    assert (await late).status_code == 200
    await conversations.forget_deleted(world.db, world.app.queue)
    assert await world.db.exists("SELECT 1 FROM deleted_turns"), "the worker has not answered"
    await worker.report("complete", claimed, result=answer_of(f"It is {ANSWERED}."))
    await forget(world)
    assert await found(world) == []
    assert await broken(world) == []


async def test_a_job_that_repeats_one_of_a_turn_is_forgotten_with_it(cast: tuple[World, Caller, ModelServer]) -> None:
    world, ann, _ = cast
    _, worker = await executor(world, ann, "Far", model="far-model")
    await worker.claim(max_wait=0)  # it is there
    id = await converse(ann)
    asked = asyncio.create_task(chat(ann, f"What is {ASKED}?", conversation_id=id, model="far-model"))
    claimed = await claim(worker)
    await worker.report("complete", claimed, result=answer_of(f"It is {ANSWERED}."))
    await asked
    repeated = claimed["job"]["id"]
    for _ in range(2):  # the second repeats the first
        again = await ann("POST", "/api/jobs", {"retry_of": repeated}, headers={"idempotency-key": repeated})
        assert again.status_code == 202, again.text
        repeated = again.json()["id"]
        await worker.report("complete", await claim(worker), result=answer_of(f"It is {ANSWERED}."))
    await delete(ann, id)
    await forget(world)
    assert await found(world) == []
    assert not await world.db.exists("SELECT 1 FROM idempotency WHERE answer IS NOT NULL")
    assert await broken(world) == []


async def claim(worker: Worker) -> dict[str, Any]:
    return await worker.claim_job(max_wait=10)


def answer_of(text: str) -> dict[str, Any]:
    return {
        "text": text,
        "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
        "model": "far-model",
    }


async def test_what_was_interrupted_is_finished_later(
    cast: tuple[World, Caller, ModelServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, ann, server = cast
    id = await converse(ann)
    await fill(ann, server, id)
    await delete(ann, id)

    class Killed(BaseException):
        pass

    done = list[str]()
    drop = store.drop_deleted_turn

    async def die(tx: Any, turn_id: str) -> None:
        if len(done) == 2:
            raise Killed
        done.append(turn_id)
        await drop(tx, turn_id)

    monkeypatch.setattr(store, "drop_deleted_turn", die)
    with pytest.raises(Killed):
        await conversations.forget_deleted(world.db, world.app.queue)
    left = await world.db.all(str, "SELECT id FROM deleted_turns ORDER BY id")
    assert len(left) >= 4 and not set(left) & set(done), "each turn is forgotten in a transaction of its own"
    assert await found(world), "some are left"
    monkeypatch.undo()
    monkeypatch.setattr(job_forgetting, "_SETTLED_SECONDS", 0.0)
    await forget(world)
    assert await found(world) == []
    assert await broken(world) == []


async def test_a_turn_that_cannot_be_forgotten_does_not_keep_the_others(
    cast: tuple[World, Caller, ModelServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, ann, server = cast
    id = await converse(ann)
    bad = await fill(ann, server, id)
    await delete(ann, id)

    async def fail(_: Any, event: TurnForgotten) -> None:
        if event.id == bad:
            raise RuntimeError("no")

    listeners: Any = world.db.listeners
    monkeypatch.setitem(listeners, TurnForgotten, [*listeners[TurnForgotten], fail])
    await conversations.forget_deleted(world.db, world.app.queue)
    assert await world.db.all(str, "SELECT id FROM deleted_turns") == [bad]
    monkeypatch.undo()
    monkeypatch.setattr(job_forgetting, "_SETTLED_SECONDS", 0.0)
    await forget(world)
    assert await found(world) == []


async def test_forgetting_the_largest_turn_does_not_hold_the_event_loop(
    cast: tuple[World, Caller, ModelServer],
) -> None:
    """A run of an agent with all its rounds and calls, each a job of a remote worker with a long input."""
    world, ann, _ = cast
    await insert(
        world,
        (
            "INSERT INTO jobs (id, org_id, team_id, user_id, kind, channel, state, phase, priority, run_at, attempt,"
            f" max_attempts, lease_expiries, run_id, step, item, input, result, created_at, finished_at) {NUMBERS}"
            " SELECT 'x' || CAST(n AS TEXT), :org, :team, :user, 'ai.chat', 'ai.chat@local', 'succeeded', 'ready', 0,"
            " :now, 1, 1, 0, CASE n % 2 WHEN 0 THEN 'turn' ELSE 'turn:' || CAST(n AS TEXT) END, 'x', n, :input, :result,"
            " :now, :now FROM numbers",
            "INSERT INTO deleted_turns (id, org_id) VALUES ('turn', :org)",
        ),
        {
            "org": ann.org.id, "team": ann.team.id, "user": ann.user_id, "now": clock.stamp(), "first": 1, "last": 42,
            "input": f'{{"prompt": "{ASKED * 200_000}"}}', "result": f'{{"text": "{ANSWERED * 16_000}"}}',
        },
    )  # fmt: skip
    async with loop_watched():
        await conversations.forget_deleted(world.db, world.app.queue)
    assert not await world.db.exists("SELECT 1 FROM deleted_turns")
    assert await world.db.one(int, "SELECT COUNT(*) FROM jobs WHERE input = '{}' AND result = '{}'") == 42
