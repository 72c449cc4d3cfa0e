"""One chat turn with a model, and its estimated cost."""

from typing import Protocol

from teamspace.ai.domain.models import Model
from teamspace.completions import ModelAnswer, ModelRequest, estimate_prompt
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.jobs import JobContext
from teamspace.quota import Spend

TYPICAL_ANSWER = 512
"""Tokens to reserve for an answer of unknown length. Reserving the maximum would refuse requests of idle teams."""


class Models(Protocol):
    def of(self, db: Db, executor_id: str, *, attempt: int, org_id: str) -> Model:
        """Return the model of an executor that this server works for, to be called with a company's data."""
        ...


async def chat(db: Db, who: Principal, input: ModelRequest, work: JobContext, models: Models) -> ModelAnswer:
    model = models.of(db, work.executor_id, attempt=work.attempt, org_id=who.org_id)
    return await model.answer(input)


def estimate(input: ModelRequest) -> Spend:
    return Spend(1, estimate_prompt(input) + min(input.max_tokens or TYPICAL_ANSWER, TYPICAL_ANSWER))
