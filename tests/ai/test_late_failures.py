"""Model calls that fail after their request was sent: the model may have answered, so they are charged."""

import pytest
from msgspec.structs import replace

from teamspace.ai.domain import turns
from teamspace.completions import client as completions_client
from teamspace.core.egress import Timeouts
from teamspace.settings import Settings
from tests.ai.help import chat, model_world, parse_events, requests_used, tokens_used
from tests.identity.help import broken
from tests.support.model_server import cuts, endless, fails, rate_limited, stalls
from tests.support.upstream import Behaviour, cut_off, no_http, silent
from tests.support.world import Caller

pytestmark = pytest.mark.both_databases
PROMPT = "Count to a million. " * 20
PROMPT_TOKENS = len(PROMPT) // 4
ESTIMATE = PROMPT_TOKENS + 512
LATE: dict[str, Behaviour] = {
    "no answer": silent,
    "stall": stalls(""),
    "cut": cut_off,
    "cut stream": cuts(""),
    "too large": endless(),
    "no HTTP": no_http,
}


@pytest.fixture(autouse=True)
def _short_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completions_client, "_TIMEOUTS", Timeouts(connect=1, read=0.5, total=2))


async def used(caller: Caller) -> tuple[int, int]:
    return await requests_used(caller), await tokens_used(caller)


@pytest.mark.parametrize("step", LATE.values(), ids=LATE)
async def test_a_turn_whose_end_is_unknown_is_charged(settings: Settings, step: Behaviour) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([step])
        assert (await chat(ann, PROMPT, 502))["code"] == "executor_failed"
        assert await used(ann) == (1, ESTIMATE)
        assert await broken(world) == []


@pytest.mark.parametrize("step", [silent, cuts(""), stalls("")], ids=["no answer", "cut", "stall"])
async def test_a_stream_that_fails_before_its_first_text_is_charged(settings: Settings, step: Behaviour) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([step])
        answer = await ann("POST", "/api/ai/chat/stream", {"prompt": PROMPT}, headers={"accept": "text/event-stream"})
        assert parse_events(answer.text)[-1]["type"] == "error"
        assert await used(ann) == (1, ESTIMATE)


async def test_a_call_of_an_agent_whose_end_is_unknown_is_charged(settings: Settings) -> None:
    async with model_world(settings) as (world, ann, server):
        server.script([silent])
        refused = await ann.post("/api/agent", {"prompt": PROMPT})
        assert refused.status_code == 502, refused.text
        requests, tokens = await used(ann)
        assert requests == 1 and tokens > ESTIMATE, "with its tools"
        assert await broken(world) == []


@pytest.mark.parametrize("step", [fails(), fails(503), rate_limited()], ids=["500", "503", "429"])
async def test_a_refusal_of_the_model_server_costs_nothing(settings: Settings, step: Behaviour) -> None:
    async with model_world(settings) as (_, ann, server):
        server.script([step])
        await chat(ann, PROMPT, 502)
        assert await used(ann) == (0, 0)


async def test_a_model_server_that_cannot_be_reached_costs_nothing(settings: Settings) -> None:
    async with model_world(settings) as (_, ann, server):
        await server.__aexit__()
        await chat(ann, PROMPT, 502)
        assert await used(ann) == (0, 0)


async def test_a_turn_that_takes_too_long_is_charged(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completions_client, "_TIMEOUTS", Timeouts())
    async with model_world(settings) as (world, ann, server):
        kinds = world.app.queue.kinds
        kind = kinds[turns.KIND]
        kinds.add([replace(kind, row=replace(kind.row, seconds=0.5))])
        server.script([silent])
        await chat(ann, PROMPT, 502)
        (job,) = (await ann.get("/api/jobs?kind=ai.turn")).json()["items"]
        assert job["error"]["code"] == "timeout"
        assert await used(ann) == (1, ESTIMATE)
