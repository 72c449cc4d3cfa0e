"""A model behind an OpenAI-compatible endpoint."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from teamspace import completions
from teamspace.ai.schemas import ModelAnswer, ModelRequest, TokenUsage
from teamspace.completions import Completion, CompletionError, CompletionRequest, ModelEndpoint
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
                done = await completions.complete(self._egress, endpoint, _to_completion_request(request, endpoint))
        except CompletionError as fault:
            raise ExecutorFailed(fault.key, retryable=fault.retryable, **fault.params) from fault
        return ModelAnswer(done.text, done.model, _usage(done), done.finish_reason)


def _to_completion_request(request: ModelRequest, endpoint: ModelEndpoint) -> CompletionRequest:
    messages = [{"role": str(message.role), "content": message.content} for message in request.messages]
    return CompletionRequest(messages, request.model or endpoint.model, request.max_tokens, request.temperature)


def _usage(done: Completion) -> TokenUsage:
    return TokenUsage(done.prompt_tokens, done.completion_tokens, done.prompt_tokens + done.completion_tokens)
