"""A model behind an OpenAI-compatible endpoint."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from teamspace import completions
from teamspace.ai.schemas import Answer, TokenUsage, Turn
from teamspace.completions import Ask, Completion, Endpoint, Fault
from teamspace.core.egress import Egress
from teamspace.core.errors import ExecutorFailed


class OpenAI:
    def __init__(self, egress: Egress, calling: Callable[[], AbstractAsyncContextManager[Endpoint]]) -> None:
        """`calling` gives the endpoint for one call, and is told how that ends."""
        self._egress, self._calling = egress, calling

    async def turn(self, turn: Turn) -> Answer:
        try:
            async with self._calling() as endpoint:
                done = await completions.complete(self._egress, endpoint, _asked(turn, endpoint))
        except Fault as fault:
            raise ExecutorFailed(str(fault), retryable=fault.retryable) from fault
        return Answer(done.text, done.model, _usage(done), done.finish_reason)


def _asked(turn: Turn, endpoint: Endpoint) -> Ask:
    messages = [{"role": str(message.role), "content": message.content} for message in turn.messages]
    return Ask(messages, turn.model or endpoint.model, turn.max_tokens, turn.temperature)


def _usage(done: Completion) -> TokenUsage:
    return TokenUsage(done.prompt_tokens, done.completion_tokens, done.prompt_tokens + done.completion_tokens)
