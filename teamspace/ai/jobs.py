"""Job kinds that use a model."""

from teamspace.ai.domain import turns
from teamspace.ai.domain.turns import Models
from teamspace.completions import ModelAnswer, ModelRequest
from teamspace.core.db import Db
from teamspace.core.permissions import Feature, Permission
from teamspace.core.principal import Principal
from teamspace.core.tables import JobSpec
from teamspace.jobs import JobContext
from teamspace.quota import Spend

JOBS = (
    JobSpec("ai.chat", "chat", "One chat turn with a model.", callable=True, remote=True,
        permission=Permission.CHAT_USE, feature=Feature.CHAT, estimate="estimate", spent="spent"),
)  # fmt: skip


async def chat(db: Db, who: Principal, input: ModelRequest, work: JobContext, models: Models) -> ModelAnswer:
    return await turns.chat(db, who, input, work, models)


def estimate(input: ModelRequest) -> Spend:
    return turns.estimate(input)


def spent(result: ModelAnswer) -> Spend:
    return Spend(1, result.usage.total_tokens)
