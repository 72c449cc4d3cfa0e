"""A model that is none: it answers at once, always the same, and says what it is. For trying things and for tests.

Where SERVICE_SIMULATE is on, words in the prompt make it misbehave as real ones do: `[simulate:stop]` stops early, `[simulate:hang]` never
answers, `[simulate:fail]` fails, `[simulate:fail:2]` fails in the first two attempts, and `[simulate:slow:3]` takes
three seconds.
"""

import asyncio
import re

from teamspace.ai.schemas import Answer, Speaker, TokenUsage, Turn
from teamspace.completions import tokens
from teamspace.core.errors import ExecutorFailed

NAME = "simulated"
_FAULT = re.compile(r"\[simulate:(stop|hang|fail|slow)(?::(\d{1,4}))?\]")


class Simulated:
    def __init__(self, attempt: int = 1, *, misbehaves: bool = False) -> None:
        """`misbehaves` when it is told to; else such words are like any others."""
        self._attempt, self._misbehaves = attempt, misbehaves

    async def turn(self, turn: Turn) -> Answer:
        asked = next((message.content for message in reversed(turn.messages) if message.role is Speaker.USER), "")
        text, finish = await self._answer(asked), "stop"
        if turn.max_tokens is not None and tokens(text) > turn.max_tokens:
            text, finish = text[: 4 * turn.max_tokens], "length"
        prompt = sum(tokens(message.content) for message in turn.messages)
        return Answer(text, turn.model or NAME, TokenUsage(prompt, tokens(text), prompt + tokens(text)), finish)

    async def _answer(self, asked: str) -> str:
        whole = f"This is the simulated model: no real one is set up. You said: {asked}"
        for fault, number in _FAULT.findall(asked) if self._misbehaves else ():
            if fault == "stop":
                return whole[: len(whole) // 2]
            if fault == "hang":
                await asyncio.sleep(3600)
            if fault == "slow":
                await asyncio.sleep(float(number or 1))
            if fault == "fail" and (not number or self._attempt <= int(number)):
                raise ExecutorFailed("The simulated model fails, as it was told to.")
        return whole
