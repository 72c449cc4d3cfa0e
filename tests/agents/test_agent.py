"""The agent: it calls tools with the caller's rights, remembers its steps, and ends within its limits."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from teamspace import jobs
from teamspace.agents.domain import excerpts, loop
from teamspace.agents.schemas import ToolStep
from teamspace.core.errors import ExecutorFailed
from teamspace.core.principal import system
from teamspace.settings import Settings
from teamspace.tools import Toolbox
from tests.ai.help import joined, model_world, stream, tokens_used, wait_until_running
from tests.executors.help import executor, push
from tests.jobs.help import broken_invariants, running
from tests.plugins.help import write_plugin
from tests.repository.help import put
from tests.support.model_server import calls, cuts, fails, says, stalls, writes
from tests.support.upstream import silent
from tests.support.world import Caller, World

PATH = "/api/agent"


async def ask(caller: Caller, prompt: str, status: int = 200, **more: Any) -> dict[str, Any]:
    answer = await caller.post(PATH, {"prompt": prompt, **more})
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def note(caller: Caller, title: str, body: str, **more: Any) -> str:
    answer = await caller.post("/api/notes", {"title": title, "body": body, **more})
    assert answer.status_code == 201
    return str(answer.json()["id"])


async def test_it_calls_tools_and_answers(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        id = await note(ann, "Budget", "The budget is 40,000 euros.")
        server.script(
            [
                calls(("search", {"q": "budget"})),
                calls(("read_note", {"id": id})),
                says('It is 40,000 euros [^1: "The budget is 40,000 euros."], not 9 [1] or 8 [\u20631].'),
            ]
        )
        answer = await ask(ann, "What is the budget?")
        assert answer["text"] == "It is 40,000 euros [\u20631], not 9 [1] or 8 [1].", "only the first is the server's"
        assert [step["tool"] for step in answer["steps"]] == ["search", "read_note"]
        assert answer["steps"][0]["result"][0]["id"] == id
        (citation,) = answer["citations"]
        assert (citation["verified"], citation["source"]["type"], citation["source"]["id"]) == (True, "note", id)
        assert answer["finish_reason"] == "stop"
        assert answer["usage"]["total_tokens"] == 21 == await tokens_used(ann)
        told = server.bodies[2]["messages"]
        assert [message["role"] for message in told] == ["system", "user", "assistant", "tool", "assistant", "tool"]
        assert "40,000" in told[-1]["content"]
        job = (await ann.get(f"/api/jobs/{answer['job_id']}")).json()
        assert (job["kind"], job["state"]) == ("ai.agent", "succeeded")
        assert await broken_invariants(world) == []


async def test_a_named_executor_is_asked_in_every_round(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        _, worker = await executor(world, ann, "Far")
        await worker.claim(max_wait=0)  # it is there
        asking = asyncio.create_task(stream(ann, {"prompt": "Boats?", "executor": "far"}, PATH))
        wanted = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q": "boats"}'}}
        usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
        results: list[dict[str, Any]] = [{"text": "", "tool_calls": [wanted]}, {"text": "Three boats."}]
        for result in results:
            claimed = await worker.claim_job(max_wait=10)
            await worker.report("complete", claimed, result={**result, "usage": usage, "model": "far-model"})
        start, *_, done = await asking
        assert (start["executor"], done["executor"], done["model"]) == ("Far", "Far", "far-model")
        assert (done["text"], [step["tool"] for step in done["steps"]]) == ("Three boats.", ["search"])
        assert server.bodies == [], "the default executor is not asked"
        assert await tokens_used(ann) == 14


async def test_only_operators_name_an_executor(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        member = await world.person(ann.org, ann.team)
        for more in ({}, {"dry_run": True}):
            refused = await member.post(PATH, {"prompt": "Hello", "executor": "Big", **more})
            assert (refused.status_code, refused.json()["key"]) == (403, "executors.choice")
        assert (await ask(ann, "Hello", 400, executor="Nobody"))["errors"][0]["pointer"] == "/executor"
        assert (await ask(ann, "Hello", executor="Big"))["executor"] == "Big"
        assert (await ask(ann, "Hello", dry_run=True, executor="Big"))["executor"] == "Big"
        assert len(server.bodies) == 1


async def test_a_run_that_is_continued_has_the_usage_of_its_own_rounds(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        server.script([calls(("search", {"q": "boats"})), fails(400)])
        assert (await ann.post(PATH, {"prompt": "Boats?", "conversation_id": conversation})).status_code == 502
        run = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"][1]["id"]
        before = await tokens_used(ann)
        server.script([says("Three.")])
        answer = await ask(ann, "", resume_from=run)
        assert [step["tool"] for step in answer["steps"]] == ["search"]
        assert answer["usage"]["total_tokens"] == await tokens_used(ann) - before == 7
        stored = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"][-1]
        assert stored["usage"] == answer["usage"]


async def test_a_run_that_is_continued_asks_the_executor_of_the_run_before(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        await push(ann, server, "Other")
        server.script([calls(("search", {"q": "boats"})), fails(400)])
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        failed = await ann.post(PATH, {"prompt": "Boats?", "executor": "Other", "conversation_id": conversation})
        assert failed.status_code == 502, failed.text
        run = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"][1]["id"]
        server.script([says("Three.")])
        assert (await ask(ann, "", resume_from=run))["executor"] == "Other"
        assert (await ask(ann, "", resume_from=run, executor="Big"))["executor"] == "Big"


async def test_a_named_model_is_asked_in_every_round_and_by_the_run_that_continues(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        await push(ann, server, "Other", model="small")
        server.script([calls(("search", {"q": "boats"})), fails(400)])
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        await ask(ann, "Boats?", 502, model="small", conversation_id=conversation)
        assert [body["model"] for body in server.bodies] == ["small", "small"]
        run = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"][1]["id"]
        server.script([says("Three.")])
        assert (await ask(ann, "", resume_from=run))["executor"] == "Other"
        assert (await ask(ann, "Boats?", dry_run=True, model="small"))["executor"] == "Other"


@pytest.mark.parametrize("said", ["[", "[^1", '[^1: "words without an end'])
async def test_an_answer_that_could_begin_a_citation_is_shown_once(settings: Settings, said: str) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([says(said)])
        events = await stream(ann, {"prompt": "Hello"}, PATH)
        assert (joined(events), events[-1]["text"]) == (said, said)


async def test_the_simulated_model_uses_a_tool(world: World) -> None:
    ann = await world.bootstrap()
    answer = await ask(ann, "Create a note titled Lunch saying Meet at noon.")
    (step,) = answer["steps"]
    assert step["tool"] == "create_note"
    assert "error" not in step, step
    (made,) = (await ann.get("/api/notes")).json()["items"]
    assert made["title"] == "Lunch"


async def test_its_steps_are_events(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([calls(("create_note", {"title": "Lunch", "body": "At noon."})), says("Done.")])
        events = await stream(ann, {"prompt": "Note lunch"}, PATH)
        kinds = [event["type"] for event in events]
        assert (kinds[0], kinds[-1]) == ("start", "done")
        assert (events[0]["executor"], events[0]["simulated"], events[0].keys() >= {"model"}) == ("Big", False, True)
        assert kinds.index("tool_call") < kinds.index("tool_result") < kinds.index("delta")
        call = next(event for event in events if event["type"] == "tool_call")
        result = next(event for event in events if event["type"] == "tool_result")
        assert call["arguments"] == {"title": "Lunch", "body": "At noon."}
        assert (result["call"], result["ok"]) == (call["call"], True)
        assert result["artifact"]["title"] == "Lunch"
        assert joined(events) == events[-1]["text"] == "Done."
        again = await stream(ann, {}, PATH, last_event_id=f"{events[-1]['job_id']}:2")
        assert again == events[2:]


async def test_a_long_document_fits_into_its_stream(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        text = "Ships come and go. " * 80_000
        id = (await put(ann, "report.txt", text.encode()))["id"]
        server.script([calls(*[("doc_text", {"object": id})] * 3), says("Ships.")])
        events = await stream(ann, {"prompt": "Sum up", "conversation_id": conversation}, PATH)
        assert (events[-1]["type"], events[-1]["text"]) == ("done", "Ships.")
        told = [event["artifact"] for event in events if event["type"] == "tool_result"]
        assert told == [step["artifact"] for step in events[-1]["steps"]]
        assert (told[0]["kind"], told[0]["object_id"], told[0]["version"]) == ("text", id, 1)
        assert told[0]["text"] == f"{text[:2000]} … [cut: 2000 of {len(text)} characters]"
        (job,) = (await ann.get("/api/jobs?kind=ai.agent")).json()["items"]
        assert (await ann.get(f"/api/jobs/{job['id']}")).json()["result"]["steps"] == events[-1]["steps"]
        _, answer = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"]
        assert answer["steps"] == events[-1]["steps"]


async def test_the_most_and_longest_calls_fit_into_the_stream_of_a_run(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        long = {"title": "T" * 200, "body": "\x01" * 8_000}
        server.script([calls(*[("create_note", long)] * 3, fragment=10_000)] * 10 + [says("Done.")])
        events = await stream(ann, {"prompt": "Write"}, PATH)
        assert events[-1]["type"] == "done", events[-1]
        assert len(events[-1]["steps"]) == 30
        arguments = events[-1]["steps"][0]["arguments"]
        assert (arguments["title"], arguments["body"][:2000]) == (long["title"], long["body"][:2000])
        assert len(server.bodies[1]["messages"][2]["tool_calls"][0]["function"]["arguments"]) > 48_000, (
            "the model's own"
        )


async def test_it_has_no_more_rights_than_the_person(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        secret = await note(ann, "Salaries", "Ann earns 9,000.")
        bob = await world.person(ann.org, ann.team)
        server.script([calls(("read_note", {"id": secret}), ("search", {"q": "salaries"})), says("I cannot see it.")])
        answer = await ask(bob, "What does Ann earn?")
        assert answer["steps"][0]["error"]["code"] == "not_found"
        assert answer["steps"][1]["result"] == []
        assert "9,000" not in str(server.bodies)
        audit = (await ann.get("/api/audit?action=tool.end")).json()["items"]
        assert [(row["target"], row["detail"]["outcome"]) for row in reversed(audit)] == [
            ("read_note", "not_found"), ("search", "ok"),
        ]  # fmt: skip


async def test_errors_and_refusals_are_told_to_the_model(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        await ann.post("/api/tools/search", {"enabled": False})
        wrong = [("search", {"q": "x"}), ("no_such_tool", {}), ("read_note", "{broken"), ("read_note", {"id": 7})]
        server.script([calls(*wrong), says("Sorry.")])
        answer = await ask(ann, "Try")
        codes = [step["error"]["code"] for step in answer["steps"]]
        assert codes == ["tool_disabled", "not_found", "invalid_request", "invalid_request"]
        assert server.bodies[1]["messages"][3]["content"].startswith("Error (tool_disabled)")
        offered = [tool["function"]["name"] for tool in server.bodies[0]["tools"]]
        assert "search" not in offered and "read_note" in offered


async def test_only_the_named_tools_are_offered_and_called(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([calls(("create_note", {"title": "X", "body": "Y"})), says("No.")])
        answer = await ask(ann, "Make a note", tools=["search"])
        assert [tool["function"]["name"] for tool in server.bodies[0]["tools"]] == ["search"]
        assert answer["steps"][0]["error"]["code"] == "tool_disabled"
        assert (await ann.get("/api/notes")).json()["items"] == []
        server.script([says("I can't.")])
        assert (await ask(ann, "Make a note", tools=[]))["steps"] == []
        assert "tools" not in server.bodies[-1], "none is offered"
        refused = await ask(ann, "Make a note", 400, tools=["nothing"])
        assert refused["errors"][0]["pointer"] == "/tools/0"


# Limits


async def test_it_ends_after_so_many_rounds(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([calls(("search", {"q": str(n)})) for n in range(20)])
        answer = await ask(ann, "Search for ever", max_rounds=3)
        assert (answer["finish_reason"], len(answer["steps"]), len(server.bodies)) == ("tool_limit", 3, 3)
        assert (await ask(ann, "Search for ever", 400, max_rounds=13))["errors"][0]["pointer"] == "/max_rounds"


async def test_it_calls_no_more_than_thirty_tools(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([calls(*(("search", {"q": f"{m} {n}"}) for n in range(12))) for m in range(5)])
        answer = await ask(ann, "Search a lot")
        assert answer["finish_reason"] == "tool_limit"
        assert [step["error"]["code"] for step in answer["steps"] if "error" in step] == ["tool_limit"] * 6


class Clock:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


async def test_it_begins_no_step_after_its_time(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(loop, "time", clock)

    def after(seconds: float, then: Any) -> Any:
        async def behave(*received: Any) -> None:
            clock.now += seconds
            await then(*received)

        return behave

    async with model_world(settings) as (_, ann, server):
        search, make = ("search", {"q": "x"}), ("create_note", {"title": "Late", "body": "x"})
        server.script([after(119, calls(search)), after(2, calls(make, search)), says("Never asked.")])
        answer = await ask(ann, "Search")
        assert answer["finish_reason"] == "tool_limit"
        assert [step.get("error", {}).get("code") for step in answer["steps"]] == [None, "tool_limit", "tool_limit"]
        assert (len(server.bodies), (await ann.get("/api/notes")).json()["items"]) == (2, [])


async def test_a_slow_tool_is_cut_off_and_the_model_is_told(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        "import asyncio\nfrom teamspace.sdk import Permission, Tool\n"
        "TOOLS = (Tool('toy_sleep', 'sleep', 'Sleep.', Permission.CHAT_USE),)\n"
        "async def sleep() -> str:\n    await asyncio.sleep(600)\n    return 'Awake.'\n"
    )
    toy = msgspec.structs.replace(settings, plugins=(write_plugin(tmp_path / "toy", source),))
    async with model_world(toy) as (world, ann, server):
        monkeypatch.setattr(loop, "_TOOL_SECONDS", 0.2)
        await ann.post("/api/tools/toy_sleep", {"enabled": True})
        server.script([calls(("toy_sleep", {}), ("search", {"q": "x"})), says("It is too slow.")])
        answer = await ask(ann, "Sleep")
        assert (answer["text"], answer["finish_reason"]) == ("It is too slow.", "stop")
        assert [step.get("error", {}).get("code") for step in answer["steps"]] == ["timeout", None]
        assert server.bodies[1]["messages"][3]["content"].startswith("Error (timeout)")
        (end, *_) = (await ann.get("/api/audit?action=tool.end&limit=2")).json()["items"][::-1]
        assert (end["target"], end["detail"]["outcome"]) == ("toy_sleep", "failed")
        assert await broken_invariants(world) == []


async def test_a_budget_that_ends_on_the_way_ends_the_run(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        await ann.post("/api/quota", {"dimension": "ai.requests", "limit": 1, "window": "day"})
        server.script([calls(("search", {"q": "x"})), says("Never asked.")])
        answer = await ask(ann, "Search")
        assert (answer["finish_reason"], len(answer["steps"])) == ("quota", 1)
        assert (await ask(ann, "Search", 429))["dimension"] == "ai.requests"
        assert len(server.bodies) == 1
        assert await broken_invariants(world) == []


async def test_a_dry_run_is_a_read(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        answer = await ask(ann, "Search", dry_run=True)
        assert answer["estimate"]["requests"] == 1
        fewer = await ask(ann, "Search", tools=["search"], dry_run=True)
        assert answer["estimate"]["tokens"] > fewer["estimate"]["tokens"] + 100, "its tools count"
        assert not server.bodies
        assert await world.db.one(int, "SELECT COUNT(*) FROM jobs") == 0


# Failures


async def test_a_failed_run_is_continued_after_its_last_step(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([calls(("create_note", {"title": "Once", "body": "x"})), fails(), says("Done.")])
        await ask(ann, "Make a note", 502)
        (failed,) = (await ann.get("/api/jobs?kind=ai.agent")).json()["items"]
        answer = await ask(ann, "", resume_from=failed["id"])
        assert answer["text"] == "Done."
        told = [(message["role"], message.get("content")) for message in server.bodies[-1]["messages"]]
        assert [role for role, _ in told] == ["system", "user", "assistant", "tool"]
        assert told[1][1] == "Make a note"
        assert [step["tool"] for step in answer["steps"]] == ["create_note"]
        assert len((await ann.get("/api/notes")).json()["items"]) == 1
        assert await tokens_used(ann) == 14


async def test_a_call_that_acted_and_whose_step_is_missing_acts_once_in_the_runs_that_continue_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = loop.Loop._save

    async def lose(self: loop.Loop, who: Any, step: Any) -> None:
        if isinstance(step, ToolStep) and self._input.prompt == "Make a note":
            raise ExecutorFailed("ai.interrupted")
        await save(self, who, step)

    monkeypatch.setattr(loop.Loop, "_save", lose)
    async with model_world(settings) as (_, ann, server):
        again = calls(("create_note", {"title": "Twice", "body": "x"}))
        server.script([calls(("create_note", {"title": "Once", "body": "x"})), says("A."), again, says("B.")])
        await ask(ann, "Make a note", 502)
        (failed,) = (await ann.get("/api/jobs?kind=ai.agent")).json()["items"]
        for text, titles in (("A.", {"Once"}), ("B.", {"Once", "Twice"})):
            answer = await ask(ann, "Go on", resume_from=failed["id"])
            made = (await ann.get("/api/notes")).json()["items"]
            assert (answer["text"], sorted(row["title"] for row in made)) == (text, sorted(titles))


async def test_a_run_that_has_not_ended_is_not_continued_by_a_second(settings: Settings) -> None:
    """Both would make the calls that are open."""
    async with model_world(settings) as (world, ann, server):
        server.script([calls(("search", {"q": "x"})), stalls("Half"), says("By a second.")])
        reading = asyncio.create_task(stream(ann, {"prompt": "Search"}, PATH))
        await _until_asked(server, 2)
        run_id = await _run_id(world)
        assert (await ask(ann, "Search", 409, resume_from=run_id))["key"] == "agents.not_ended"
        await ann.delete(f"/api/ai/chat/stream/{run_id}")
        await reading
        assert (await ask(ann, "Search", resume_from=run_id))["steps"]


async def test_only_ones_own_runs_are_continued(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([calls(("search", {"q": "x"})), fails()])
        await ask(ann, "Search", 502)
        (failed,) = (await ann.get("/api/jobs?kind=ai.agent")).json()["items"]
        bob = await world.person(ann.org, ann.team)
        assert (await ask(bob, "Search", 404, resume_from=failed["id"]))["key"] == "agents.no_run"


async def test_a_run_whose_server_is_lost_is_continued_by_another(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([calls(("create_note", {"title": "Once", "body": "x"})), stalls("Alm"), says("Done.")])
        reading = asyncio.create_task(stream(ann, {"prompt": "Make a note"}, PATH))
        await wait_until_running(world)
        await _until_asked(server, 2)
        await _lose(world)
        async with running(world):
            events = await reading
        starts = [event for event in events if event["type"] == "start"]
        assert len(starts) == 2, "the second server says which text stands"
        assert (events[-1]["type"], events[-1]["text"]) == ("done", "Done.")
        assert [step["tool"] for step in events[-1]["steps"]] == ["create_note"]
        assert len((await ann.get("/api/notes")).json()["items"]) == 1
        assert await broken_invariants(world) == []


async def test_a_tool_that_asks_a_model_leaves_nothing_reserved_when_its_server_is_lost(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        made = await ann.post("/api/documents", {"title": "Invoice", "body": "Total: 40 euros"})
        schema = {"type": "object", "properties": {"total": {"type": "integer"}}, "additionalProperties": False}
        wanted = {"object": made.json()["id"], "text": "Total: 40 euros", "schema": schema}
        server.script([calls(("doc_extract_fields", wanted)), silent, writes({"total": 40}), says("It is 40.")])
        reading = asyncio.create_task(stream(ann, {"prompt": "What is the total?"}, PATH))
        await wait_until_running(world)
        await _until_asked(server, 2)
        await _lose(world)
        assert await world.db.one(int, "SELECT COUNT(*) FROM quota_ledger WHERE settled_at IS NULL") == 0
        async with running(world):
            events = await reading
        assert (events[-1]["type"], events[-1]["text"]) == ("done", "It is 40.")
        assert [(step["tool"], "error" in step) for step in events[-1]["steps"]] == [("doc_extract_fields", False)]
        assert await broken_invariants(world) == []


async def _cites_two_notes(ann: Caller, interrupted: Any) -> tuple[list[Any], list[Any]]:
    """Return what a model does that cites a note, is interrupted, and cites another; and the citations of its answer."""
    budget = await note(ann, "Budget", "The budget is 40,000 euros.")
    minutes = await note(ann, "Minutes", "Ann agrees to all of it.")
    said = 'It is 40,000 [^1: "The budget is 40,000 euros."].'
    script = [
        calls(("read_note", {"id": budget}), ("read_note", {"id": minutes})),
        calls(("create_note", {"title": "Once", "body": "x"}), text=said),
        interrupted,
        says('Ann agrees [^2: "Ann agrees"], to 40,000 [^1: "The budget is 40,000 euros."].'),
    ]
    return script, [(1, budget, True), (2, minutes, True)]


CITES_TWICE = "It is 40,000 [\u20631].\n\nAnn agrees [\u20632], to 40,000 [\u20631]."


def _cited(answer: dict[str, Any]) -> list[Any]:
    return [(each["number"], each["source"]["id"], each["verified"]) for each in answer["citations"]]


async def test_a_run_that_is_continued_by_another_server_keeps_its_citations(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        script, cited = await _cites_two_notes(ann, stalls('Then [^2: "to all of it"] alm'))
        server.script(script)
        reading = asyncio.create_task(stream(ann, {"prompt": "And?", "conversation_id": conversation}, PATH))
        await _until_asked(server, 3)
        await _lose(world)
        async with running(world):
            events = await reading
        assert (events[-1]["text"], _cited(events[-1])) == (CITES_TWICE, cited)
        _, started = [event for event in events if event["type"] == "start"]
        assert (started["text"], _cited(started)) == ("It is 40,000 [\u20631].", cited[:1])
        after = events[events.index(started) :]
        assert [event["number"] for event in after if event["type"] == "citation"] == [2], "the first is not told again"
        _, answer = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"]
        assert (answer["content"], _cited(answer)) == (CITES_TWICE, cited)


async def test_a_run_that_is_continued_by_request_keeps_its_citations(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        script, cited = await _cites_two_notes(ann, fails())
        server.script(script)
        await ask(ann, "And?", 502)
        (failed,) = (await ann.get("/api/jobs?kind=ai.agent")).json()["items"]
        answer = await ask(ann, "", resume_from=failed["id"])
        assert (answer["text"], _cited(answer)) == (CITES_TWICE, cited)


async def test_a_run_that_fails_keeps_the_citations_of_what_it_has_shown(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        script, cited = await _cites_two_notes(ann, stalls('Then [^2: "Ann agrees"] alm'))
        server.script([*script[:3], fails()])
        reading = asyncio.create_task(stream(ann, {"prompt": "And?", "conversation_id": conversation}, PATH))
        await _until_asked(server, 3)
        await _lose(world)
        async with running(world):
            assert (await reading)[-1]["type"] == "error"
        _, answer = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"]
        assert (answer["state"], answer["content"]) == ("failed", "It is 40,000 [\u20631].")
        assert _cited(answer) == cited[:1], "what its first server showed last and did not store is gone"


async def test_a_server_that_was_taken_for_lost_changes_nothing_any_more(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([says("Of the lost server.", pause=0.2), says("Of the other one.", pause=0.6)])
        reading = asyncio.create_task(stream(ann, {"prompt": "Hello"}, PATH))
        await _until_asked(server, 1)
        await _lose(world)
        async with running(world):
            events = await reading
        assert (events[-1]["type"], events[-1].get("text")) == ("done", "Of the other one.")
        assert await broken_invariants(world) == []


async def _until_asked(server: Any, times: int) -> None:
    async with asyncio.timeout(10):
        while True:
            if len(server.bodies) >= times:
                return
            await asyncio.sleep(0.02)


async def _run_id(world: World) -> str:
    return await world.db.one(str, "SELECT id FROM jobs WHERE kind = 'ai.agent'") or ""


async def _lose(world: World) -> None:
    async with world.db.maintenance(system()) as tx:
        await tx.run("UPDATE jobs SET lease_until = moment(0) WHERE kind = 'ai.agent'")
    await jobs.sweep(world.db, world.app.queue)


@pytest.mark.parametrize("fault", [fails(), cuts("Half")])
async def test_a_model_that_fails_is_a_clear_error(settings: Settings, fault: Any) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([fault])
        assert (await ask(ann, "Hello", 502))["code"] == "executor_failed"
        assert await broken_invariants(world) == []


async def test_its_steps_so_far_are_read_without_its_stream(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        bob = await world.person(ann.org, ann.team)
        await ann.post(f"/api/conversations/{conversation}/share", {"user_id": bob.user_id, "permission": "notes:read"})
        server.script([calls(("search", {"q": "x"})), stalls("Half")])
        asking = asyncio.create_task(ann.post(PATH, {"prompt": "Search", "conversation_id": conversation}))
        await _until_asked(server, 2)
        path = f"/api/jobs/{await _run_id(world)}"
        running_job = (await ann.get(path)).json()
        assert (running_job["state"], running_job["result"]) == ("running", None)
        assert running_job["steps"] == [{"tool": "search", "arguments": {"q": "x"}, "result": []}]
        assert (await bob.get(path)).json()["steps"] == [], "until the answer is there, they are for its author"
        await ann.delete(f"/api/ai/chat/stream/{running_job['id']}")
        assert (await asking).json()["steps"] == (await ann.get(path)).json()["result"]["steps"] == running_job["steps"]


async def test_it_can_be_stopped(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([calls(("search", {"q": "x"})), stalls("Half")])
        reading = asyncio.create_task(stream(ann, {"prompt": "Search"}, PATH))
        await _until_asked(server, 2)
        run_id = await _run_id(world)
        assert (await ann.delete(f"/api/ai/chat/stream/{run_id}")).status_code == 204
        done = (await reading)[-1]
        assert (done["type"], done["finish_reason"]) == ("done", "stopped")
        assert await broken_invariants(world) == []


async def test_a_stopped_run_makes_no_further_call_until_it_is_continued(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with model_world(settings) as (world, ann, server):
        searching, go = asyncio.Event(), asyncio.Event()
        call = Toolbox.call

        async def held(self: Toolbox, db: Any, who: Any, name: str, *more: Any) -> Any:
            if name == "search":
                searching.set()
                await go.wait()
            return await call(self, db, who, name, *more)

        monkeypatch.setattr(Toolbox, "call", held)
        server.script([calls(("search", {"q": "x"}), ("create_note", {"title": "Late", "body": "x"})), says("Done.")])
        asking = asyncio.create_task(ask(ann, "Search"))
        await asyncio.wait_for(searching.wait(), 10)
        run_id = await _run_id(world)
        await ann.delete(f"/api/ai/chat/stream/{run_id}")
        go.set()
        answer = await asking
        assert (answer["finish_reason"], [step["tool"] for step in answer["steps"]]) == ("stopped", ["search"])
        assert (await ann.get("/api/notes")).json()["items"] == []
        rest = await ask(ann, "", resume_from=run_id)
        assert (rest["text"], [step["tool"] for step in rest["steps"]]) == ("Done.", ["search", "create_note"])
        assert await broken_invariants(world) == []


async def test_a_stopped_run_goes_on_when_it_is_continued(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        server.script([calls(("search", {"q": "x"})), stalls("Half"), says("Whole.")])
        body = {"prompt": "Search", "tools": ["search"], "conversation_id": conversation}
        reading = asyncio.create_task(stream(ann, body, PATH))
        await _until_asked(server, 2)
        run_id = await _run_id(world)
        await ann.delete(f"/api/ai/chat/stream/{run_id}")
        await reading
        answer = await ask(ann, "", resume_from=run_id)
        assert (answer["text"], answer["finish_reason"], len(answer["steps"])) == ("Whole.", "stop", 1)
        assert server.bodies[2]["messages"] == server.bodies[1]["messages"], "what was cut off is asked again"
        assert [tool["function"]["name"] for tool in server.bodies[2]["tools"]] == ["search"]
        turns = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"]
        assert [(turn["content"], turn["parent_id"]) for turn in turns[1:]] == [
            ("Half", turns[0]["id"]), ("Whole.", turns[0]["id"]),
        ]  # fmt: skip
        assert await broken_invariants(world) == []


async def test_a_demoted_person_loses_their_agent_between_two_calls(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        bob = await world.person(ann.org, ann.team)
        server.script([calls(("search", {"q": "x"})), stalls("Half"), says("Never.")])
        asking = asyncio.create_task(bob.post(PATH, {"prompt": "Search"}))
        await _until_asked(server, 2)
        assert (await ann("PATCH", f"/api/members/{bob.user_id}", {"role": "viewer"})).status_code == 200
        await _lose(world)
        async with running(world):
            await world.app.queue.wait_for_end(world.db, await _run_id(world), 10)
        (run,) = await world.db.all(str, "SELECT state FROM jobs WHERE kind = 'ai.agent'")
        assert run == "failed"
        assert len(server.bodies) == 2
        asking.cancel()


# Conversations


async def test_its_steps_are_kept_in_the_conversation(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        server.script([calls(("search", {"q": "x"})), says("Nothing found.")])
        await ask(ann, "Search", conversation_id=conversation)
        turns = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"]
        assert [(turn["role"], turn["content"]) for turn in turns] == [
            ("user", "Search"), ("assistant", "Nothing found."),
        ]  # fmt: skip
        assert turns[1]["steps"][0]["tool"] == "search"
        assert await broken_invariants(world) == []


async def test_a_run_that_fails_keeps_its_steps_in_the_conversation(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        conversation = (await ann.post("/api/conversations", {})).json()["id"]
        server.script([calls(("create_note", {"title": "Boats", "body": "Three."})), fails(400)])
        await ask(ann, "Make a note", 502, conversation_id=conversation)
        server.script([fails(400)])
        await ask(ann, "Make another", 502, conversation_id=conversation)
        server.script([fails(400)])
        assert (await ann.post("/api/ai/chat", {"prompt": "Hi", "conversation_id": conversation})).status_code == 502
        turns = (await ann.get(f"/api/conversations/{conversation}")).json()["turns"]
        assert [turn["state"] for turn in turns[1::2]] == ["failed"] * 3
        done, nothing, chat = turns[1::2]
        assert [step["artifact"]["title"] for step in done["steps"]] == ["Boats"]
        assert nothing["steps"] == [], "an agent answered, and did nothing"
        assert "steps" not in chat


async def test_a_long_result_is_kept_by_its_beginning(settings: Settings, tmp_path: Path) -> None:
    source = (
        "from teamspace.sdk import Permission, Tool\n"
        "TOOLS = (Tool('toy_long', 'long', 'Return much.', Permission.CHAT_USE),)\n"
        "async def long(size: int) -> list[str]:\n    return ['x' * size]\n"
    )
    toy = msgspec.structs.replace(settings, plugins=(write_plugin(tmp_path / "toy", source),))
    async with model_world(toy) as (_, ann, server):
        await ann.post("/api/tools/toy_long", {"enabled": True})
        server.script([calls(("toy_long", {"size": 60_000}), ("toy_long", {"size": 4_000_000})), says("Much.")])
        short, long = (await ask(ann, "How much?"))["steps"]
        assert short["result"] == ["x" * 60_000]
        assert len(long["result"]) < excerpts.MAX_RESULT and long["result"].endswith("of 4000004 bytes]")
