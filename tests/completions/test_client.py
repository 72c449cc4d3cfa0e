"""Completions from model servers: whole and streamed, and what a failure says and has cost."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from teamspace import completions
from teamspace.completions import (
    CompletionError,
    Delta,
    Message,
    ModelAnswer,
    ModelEndpoint,
    ModelRequest,
    Speaker,
)
from teamspace.completions import client as completions_client
from teamspace.core.egress import Egress, NetworkReach, Timeouts
from tests.support.upstream import (
    DONE,
    Behaviour,
    Upstream,
    chunks,
    completion,
    cut_off,
    delta,
    dripping,
    endless,
    event,
    no_http,
    silent,
    status,
)

REQUEST = ModelRequest("Hello", system="Be brief.", max_tokens=9, temperature=0.5)
USAGE = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
HI = {"message": {"role": "assistant", "content": "Hi"}}


@pytest.fixture
async def egress() -> AsyncIterator[Egress]:
    egress = Egress()
    yield egress
    await egress.aclose()


def endpoint(upstream: Upstream, **more: Any) -> ModelEndpoint:
    return ModelEndpoint(upstream.url, NetworkReach.ANY, **more)


async def streamed(egress: Egress, endpoint: ModelEndpoint, request: ModelRequest = REQUEST) -> list[Any]:
    async with completions.stream(egress, endpoint, request) as events:
        return [event async for event in events]


# Streams


async def test_a_completion_is_streamed(egress: Egress) -> None:
    async with Upstream(completion("Hello to you")) as upstream:
        *deltas, answer = await streamed(egress, endpoint(upstream, key="sk-1", model="tiny"))
        assert deltas == [Delta("Hello "), Delta("to "), Delta("you")]
        assert answer == ModelAnswer("Hello to you", completions.TokenUsage(5, 2, 7), "tiny", "stop")
        received = upstream.requests[0]
        assert received.headers["authorization"] == "Bearer sk-1"
        assert json.loads(received.body) == {
            "model": "tiny", "max_tokens": 9, "temperature": 0.5, "stream": True, "stream_options": {"include_usage": True},
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        }  # fmt: skip


async def test_whole_and_streamed_completions_share_the_connections_of_a_company(egress: Egress) -> None:
    async with Upstream(completion("Hello to you")) as upstream:
        for company in ("acme", "globex"):
            for _ in range(2):
                await streamed(egress, endpoint(upstream, on_behalf_of=company))
                await completions.complete(egress, endpoint(upstream, on_behalf_of=company), REQUEST)
        assert (upstream.connections, len(upstream.requests)) == (2, 8)


@pytest.mark.parametrize("usage", [None, {"prompt_tokens": -1, "completion_tokens": 1}, "many"])
async def test_the_usage_of_a_stream_is_estimated_if_it_is_not_reported(egress: Egress, usage: Any) -> None:
    for text, tokens in (("x" * 8, 2), ("a b c d e", 5)):  # four characters each, and one in every delta at least
        async with Upstream(completion(text, usage=usage)) as upstream:
            *_, answer = await streamed(egress, endpoint(upstream), ModelRequest("y" * 12))
            assert answer.usage == completions.TokenUsage.of(3, tokens)


async def test_a_stream_can_have_comments_and_end_without_a_marker(egress: Egress) -> None:
    pieces = (
        b": waiting\r\n\r\nevent: message\r\nid: 7\r\n",
        b'data:{"choices": [ ]}\n\ndata: {"choices": null}\n\n',
        delta("Hi", finish_reason="stop").replace(b"\n", b"\r\n"),
    )
    async with Upstream(chunks(*pieces)) as upstream:
        *deltas, answer = await streamed(egress, endpoint(upstream))
        assert (deltas, answer.text) == ([Delta("Hi")], "Hi")


async def test_leaving_a_stream_ends_the_completion(egress: Egress) -> None:
    async with Upstream(chunks(*[delta("word ")] * 1000)) as upstream:
        async with completions.stream(egress, endpoint(upstream), REQUEST) as events:
            assert await anext(events) == Delta("word ")
        await upstream.closed()


# Failures

STARTED = delta("x" * 8)
ESTIMATE = completions.TokenUsage.of(5, 2)
"""Of the request, and of the text that arrived before the failure."""

STREAM_FAULTS: tuple[tuple[Behaviour, str, bool, bool], ...] = (
    # behaviour, message, retryable, whether something was spent
    (chunks(STARTED, b"data: {not json}\n\n", DONE), "did not stream a valid completion", True, True),
    (chunks(STARTED, b'data: {"choices": 7}\n\n', DONE), "did not stream a valid completion", True, True),
    (chunks(STARTED, b"data: [[[[[[" + b"[" * 100_000 + b"\n\n"), "did not stream a valid completion", True, True),
    (chunks(b'{"choices": []}\n'), "did not stream a valid completion", True, False),
    (chunks(STARTED, b"data: " + b"x" * 1_100_000, DONE), "did not stream a valid completion", True, True),
    (chunks(STARTED), "ended its response before", True, True),
    (chunks(STARTED, DONE), "ended its response before", True, True),
    (chunks(STARTED, event({"error": {"message": "Out of memory."}})), "server failed: Out of memory.", True, True),
    (chunks(*[delta("x" * 200_000)] * 6, DONE), "longer than 1 MiB", False, True),
    (status(401), "rejects the configured key", False, False),
    (status(400, {"error": {"message": "Too long."}}), "rejects the request: Too long.", False, False),
    (cut_off, "closed the connection", True, True),
    (dripping, "did not answer in time", True, True),
    (silent, "did not answer in time", True, True),
    (no_http, "closed the connection", True, True),
    (endless, "did not stream a valid completion", True, False),
)


@pytest.mark.parametrize(("behaviour", "message", "retryable", "spent"), STREAM_FAULTS)
async def test_a_failed_stream_says_why_and_what_was_spent(
    egress: Egress, monkeypatch: pytest.MonkeyPatch, behaviour: Behaviour, message: str, retryable: bool, spent: bool
) -> None:
    monkeypatch.setattr(completions_client, "_TIMEOUTS", Timeouts(connect=1, read=1, total=2))
    async with Upstream(behaviour) as upstream:
        with pytest.raises(CompletionError, match=message) as failed:
            await streamed(egress, endpoint(upstream))
        assert (failed.value.retryable, failed.value.usage is not None) == (retryable, spent)


async def test_a_broken_stream_has_cost_what_arrived(egress: Egress) -> None:
    async with Upstream(chunks(STARTED, b"junk\n")) as upstream:
        with pytest.raises(CompletionError) as failed:
            await streamed(egress, endpoint(upstream))
        assert failed.value.usage == ESTIMATE
        upstream.behaviour = chunks(STARTED, event({"choices": [], "usage": USAGE}), b"junk\n")
        with pytest.raises(CompletionError) as failed:
            await streamed(egress, endpoint(upstream))
        assert failed.value.usage == completions.TokenUsage(5, 2, 7)


@pytest.mark.parametrize("behaviour", [silent, dripping, cut_off, endless, no_http])
async def test_a_request_whose_end_is_unknown_has_cost_the_estimate(
    egress: Egress, monkeypatch: pytest.MonkeyPatch, behaviour: Behaviour
) -> None:
    monkeypatch.setattr(completions_client, "_TIMEOUTS", Timeouts(connect=1, read=1, total=2))
    async with Upstream(behaviour) as upstream:
        with pytest.raises(CompletionError) as failed:
            await completions.complete(egress, endpoint(upstream), REQUEST)
        assert failed.value.usage == completions.estimate_call(REQUEST) == completions.TokenUsage.of(5, 9)
        assert failed.value.unhealthy == (behaviour in (silent, no_http)), (
            "after its head, it can be due to the request"
        )


async def test_a_request_that_was_not_sent_or_was_refused_has_cost_nothing(egress: Egress) -> None:
    async with Upstream(status(500, b"x" * 100_000)) as upstream:
        there = endpoint(upstream)
        with pytest.raises(CompletionError, match="status 500") as failed:
            await completions.complete(egress, there, REQUEST)
        assert failed.value.usage is None
    with pytest.raises(CompletionError, match="cannot be reached") as failed:
        await completions.complete(egress, there, REQUEST)
    assert failed.value.usage is None and failed.value.unhealthy


@pytest.mark.parametrize(
    ("body", "usage"),
    [
        ({"choices": [], "usage": USAGE}, USAGE),
        ({"choices": [{"message": "Hi"}], "usage": USAGE}, USAGE),
        ({"choices": [{"text": "Hi"}], "usage": USAGE}, USAGE),
        ({"choices": [HI | {"finish_reason": 7}], "model": ["x"], "usage": USAGE}, USAGE),
        ({"choices": [], "usage": {"prompt_tokens": -5, "completion_tokens": 1}}, None),
        ({"choices": []}, None),
        (b'{"usage": {"prompt_tokens": 5, "completion_tokens": 2}', None),
        (b"[" * 100_000, None),
    ],
)
async def test_an_unusable_answer_has_cost_what_it_reports(egress: Egress, body: Any, usage: Any) -> None:
    async with Upstream(status(200, body)) as upstream:
        with pytest.raises(CompletionError, match="did not return a valid completion") as failed:
            await completions.complete(egress, endpoint(upstream), REQUEST)
        assert failed.value.usage == (usage and completions.TokenUsage(**usage))


async def test_an_answer_that_is_too_long_has_cost_what_it_reports(egress: Egress) -> None:
    async with Upstream(completion("x" * (completions.MAX_CHARACTERS + 1))) as upstream:
        with pytest.raises(CompletionError, match="longer than 1 MiB") as failed:
            await completions.complete(egress, endpoint(upstream), REQUEST)
        assert (failed.value.retryable, failed.value.usage) == (False, completions.TokenUsage(5, 2, 7))


def test_a_request_is_a_conversation_that_ends_with_the_prompt() -> None:
    request = ModelRequest("And now?", "Be brief.", [Message(Speaker.ASSISTANT, "Yes.")])
    assert [message.content for message in request.conversation] == ["Be brief.", "Yes.", "And now?"]
    assert completions.estimate_prompt(request) == 3 + 1 + 2


def test_the_estimate_of_a_request_has_its_functions_and_its_schema() -> None:
    tool, schema = completions.FunctionTool(completions.Function("f", "x" * 400)), {"description": "x" * 400}
    plain = ModelRequest("Hello", response_format=completions.JsonObject())
    declared = ModelRequest("Hello", tools=[tool], response_format=completions.JsonSchema(schema=schema))
    assert completions.estimate_prompt(plain) == 2
    assert 200 < completions.estimate_prompt(declared) < 250
