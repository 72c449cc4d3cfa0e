"""Streamed turns: events, resuming, stopping, failures, conversations."""

import asyncio
from typing import Any

import msgspec
import pytest

from teamspace import jobs
from teamspace.ai import Output, Sources
from teamspace.core.principal import system
from teamspace.events import Streams
from teamspace.settings import Settings
from tests.ai.help import chat, joined, model_world, stream, tokens_used, wait_until_running
from tests.executors.help import executor, push
from tests.jobs.help import broken_invariants, running
from tests.pipeline.help import principal
from tests.support.model_server import ModelServer, cuts, endless, garbage, says, stalls, writes
from tests.support.world import Caller, World
from tests.support.world import world as open_world

SLOW = "One two three four five six seven eight nine ten"
FORMAT = {"type": "json_schema", "schema": {"type": "object", "required": ["age"]}}


async def begin(world: World, caller: Caller, body: dict[str, Any]) -> asyncio.Task[list[dict[str, Any]]]:
    task = asyncio.create_task(stream(caller, body))
    await wait_until_running(world)
    return task


async def turn_id(world: World) -> str:
    async with asyncio.timeout(10):
        while True:
            if found := await world.db.one(str, "SELECT id FROM jobs WHERE kind = 'ai.turn'"):
                return found
            await asyncio.sleep(0.01)


