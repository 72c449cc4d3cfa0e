"""The simulated model, with the interface of every model."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from teamspace.ai.domain.simulated import markers
from teamspace.ai.domain.simulated.composing import Composed, compose
from teamspace.ai.domain.simulated.markers import Markers
from teamspace.completions import (
    MAX_CHARACTERS,
    Delta,
    ModelAnswer,
    ModelRequest,
    estimate_tokens,
    estimate_usage,
    text_of,
)
from teamspace.core import pools
from teamspace.core.errors import ExecutorFailed

NAME = "simulated"
_LONG = 16 * 1024
"""Characters of a conversation that are read in a thread; shorter ones take a few milliseconds."""
_WORD = re.compile(r"\s*\S+|\s+")


class Simulated:
    def __init__(self, attempt: int = 1, *, misbehaves: bool = False) -> None:
        """With `misbehaves`, markers in the prompt take effect; otherwise they are ordinary text."""
        self._attempt, self._misbehaves = attempt, misbehaves

    async def answer(self, request: ModelRequest) -> ModelAnswer:
        marked = self._markers(request)
        await self._disturb(marked)
        await asyncio.sleep(_seconds(marked))
        return await self._answer(request, marked)

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncIterator[AsyncIterator[Delta | ModelAnswer]]:
        yield self._events(request)

    async def _events(self, request: ModelRequest) -> AsyncIterator[Delta | ModelAnswer]:
        marked = self._markers(request)
        await self._disturb(marked)
        answer = await self._answer(request, marked)
        pause = _seconds(marked) / (answer.text.count(" ") + 1)
        for word in _WORD.finditer(answer.text):
            await asyncio.sleep(pause)
            yield Delta(word[0])
        yield answer

    def _markers(self, request: ModelRequest) -> Markers:
        return markers.read(request.conversation) if self._misbehaves else Markers()

    async def _disturb(self, marked: Markers) -> None:
        if marked.has("hang"):
            await asyncio.sleep(3600)
        if "fail" in marked.numbers:
            attempts = marked.numbers["fail"]
            if attempts is None or self._attempt <= attempts:
                raise ExecutorFailed("ai.simulated_failure")

    async def _answer(self, request: ModelRequest, marked: Markers) -> ModelAnswer:
        composed = await _composed(request, marked)
        text, finish = composed.text[:MAX_CHARACTERS], "tool_calls" if composed.calls else "stop"
        if marked.has("stop"):
            text = text[: len(text) // 2]
        if request.max_tokens is not None and estimate_tokens(text) > request.max_tokens:
            text, finish = text[: 4 * request.max_tokens], "length"
        written = text + "".join(call.function.name + call.function.arguments for call in composed.calls)
        usage = estimate_usage(request, written)
        return ModelAnswer(text, usage, request.model or NAME, finish, composed.calls)


async def _composed(request: ModelRequest, marked: Markers) -> Composed:
    is_long = sum(len(text_of(message.content)) for message in request.conversation) > _LONG
    if is_long or request.response_format or request.tools:
        return await pools.TEXT.run(compose, request, marked)
    return compose(request, marked)


def _seconds(marked: Markers) -> float:
    number = marked.numbers.get("slow", 0)
    return 1 if number is None else number
