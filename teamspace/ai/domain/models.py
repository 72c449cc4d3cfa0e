"""The interface of a model: a request in, an answer and its token usage out."""

from typing import Protocol

from teamspace.completions import ModelAnswer, ModelRequest


class Model(Protocol):
    async def answer(self, request: ModelRequest) -> ModelAnswer:
        """Return the answer, or raise ExecutorFailed with a reason that may be shown to people."""
        ...