async def test_events_have_ids_types_and_a_last_one(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([says("It is late.")])
        events = await stream(ann, {"prompt": "What time is it?"})
        start, *deltas, done = events
        assert (start["type"], done["type"]) == ("start", "done")
        assert (start["executor"], start["simulated"]) == ("Big", False)
        assert {event["type"] for event in deltas} == {"delta"}
        assert joined(events) == done["text"] == "It is late."
        assert done["usage"]["total_tokens"] == 7
        assert done["id"] == start["id"]
        assert [event["at"] for event in events] == [f"{start['id']}:{n}" for n in range(1, len(events) + 1)]
        assert await tokens_used(ann) == 7
        assert await broken_invariants(world) == []


async def test_a_model_cannot_write_a_citation_mark_also_without_sources(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([says("As I said [\u20631]. \u2063 Really."), says("As I said [\u20631].")])
        events = await stream(ann, {"prompt": "What did you say?"})
        assert joined(events) == events[-1]["text"] == "As I said [1].  Really."
        assert (await chat(ann, "What did you say?"))["text"] == "As I said [1]."


async def test_the_simulated_model_streams(world: World) -> None:
    ann = await world.bootstrap()
    conversation = (await ann.post("/api/conversations", {})).json()["id"]
    events = await stream(ann, {"prompt": "Hello", "conversation_id": conversation})
    assert len(events) > 5
    assert joined(events) == events[-1]["text"]
    kept = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"][1]
    assert (kept["finish_reason"], kept["simulated"]) == ("stop", True)


async def test_a_response_format_is_judged_at_the_end(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([writes({"age": 7}), says("seven")])
        good = (await stream(ann, {"prompt": "How old?", "response_format": FORMAT}))[-1]
        assert good["parsed"] == {"age": 7}
        bad = (await stream(ann, {"prompt": "How old?", "response_format": FORMAT}))[-1]
        assert "parsed" not in bad
        assert bad["schema_error"]["raw"] == "seven"
        assert len(server.bodies) == 2, "a streamed answer is not repaired"
        assert await tokens_used(ann) == 14


async def test_a_refusal_is_an_ordinary_answer_before_the_stream(world: World) -> None:
    ann = await world.bootstrap()
    await ann.post("/api/quota", {"dimension": "ai.requests", "limit": 0, "window": "day"})
    refused = await ann.post("/api/ai/chat/stream", {"prompt": "Hello"})
    assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")


async def test_a_refusal_for_want_of_a_slot_says_what_frees_one(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        limit = {"dimension": "ai.concurrency", "window": None}
        await ann.post("/api/quota", {**limit, "limit": 1})
        server.script([stalls("Half"), says("Whole.")])
        reading = await begin(world, ann, {"prompt": "Count"})
        refused = (await ann.post("/api/ai/chat", {"prompt": "Hello"})).json()
        assert (refused["code"], refused["key"], refused["level"]) == ("quota_exceeded", "quota.slots", "team")
        assert refused["params"] == {"limit": 1, "dimension": "ai.concurrency", "level": "team"}
        assert "resets_at" not in refused
        assert "ends" in refused["detail"]
        await ann.delete(f"/api/ai/chat/stream/{await turn_id(world)}")
        await reading
        assert (await ann.post("/api/ai/chat", {"prompt": "Hello"})).status_code == 200
        await ann.post("/api/quota", {**limit, "limit": 0})
        never = await ann.post("/api/ai/chat", {"prompt": "Hello"})
        assert (never.status_code, never.json()["key"]) == (429, "quota.used_up")
        assert "retry-after" not in never.headers, "waiting does not help"


# Resuming


async def test_a_stream_is_resumed_without_a_second_charge(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([says(SLOW)])
        events = await stream(ann, {"prompt": "Count"})
        for seen in (0, 1, 4, len(events) - 1):
            rest = await stream(ann, {}, last_event_id=f"{events[0]['id']}:{seen}")
            assert rest == events[seen:], seen
        assert len(server.bodies) == 1
        assert await tokens_used(ann) == 7


@pytest.mark.parametrize("path", ["/api/ai/chat/stream", "/api/agent"])
async def test_a_repeat_with_the_same_key_reads_the_first_turn_from_its_beginning(
    settings: Settings, path: str
) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([says(SLOW, pause=0.02)])

        async def ask() -> list[dict[str, Any]]:
            return await stream(ann, {"prompt": "Count"}, path, idempotency_key="k")

        async def refused(prompt: str, accept: str = "text/event-stream") -> tuple[int, str]:
            headers = {"accept": accept, "idempotency-key": "k"}
            answer = await ann("POST", path, {"prompt": prompt}, headers=headers)
            return answer.status_code, answer.json()["key"]

        # The second may not see the first's commit, and then learns of it by its own.
        first, second = asyncio.create_task(ask()), asyncio.create_task(ask())
        await wait_until_running(world)
        joined_later = asyncio.create_task(ask())
        events = await first
        assert joined(events) == SLOW
        assert await second == await joined_later == await ask() == events
        assert len(server.bodies) == 1
        assert await tokens_used(ann) == 7
        assert await refused("Count again") == (409, "idempotency.used")
        if path == "/api/agent":
            assert await refused("Count", "application/json") == (409, "idempotency.used"), "it is another request"
        async with world.db.maintenance(system()) as tx:
            await tx.run("DELETE FROM streams")
        assert await refused("Count") == (409, "ai.stream_gone")


@pytest.mark.both_databases
async def test_a_running_stream_is_resumed_by_every_process_without_a_second_charge(settings: Settings) -> None:
    async with ModelServer() as server:
        two = msgspec.structs.replace(settings, egress_allow=frozenset([server.address]), workers=2)
        async with open_world(two, processes=2) as world:
            ann = await world.bootstrap()
            await push(ann, server)
            server.script([says(SLOW, pause=0.1)])
            reading = asyncio.create_task(stream(ann, {"prompt": "Count"}))
            id = await turn_id(world)
            resuming = [asyncio.create_task(stream(ann, {}, last_event_id=f"{id}:1")) for _ in world.apps]
            events = await reading
            assert joined(events) == events[-1]["text"] == SLOW
            assert await asyncio.gather(*resuming) == [events[1:]] * 2
            assert len(server.bodies) == 1 and await tokens_used(ann) == 7
            assert await broken_invariants(world) == []


async def test_a_reader_joins_a_running_turn(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([says(SLOW, pause=0.02)])
        first = await begin(world, ann, {"prompt": "Count"})
        id = await turn_id(world)
        second = asyncio.create_task(stream(ann, {}, last_event_id=f"{id}:0"))
        assert await first == await second


async def test_only_the_author_reads_or_stops_a_stream(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([stalls("Half")])
        reading = await begin(world, ann, {"prompt": "Count"})
        id = await turn_id(world)
        bob = await world.person(ann.org, ann.team)
        for caller in (bob, await world.person(*await world.company())):
            refused = await caller("POST", "/api/ai/chat/stream", {}, headers={"last-event-id": f"{id}:0"})
            assert refused.status_code == 404
            assert (await caller.delete(f"/api/ai/chat/stream/{id}")).status_code == 404
        assert (await ann.delete(f"/api/ai/chat/stream/{id}")).status_code == 204
        assert (await reading)[-1]["type"] == "done"


@pytest.mark.parametrize("position", ["x", "a:b", ":1", "a:-1", "a:1:2", "a" * 100 + ":1", "a:" + "9" * 30])
async def test_a_malformed_position_is_refused(world: World, position: str) -> None:
    ann = await world.bootstrap()
    refused = await ann("POST", "/api/ai/chat/stream", {}, headers={"last-event-id": position})
    assert refused.status_code == 400, refused.text


# Stopping


async def test_a_stopped_turn_ends_with_what_it_has_and_is_charged_for_that(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([stalls("Half an answer")])
        reading = await begin(world, ann, {"prompt": "Count"})
        id = await turn_id(world)
        await _wait_for_deltas(world, id)
        assert (await ann.delete(f"/api/ai/chat/stream/{id}")).status_code == 204
        done = (await reading)[-1]
        assert (done["type"], done["finish_reason"], done["text"]) == ("done", "stopped", "Half an answer")
        assert await tokens_used(ann) == done["usage"]["total_tokens"] > 0
        assert (await ann.delete(f"/api/ai/chat/stream/{id}")).status_code == 204, "it has ended already"


@pytest.mark.parametrize("path", ["/api/ai/chat", "/api/agent"])
async def test_a_turn_that_is_not_streamed_is_stopped_by_its_author(settings: Settings, path: str) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([stalls("Half")])
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        asking = asyncio.create_task(ann.post(path, {"prompt": "Count", "conversation_id": conversation}))
        await wait_until_running(world)
        answer = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"][1]
        stop = f"/api/ai/chat/stream/{answer['id']}"
        assert (await (await world.person(ann.org, ann.team)).delete(stop)).status_code == 404
        assert (await ann.delete(stop)).status_code == 204
        stopped = await asking
        assert (stopped.status_code, stopped.json()["finish_reason"]) == (200, "stopped")
        assert (await ann.delete(stop)).status_code == 204, "it has ended already"
        kept = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"][1]
        assert (kept["state"], kept["finish_reason"]) == ("stopped", "stopped")
        other = (await ann.post("/api/jobs", {"kind": "ai.chat", "input": {"prompt": "Hello"}})).json()["id"]
        assert (await ann.delete(f"/api/ai/chat/stream/{other}")).status_code == 404, "it is not a turn"
        assert await broken_invariants(world) == []


async def test_a_turn_that_is_stopped_during_its_repair_is_charged_for_both_attempts(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([says("no JSON"), stalls("Half")])
        prompt = "word " * 1_000
        body = {"prompt": prompt, "response_format": {"type": "json_object"}}
        asking = asyncio.create_task(ann.post("/api/ai/chat", body))
        await _wait_for_requests(server, 2)
        assert (await ann.delete(f"/api/ai/chat/stream/{await turn_id(world)}")).status_code == 204
        stopped = (await asking).json()
        first, second = 7, len(prompt) // 4
        assert stopped["finish_reason"] == "stopped"
        assert stopped["usage"]["completion_tokens"] == 2, "of the first attempt, as the model server has said"
        assert first + second <= stopped["usage"]["total_tokens"] == await tokens_used(ann) < first + 2 * second
        assert await broken_invariants(world) == []


async def _wait_for_requests(server: ModelServer, count: int) -> None:
    async with asyncio.timeout(10):
        while True:
            if len(server.chat_requests()) >= count:
                return
            await asyncio.sleep(0.01)


async def _wait_for_deltas(world: World, id: str) -> None:
    async with asyncio.timeout(10):
        while True:
            if await world.db.exists(
                "SELECT 1 FROM stream_batches WHERE stream_id = :id AND content LIKE '%answer%'", id=id
            ):
                return
            await asyncio.sleep(0.05)


async def test_an_answer_that_is_not_streamed_can_be_stopped_too(world: World) -> None:
    ann = await world.bootstrap()
    made, worker = await executor(world, ann, "Far", model="llama")
    await worker.claim()
    reading = await begin(world, ann, {"prompt": "Hello", "model": "llama"})
    id = await turn_id(world)
    assert (await ann.delete(f"/api/ai/chat/stream/{id}")).status_code == 204
    done = (await reading)[-1]
    assert (done["finish_reason"], done["text"], done["usage"]["total_tokens"]) == ("stopped", "", 0)
    assert (await worker.claim()).status_code == 204, "the worker's job was cancelled"
    assert await tokens_used(ann) == 0
    assert await broken_invariants(world) == []
    assert made


# Failures


@pytest.mark.parametrize("fault", [cuts("Half an answer"), garbage("Half an answer")])
async def test_a_model_that_breaks_off_is_an_error_and_charged_for_what_came(settings: Settings, fault: Any) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([fault])
        events = await stream(ann, {"prompt": "Count"})
        assert (events[-1]["type"], events[-1]["code"]) == ("error", "executor_failed")
        assert joined(events) == "Half an answer"
        assert await tokens_used(ann) > 0
        assert await broken_invariants(world) == []


async def test_a_failed_answer_keeps_the_citations_of_what_it_has_shown(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        note = (await ann.post("/api/notes", {"title": "Budget", "body": "The budget is 40,000 euros."})).json()["id"]
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        server.script([cuts('It is 40,000 [^1: "40,000 euros"], and')])
        parts = [{"type": "text", "text": "How much?"}, {"type": "note", "note_id": note}]
        events = await stream(ann, {"prompt": parts, "conversation_id": conversation})
        told = [event for event in events if event["type"] == "citation"]
        _, answer = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"]
        assert (answer["state"], answer["content"]) == ("failed", "It is 40,000 [\u20631], and")
        assert [(each["number"], each["source"]["id"], each["verified"]) for each in answer["citations"]] == [
            (1, note, True)
        ]
        assert answer["citations"] == [{key: told[0][key] for key in answer["citations"][0]}]


async def test_an_answer_of_many_tokens_fits_into_its_stream(world: World) -> None:
    ann = await world.bootstrap()
    who, streams = await principal(ann), world.app.dependencies[Streams]
    async with world.db.maintenance(who) as tx:
        writer = await streams.open(world.db, tx, who, "many")
    output = Output(writer, world.db, world.app.files, who, Sources())
    for number in range(30_000):
        await output.add(f" {number}")
        if number % 1000 == 0:
            await streams.save()
    text, _ = await output.end_block()
    async with world.db.maintenance(who) as tx:
        rows = await streams.read_saved(tx, "many", dict)
    assert "".join(row["text"] for _, row in rows) == text == "".join(f" {number}" for number in range(30_000))
    assert len(rows) < 12_000
    assert max(len(row["text"]) for _, row in rows) < 140, "a reader still sees it grow"


async def test_an_endless_answer_has_an_end(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([endless()])
        events = await stream(ann, {"prompt": "Count"})
        assert events[-1]["type"] == "error"
        assert await tokens_used(ann) > 0


async def test_the_turn_of_a_lost_server_ends_with_an_error_and_is_charged_once(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([stalls("Half")])
        conversation = (await ann.post("/api/conversations", {})).json()
        body = {"prompt": "Count", "conversation_id": conversation["id"]}
        reading = await begin(world, ann, body)
        id = await turn_id(world)
        await _lose(world, id)
        events = await reading
        assert (events[-1]["type"], events[-1]["code"]) == ("error", "interrupted")
        await jobs.sweep(world.db, world.app.queue)
        assert await tokens_used(ann) == 512 + 2
        turns = (await ann.get(f"/api/conversations/{conversation['id']}")).json()["turns"]
        assert [(turn["role"], turn["state"]) for turn in turns] == [("user", "done"), ("assistant", "failed")]
        assert turns[1]["error"]["code"] == "interrupted"
        assert await broken_invariants(world) == []


async def _lose(world: World, id: str) -> None:
    """End the lease as if the server that runs the turn were gone."""
    async with world.db.maintenance(system()) as tx:
        await tx.run("UPDATE jobs SET lease_until = moment(0) WHERE id = :id", id=id)
    await jobs.sweep(world.db, world.app.queue)


# Conversations


async def test_a_conversation_remembers(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        server.script([says("Hello Ann."), says("Ann.", finish="length"), says("Annie.")])
        await stream(ann, {"prompt": "I am Ann", "conversation_id": conversation})
        second = await stream(ann, {"prompt": "Who am I?", "conversation_id": conversation})
        assert [message["content"] for message in server.bodies[1]["messages"]] == [
            "I am Ann", "Hello Ann.", "Who am I?",
        ]  # fmt: skip
        again = await stream(ann, {"conversation_id": conversation, "regenerate": second[0]["id"]})
        assert again[0]["conversation_id"] == conversation
        turns = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"]
        assert [turn["content"] for turn in turns] == ["I am Ann", "Hello Ann.", "Who am I?", "Ann.", "Annie."]
        assert turns[3]["parent_id"] == turns[4]["parent_id"] == turns[2]["id"]
        assert [turn.get("finish_reason") for turn in turns] == [None, "stop", None, "length", "stop"]
        assert not any("simulated" in turn for turn in turns)
        assert turns[3]["id"] == second[0]["id"], "a turn has the id of its stream"
        edited = {"prompt": "I am Bob", "conversation_id": conversation, "parent_id": None}
        server.script([says("Hello Bob.")])
        await stream(ann, edited)
        assert [message["content"] for message in server.bodies[-1]["messages"]] == ["I am Bob"]
        assert await broken_invariants(world) == []


async def test_a_stranger_cannot_continue_a_conversation(world: World) -> None:
    ann = await world.bootstrap()
    conversation = (await ann.post("/api/conversations", {})).json()["id"]
    bob = await world.person(ann.org, ann.team)
    refused = await bob.post("/api/ai/chat", {"prompt": "Hello", "conversation_id": conversation})
    assert refused.status_code == 404
    assert await world.db.one(int, "SELECT COUNT(*) FROM jobs") == 0


async def test_what_was_said_is_found_by_the_search(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        server.script([says("Marmots whistle.")])
        await stream(ann, {"prompt": "Which animals whistle?", "conversation_id": conversation})
        async with running(world):
            (job,) = (await ann.get("/api/jobs?kind=conversation.index")).json()["items"]
            await world.app.queue.wait_for_end(world.db, job["id"], 10)
        (found,) = (await ann.get("/api/search?q=marmots")).json()["items"]
        assert (found["type"], found["id"]) == ("conversation", conversation)
