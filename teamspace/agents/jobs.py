"""The job kind of an agent's run."""

from teamspace.agents.domain import runs
from teamspace.agents.domain.runs import Agents
from teamspace.agents.schemas import AgentAnswer, AgentInput, Step
from teamspace.core.db import Db, Reads, Tx
from teamspace.core.permissions import Feature, Permission
from teamspace.core.principal import Principal
from teamspace.core.tables import JobSpec
from teamspace.events import Streams
from teamspace.jobs import EndedJob, JobContext, Outcome, Queue

JOBS = (
    JobSpec("ai.agent", "run", "A run of the agent, which its author waits for.", max_attempts=1, parks=False,
        stoppable=True, permission=Permission.CHAT_USE, feature=Feature.AGENT, ended="end_run", steps="steps",
        asks_models=True),
)  # fmt: skip


async def run(db: Db, who: Principal, input: AgentInput, work: JobContext, agents: Agents) -> AgentAnswer:
    return await agents.run(db, who, input, work)


async def end_run(tx: Tx, job: EndedJob, outcome: Outcome, streams: Streams, queue: Queue) -> None:
    await runs.end(tx, job, outcome, streams, queue)


async def steps(db: Reads, who: Principal, job_id: str) -> list[Step]:
    return await runs.list_steps(db, who, job_id)
