"""The model behind an OpenAI-compatible endpoint."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest

from teamspace.ai.domain.openai import OpenAI
from teamspace.completions import ModelEndpoint, ModelRequest
from teamspace.core.egress import Egress, NetworkReach
from teamspace.core.errors import ExecutorFailed
from tests.support.upstream import Upstream, status

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
