"""The interface of a model: messages in, an answer and its token usage out."""

from typing import Protocol

from teamspace.ai.schemas import ModelAnswer, ModelRequest


class Model(Protocol):
    async def answer(self, request: ModelRequest) -> ModelAnswer:
        """Return the answer, or raise ExecutorFailed with a reason that may be shown to people."""
        ...
