"""The simulated model: answers at once with a fixed text. For demonstrations and tests.

If SERVICE_SIMULATE is on, markers in the prompt make it misbehave like real models: `[simulate:stop]` stops early,
`[simulate:hang]` never answers, `[simulate:fail]` fails, `[simulate:fail:2]` fails in the first two attempts, and
`[simulate:slow:3]` takes three seconds.
"""

import asyncio
import re

from teamspace.completions import ModelAnswer, ModelRequest, estimate_tokens, estimate_usage, text_of
from teamspace.core.errors import ExecutorFailed

NAME = "simulated"
_FAULT = re.compile(r"\[simulate:(stop|hang|fail|slow)(?::(\d{1,4}))?\]")


class Simulated:
    def __init__(self, attempt: int = 1, *, misbehaves: bool = False) -> None:
        """With `misbehaves`, markers in the prompt take effect; otherwise they are ordinary text."""
        self._attempt, self._misbehaves = attempt, misbehaves

    async def answer(self, request: ModelRequest) -> ModelAnswer:
        text, finish = await self._answer(text_of(request.conversation[-1].content)), "stop"
        if request.max_tokens is not None and estimate_tokens(text) > request.max_tokens:
            text, finish = text[: 4 * request.max_tokens], "length"
        return ModelAnswer(text, estimate_usage(request, text), request.model or NAME, finish)

    async def _answer(self, prompt: str) -> str:
        text = f"This is the simulated model: no real one is set up. You said: {prompt}"
        for fault, number in _FAULT.findall(prompt) if self._misbehaves else ():
            if fault == "stop":
                return text[: len(text) // 2]
            if fault == "hang":
                await asyncio.sleep(3600)
            if fault == "slow":
                await asyncio.sleep(float(number or 1))
            if fault == "fail" and (not number or self._attempt <= int(number)):
                raise ExecutorFailed("ai.simulated_failure")
        return text
