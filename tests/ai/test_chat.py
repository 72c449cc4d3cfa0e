"""Chat turns over HTTP: answers, formats, quotas, routing, and what is kept."""

import asyncio
from typing import Any

import msgspec
import pytest

from teamspace import jobs
from teamspace.ai.domain.gateway import to_input
from teamspace.ai.schemas import MAX_MESSAGES, MAX_PROMPT, MAX_TOOLS, ChatInput
from teamspace.completions import Function, FunctionTool, ModelRequest
from teamspace.core.principal import system
from teamspace.jobs.schemas import MAX_FAULT
from teamspace.settings import Settings
from tests.ai.help import chat, model_world, requests_used, tokens_used, wait_until_running
from tests.executors.help import executor
from tests.jobs.help import broken_invariants
from tests.support.model_server import calls, fails, says, writes
from tests.support.world import World

SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "person",
        "schema": {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]},
    },
}


async def test_the_simulated_model_answers_and_says_what_it_is(world: World) -> None:
    ann = await world.bootstrap()
    answer = await chat(ann, "Hello")
    assert "simulated" in answer["text"]
    assert (answer["model"], answer["executor"], answer["simulated"]) == ("simulated", "local", True)
    assert answer["finish_reason"] == "stop"
    usage = answer["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"] > 0
    assert await tokens_used(ann) == usage["total_tokens"]
    assert await requests_used(ann) == 1


async def test_a_turn_is_a_job_of_its_author(world: World) -> None:
    ann = await world.bootstrap()
    answer = await chat(ann, "Hello")
    job = (await ann.get(f"/api/jobs/{answer['id']}")).json()
    assert (job["kind"], job["state"], job["result"]["text"]) == ("ai.turn", "succeeded", answer["text"])
    assert await broken_invariants(world) == []


