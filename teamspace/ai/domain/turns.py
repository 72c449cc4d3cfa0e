"""One turn with a model, and what it will probably cost."""

from typing import Protocol

from teamspace.ai.domain.models import Model
from teamspace.ai.schemas import ChatInput, ChatResult
from teamspace.completions import tokens
from teamspace.core.db import Db
from teamspace.jobs import Work
from teamspace.quota import Spend

USUAL_ANSWER = 512
"""Tokens reserved for an answer of unknown length: the worst case would turn idle teams away."""


class Models(Protocol):
    def of(self, db: Db, executor_id: str, *, attempt: int) -> Model:
        """The model of an executor that this server works for."""
        ...


async def chat(db: Db, input: ChatInput, work: Work, models: Models) -> ChatResult:
    model = models.of(db, work.executor_id, attempt=work.attempt)
    answer = await model.turn(input.turn)
    return ChatResult(answer.text, answer.usage, answer.model, answer.finish_reason)


def estimate(input: ChatInput) -> Spend:
    asked = sum(tokens(message.content) for message in input.turn.messages)
    return Spend(1, asked + min(input.max_tokens or USUAL_ANSWER, USUAL_ANSWER))
