"""Job kinds that use a model."""

from teamspace import conversations
from teamspace.ai.domain import gateway, once, resolving, turns
from teamspace.ai.domain.attaching import Library
from teamspace.ai.domain.gateway import Gateway
from teamspace.ai.domain.turns import Turns
from teamspace.ai.schemas import ChatAnswer, ChatInput, IndexConversation, Indexed, TurnInput
from teamspace.completions import ModelAnswer, ModelRequest, structured
from teamspace.core.db import Db, Tx
from teamspace.core.permissions import Feature, Permission
from teamspace.core.principal import Principal
from teamspace.core.tables import JobSpec
from teamspace.events import Streams
from teamspace.jobs import EndedJob, JobContext, Outcome, Queue
from teamspace.quota import Spend

JOBS = (
    JobSpec("ai.chat", "chat", "One answer of a model.", callable=True, remote=True,
        permission=Permission.CHAT_USE, feature=Feature.CHAT, estimate="estimate", spent="spent", verify="verify",
        assign="assign", check="check", ended="end_chat"),
    JobSpec("ai.turn", "turn", "A turn of a chat, which its author waits for.", max_attempts=1, repeatable=False,
        stoppable=True, permission=Permission.CHAT_USE, feature=Feature.CHAT, estimate="estimate_turn", spent="spent_on_turn",
        ended="end_turn"),
    JobSpec("conversation.index", "index", "Index the text of a conversation for the search."),
)  # fmt: skip


async def chat(
    db: Db, who: Principal, input: ChatInput, work: JobContext, gateway: Gateway, library: Library
) -> ModelAnswer:  # fmt: skip
    return await gateway.run_job(db, who, (await resolving.resolve(db, library, who, input)).request, work)


async def verify(db: Db, who: Principal, input: ChatInput, library: Library) -> None:
    await turns.verify(db, library, who, input)


async def assign(db: Db, who: Principal, input: ChatInput, library: Library) -> ModelRequest:
    return (await resolving.resolve(db, library, who, input)).request


def estimate(input: ChatInput) -> Spend:
    return gateway.estimate(resolving.without_references(input))


def spent(result: ModelAnswer) -> Spend:
    return Spend(1, result.usage.total_tokens)


async def check(input: ChatInput, result: ModelAnswer) -> str | None:
    try:
        await structured.judge(resolving.without_references(input), result)
    except structured.SchemaMismatch as mismatch:
        return mismatch.message
    return None


async def end_chat(tx: Tx, job: EndedJob, outcome: Outcome) -> None:
    await once.end_chat(tx, job, outcome)


async def turn(db: Db, who: Principal, input: TurnInput, work: JobContext, turns: Turns) -> ChatAnswer:
    return await turns.run(db, who, input, work)


def estimate_turn(input: TurnInput) -> Spend:
    return turns.estimate(input)


def spent_on_turn(result: ChatAnswer) -> Spend:
    return Spend(1, result.usage.total_tokens)


async def end_turn(tx: Tx, job: EndedJob, outcome: Outcome, streams: Streams, queue: Queue) -> None:
    await turns.end(tx, job, outcome, streams, queue)


async def index(db: Db, who: Principal, input: IndexConversation) -> Indexed:
    await conversations.index(db, who, input.conversation_id)
    return Indexed()