async def test_messages_parts_and_limits_reach_the_model(settings: Settings) -> None:
    image = "data:image/png;base64,iVBORw0KGgo="
    async with model_world(settings) as (_, ann, server):
        server.script([says("Seen.")])
        parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": image}}]
        messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]
        answer = await chat(ann, parts, system="Be brief.", messages=messages, max_tokens=50, temperature=0.5)
        assert answer["text"] == "Seen."
        assert answer["usage"] == {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        (sent,) = server.bodies
        assert [message["role"] for message in sent["messages"]] == ["system", "user", "assistant", "user"]
        assert (sent["max_tokens"], sent["temperature"]) == (50, 0.5)
        assert server.images == [image]


async def test_a_remote_image_is_refused_and_fetched_by_no_one(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        part = {"type": "image_url", "image_url": {"url": f"{server.url}/secret.png"}}
        refused = await chat(ann, [part], status=400)
        assert refused["errors"][0]["pointer"] == "/prompt/0/image_url/url"
        message = {"role": "user", "content": [{"type": "text", "text": "What is this?"}, part]}
        refused = await chat(ann, "Go on", status=400, messages=[message])
        assert refused["errors"][0]["pointer"] == "/messages/0/content/1/image_url/url"
        job = {"kind": "ai.chat", "input": {"messages": [message]}}
        refused = (await ann.post("/api/jobs", job)).json()
        assert refused["errors"][0]["pointer"] == "/input/messages/0/content/1/image_url/url"
        assert not server.bodies


@pytest.mark.parametrize("body", [{}, {"prompt": ""}, {"prompt": []}, {"prompt": "x", "regenerate": "y"}])
async def test_a_turn_without_a_prompt_is_refused(world: World, body: dict[str, Any]) -> None:
    ann = await world.bootstrap()
    answer = await ann.post("/api/ai/chat", body)
    assert answer.status_code == 400, answer.text
    assert await world.db.one(int, "SELECT COUNT(*) FROM jobs") == 0


# Response formats


async def test_json_is_parsed(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([writes({"age": 7})])
        assert (await chat(ann, "How old?", response_format=SCHEMA))["parsed"] == {"age": 7}
        assert server.bodies[0]["response_format"]["json_schema"]["name"] == "person"


async def test_bad_json_is_repaired_once(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([says("seven"), writes({"age": 7})])
        answer = await chat(ann, "How old?", response_format=SCHEMA)
        assert answer["parsed"] == {"age": 7}
        assert answer["usage"]["total_tokens"] == 14
        assert await tokens_used(ann) == 14


async def test_json_that_stays_bad_is_refused_and_charged(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([says("seven"), writes({"age": "seven"})])
        refused = await chat(ann, "How old?", 422, response_format=SCHEMA)
        assert refused["code"] == "response_refused"
        assert "/age" in refused["detail"]
        assert (await tokens_used(ann), await requests_used(ann)) == (14, 1)
        assert await broken_invariants(world) == []


async def test_a_schema_that_cannot_be_used_is_refused_before_anything_is_sent(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        bad = {"type": "json_schema", "schema": {"type": "numbr"}}
        refused = await chat(ann, "How old?", 400, response_format=bad)
        assert refused["errors"][0]["pointer"].startswith("/response_format/schema")
        assert not server.bodies


# Tools of the caller


async def test_calls_of_the_callers_own_functions_are_returned(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([calls(("weather", {"city": "Oslo"}))])
        function = {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
        answer = await chat(ann, "How is Oslo?", tools=[{"type": "function", "function": function}])
        assert answer["finish_reason"] == "tool_calls"
        assert answer["tool_calls"][0]["function"] == {"name": "weather", "arguments": '{"city": "Oslo"}'}


# Quotas


async def test_a_used_up_quota_refuses_before_anything_is_sent(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        await ann.post("/api/quota", {"dimension": "ai.requests", "limit": 0, "window": "day"})
        refused = await chat(ann, "Hello", 429)
        assert (refused["code"], refused["dimension"], refused["level"]) == ("quota_exceeded", "ai.requests", "team")
        assert refused["resets_at"]
        assert not server.bodies
        assert await world.db.one(int, "SELECT COUNT(*) FROM jobs") == 0


async def test_a_failing_model_is_a_clear_error_and_costs_nothing(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([fails()])
        refused = await chat(ann, "Hello", 502)
        assert refused["code"] == "executor_failed"
        assert await tokens_used(ann) == 0
        assert await broken_invariants(world) == []


async def test_an_idempotency_key_spends_once_and_repeats_the_answer(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([says("One."), says("Two.")])
        headers = {"idempotency-key": "k1"}
        first = await ann.post("/api/ai/chat", {"prompt": "Hello"}, headers=headers)
        again = await ann.post("/api/ai/chat", {"prompt": "Hello"}, headers=headers)
        assert first.json() == again.json()
        assert len(server.bodies) == 1


async def test_an_idempotency_key_repeats_a_failure_after_the_model_was_asked(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([fails(), says("Two.")])
        headers = {"idempotency-key": "k1"}
        first = await ann.post("/api/ai/chat", {"prompt": "Hello"}, headers=headers)
        again = await ann.post("/api/ai/chat", {"prompt": "Hello"}, headers=headers)
        assert (first.status_code, again.status_code) == (502, 502)
        assert again.headers["content-type"] == first.headers["content-type"] == "application/problem+json"
        assert len(server.bodies) == 1


# dry_run


async def test_a_dry_run_says_what_it_would_cost_and_spends_nothing(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        answer = await chat(ann, "Hello" * 80, dry_run=True)
        assert (answer["dry_run"], answer["executor"], answer["admitted"], answer["blocked_by"]) == (
            True, "Big", True, None,
        )  # fmt: skip
        assert answer["estimate"] == {"requests": 1, "tokens": 100 + 512}
        await ann.post("/api/quota", {"dimension": "ai.tokens.total", "limit": 100, "window": "day"})
        blocked = await chat(ann, "Hello", dry_run=True)
        assert blocked["admitted"] is False
        assert (blocked["blocked_by"]["dimension"], blocked["blocked_by"]["level"]) == ("ai.tokens.total", "team")
        assert not server.bodies
        assert await world.db.one(int, "SELECT COUNT(*) FROM quota_ledger") == 0


async def test_a_suspended_company_may_only_ask_what_it_would_cost(world: World) -> None:
    ann = await world.bootstrap()
    org, team = await world.company()
    bob = await world.person(org, team)
    await world.suspend(org)
    assert (await chat(bob, "Hello", dry_run=True))["dry_run"] is True
    for path in ("/api/ai/chat", "/api/ai/chat/stream", "/api/agent"):
        refused = await bob.post(path, {"prompt": "Hello"})
        assert (refused.status_code, refused.json()["code"]) == (403, "org_suspended"), path
    assert ann


# Routing


async def test_only_operators_name_an_executor(world: World) -> None:
    ann = await world.bootstrap()
    bob = await world.person(ann.org, ann.team)
    assert (await chat(ann, "Hello", executor="local"))["executor"] == "local"
    assert (await chat(bob, "Hello", 403, executor="local"))["code"] == "forbidden"


async def test_a_remote_worker_answers_a_turn(world: World) -> None:
    ann = await world.bootstrap()
    made, worker = await executor(world, ann, "Far", model="llama")
    await worker.claim()  # from now on it counts as present
    asking = asyncio.create_task(chat(ann, "Hello", model="llama"))
    claimed = await worker.claim_job(max_wait=5)
    assert claimed["job"]["input"]["prompt"] == "Hello"
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    done = await worker.report("complete", claimed, result={"text": "From afar.", "usage": usage, "model": "llama"})
    assert done.status_code == 204, done.text
    answer = await asking
    assert (answer["text"], answer["executor"], answer["usage"]) == ("From afar.", "Far", usage)
    assert await tokens_used(ann) == 7
    assert await broken_invariants(world) == []
    assert made["id"]


async def test_a_server_that_stops_waits_for_a_worker(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann, "Far", model="llama")
    await worker.claim()
    asking = asyncio.create_task(chat(ann, "Hello", model="llama"))
    claimed = await worker.claim_job(max_wait=5)
    world.app.stopping.begin()
    await asyncio.sleep(0.1)
    assert not asking.done()
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    await worker.report("complete", claimed, result={"text": "From afar.", "usage": usage, "model": "llama"})
    assert (await asking)["text"] == "From afar."


async def test_a_worker_gets_the_longest_prompt_with_what_it_refers_to(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann, "Far", model="llama")
    await worker.claim()
    note = (await ann.post("/api/notes", {"title": "Late", "body": "word " * 20_000})).json()["id"]
    prompt = [{"type": "text", "text": "x" * MAX_PROMPT}, {"type": "note", "note_id": note}]
    asking = asyncio.create_task(chat(ann, prompt, model="llama"))
    claimed = await worker.claim_job(max_wait=5)
    assert len(claimed["job"]["input"]["prompt"]) > MAX_PROMPT + 100_000
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    done = await worker.report("complete", claimed, result={"text": "Long.", "usage": usage})
    assert done.status_code == 204, done.text
    assert (await asking)["text"] == "Long."


def test_a_worker_gets_all_tools_and_instructions() -> None:
    tools = [FunctionTool(Function(f"tool_{number}")) for number in range(MAX_TOOLS + 1)]
    request = ModelRequest(prompt="Hello", system="x" * (MAX_PROMPT + 1), tools=tools)
    assert msgspec.json.decode(msgspec.json.encode(to_input(request)), type=ChatInput) == to_input(request)


@pytest.mark.parametrize("field", ["prompt", "system", "tools", "messages"])
async def test_a_job_of_a_person_has_the_limits_of_a_turn(world: World, field: str) -> None:
    ann = await world.bootstrap()
    too_much: dict[str, Any] = {
        "prompt": "x" * (MAX_PROMPT + 1),
        "system": "x" * (MAX_PROMPT + 1),
        "tools": [{"type": "function", "function": {"name": "f"}}] * (MAX_TOOLS + 1),
        "messages": [{"role": "user", "content": "x"}] * (MAX_MESSAGES + 1),
    }
    input = {"prompt": "Hello"} | {field: too_much[field]}
    for path, body, within in (
        ("/api/jobs", {"kind": "ai.chat", "input": input}, "/input"), ("/api/ai/chat", input, "")
    ):  # fmt: skip
        refused = await ann.post(path, body)
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, f"{within}/{field}"), refused.text


async def test_a_worker_that_fails_fails_the_turn(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann, "Far", model="llama")
    await worker.claim()
    asking = asyncio.create_task(chat(ann, "Hello", 502, model="llama"))
    claimed = await worker.claim_job(max_wait=5)
    assert (await worker.report("fail", claimed, error="Out of memory")).status_code == 204
    assert "Out of memory" in (await asking)["detail"]
    assert await tokens_used(ann) == 0


async def test_a_turn_can_be_read_that_failed_with_the_longest_reason(world: World) -> None:
    ann = await world.bootstrap()
    _, worker = await executor(world, ann, "Far", model="llama")
    await worker.claim()
    asking = asyncio.create_task(chat(ann, "Hello", 502, model="llama"))
    claimed = await worker.claim_job(max_wait=5)
    assert (await worker.report("fail", claimed, error="x" * MAX_FAULT)).status_code == 204
    await asking
    [of_worker, turn] = (await ann.get("/api/jobs")).json()["items"]
    assert of_worker["error"]["message"] == "x" * MAX_FAULT
    assert len(turn["error"]["message"]) == MAX_FAULT and turn["error"]["message"].endswith("xx…")
    assert (await ann.get(f"/api/jobs/{turn['id']}")).status_code == 200


# The caller leaves


async def test_the_turn_goes_on_when_its_caller_leaves(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([says("Done anyway.", pause=0.3)])
        asking = asyncio.create_task(chat(ann, "Hello"))
        await wait_until_running(world)
        asking.cancel()
        await world.app.attempts.wait()
        (job,) = (await ann.get("/api/jobs?kind=ai.turn")).json()["items"]
        assert job["state"] == "succeeded"
        assert await tokens_used(ann) == 7


async def test_an_answer_that_came_too_late_to_be_stored_is_not_given(settings: Settings) -> None:
    """The turn was lost meanwhile: what its conversation says is what its author is told."""
    async with model_world(settings) as (world, ann, server):
        server.script([says("Too late.", pause=0.3)])
        talk = (await ann.post("/api/conversations", {})).json()["id"]
        asking = asyncio.create_task(chat(ann, "Hello", 502, conversation_id=talk))
        await wait_until_running(world)
        async with world.db.maintenance(system()) as tx:
            await tx.run("UPDATE jobs SET lease_until = moment(0)")
        await jobs.sweep(world.db, world.app.queue)
        assert (await asking)["key"] == "ai.interrupted"
        turns = (await ann.get(f"/api/conversations/{talk}")).json()["turns"]
        assert [turn["state"] for turn in turns] == ["done", "failed"]
        assert await broken_invariants(world) == []
