"""The model behind an OpenAI-compatible endpoint."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from teamspace.ai.domain.openai import OpenAI
from teamspace.completions import CompletionError, Delta, ModelAnswer, ModelEndpoint, ModelRequest
from teamspace.core.egress import Egress, NetworkReach
from teamspace.core.errors import ExecutorFailed
from tests.support.upstream import Upstream, chunks, completion, delta, status

USAGE = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}


@pytest.mark.parametrize(("body", "spent"), [({"choices": [], "usage": USAGE}, 7), ({"choices": []}, None)])
async def test_a_failure_says_how_many_tokens_were_spent(body: object, spent: int | None) -> None:
    async with Upstream(status(200, body)) as upstream, aclosing(Egress()) as egress:

        @asynccontextmanager
        async def endpoint() -> AsyncIterator[ModelEndpoint]:
            yield ModelEndpoint(upstream.url, NetworkReach.ANY)

        with pytest.raises(ExecutorFailed) as failed:
            await OpenAI(egress, endpoint).answer(ModelRequest("Hello"))
        assert (failed.value.tokens, failed.value.retryable) == (spent, True)


async def test_an_answer_is_streamed() -> None:
    async with Upstream(completion("Hello you")) as upstream, aclosing(Egress()) as egress:

        @asynccontextmanager
        async def endpoint() -> AsyncIterator[ModelEndpoint]:
            yield ModelEndpoint(upstream.url, NetworkReach.ANY)

        async with OpenAI(egress, endpoint).stream(ModelRequest("Hello")) as events:
            *deltas, answer = [event async for event in events]
        assert deltas == [Delta("Hello "), Delta("you")]
        assert isinstance(answer, ModelAnswer)
        assert answer.text == "Hello you"


async def test_a_failed_stream_is_recorded_and_says_what_was_spent() -> None:
    recorded: list[Any] = []
    async with Upstream(chunks(delta("x" * 8), b"junk\n")) as upstream, aclosing(Egress()) as egress:

        @asynccontextmanager
        async def endpoint() -> AsyncIterator[ModelEndpoint]:
            try:
                yield ModelEndpoint(upstream.url, NetworkReach.ANY)
            except CompletionError as fault:
                recorded.append(fault.key)
                raise

        with pytest.raises(ExecutorFailed) as failed:
            async with OpenAI(egress, endpoint).stream(ModelRequest("Hello")) as events:
                [event async for event in events]
        assert (failed.value.tokens, recorded) == (4, ["model.invalid_stream"])
