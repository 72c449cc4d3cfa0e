"""A model behind an OpenAI-compatible endpoint."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from teamspace import completions
from teamspace.completions import CompletionError, Delta, ModelAnswer, ModelEndpoint, ModelRequest
from teamspace.core.egress import Egress
from teamspace.core.errors import ExecutorFailed


class OpenAI:
    def __init__(
        self, egress: Egress, endpoint_for_call: Callable[[], AbstractAsyncContextManager[ModelEndpoint]]
    ) -> None:
        """`endpoint_for_call` yields the endpoint for one call and records how the call ends."""
        self._egress, self._endpoint_for_call = egress, endpoint_for_call

    async def answer(self, request: ModelRequest) -> ModelAnswer:
        try:
            async with self._endpoint_for_call() as endpoint:
                return await completions.complete(self._egress, endpoint, request)
        except CompletionError as fault:
            raise _failed(fault) from fault

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncIterator[AsyncIterator[Delta | ModelAnswer]]:
        # An error in the block passes through the endpoint, which records it, before it gets its other name.
        try:
            async with (
                self._endpoint_for_call() as endpoint,
                completions.stream(self._egress, endpoint, request) as events,
            ):
                yield events
        except CompletionError as fault:
            raise _failed(fault) from fault


def _failed(fault: CompletionError) -> ExecutorFailed:
    tokens = fault.usage.total_tokens if fault.usage else None
    return ExecutorFailed(fault.key, retryable=fault.retryable, tokens=tokens, **fault.params)
