"""The interface of a model: a request in, an answer and its token usage out."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from teamspace.completions import Delta, ModelAnswer, ModelRequest


class Model(Protocol):
    async def answer(self, request: ModelRequest) -> ModelAnswer:
        """Return the answer, or raise ExecutorFailed with a reason that may be shown to people."""
        ...

    def stream(self, request: ModelRequest) -> AbstractAsyncContextManager[AsyncIterator[Delta | ModelAnswer]]:
        """Yield the deltas of the answer, then the whole answer. Leaving the block ends the completion.

        A failure leaves the block as ExecutorFailed.
        """
        ...
