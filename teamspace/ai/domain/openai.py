"""A model behind an OpenAI-compatible endpoint."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from teamspace import completions
from teamspace.completions import CompletionError, ModelAnswer, ModelEndpoint, ModelRequest
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
            tokens = fault.usage.total_tokens if fault.usage else None
            raise ExecutorFailed(fault.key, retryable=fault.retryable, tokens=tokens, **fault.params) from fault
