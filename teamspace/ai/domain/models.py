"""What a model is to the rest of the house: messages in, an answer and its cost out."""

from typing import Protocol

from teamspace.ai.schemas import Answer, Turn


class Model(Protocol):
    async def turn(self, turn: Turn) -> Answer:
        """One answer. What cannot be had is an ExecutorFailed with a reason that may be shown."""
        ...
