"""Model work as jobs."""

from teamspace.ai.domain import turns
from teamspace.ai.domain.turns import Models
from teamspace.ai.schemas import ChatInput, ChatResult
from teamspace.core.db import Db
from teamspace.core.permissions import Feature, Permission
from teamspace.core.tables import Job
from teamspace.jobs import Work
from teamspace.quota import Spend

JOBS = (
    Job("ai.chat", "chat", "One turn with a model: text in, text out.", callable=True, remote=True,
        permission=Permission.CHAT_USE, feature=Feature.CHAT, estimate="estimate", spent="spent"),
)  # fmt: skip


async def chat(db: Db, input: ChatInput, work: Work, models: Models) -> ChatResult:
    return await turns.chat(db, input, work, models)


def estimate(input: ChatInput) -> Spend:
    return turns.estimate(input)


def spent(result: ChatResult) -> Spend:
    return Spend(1, result.usage.total_tokens)
