"""What a model is to the rest of the house: messages in, an answer and its cost out."""

from typing import Protocol

from teamspace.ai.schemas import Answer, TokenUsage, Turn

__all__ = ["Answer", "Model", "TokenUsage", "Turn"]


class Model(Protocol):
    async def turn(self, turn: Turn) -> Answer:
        """One answer. What cannot be had is an ExecutorFailed with a reason that may be shown."""
        ...


def tokens(text: str) -> int:
    """A rough count, for estimates and for models that do not count: four letters make a token."""
    return -(-len(text) // 4)
