"""The job kind of a run's steps."""

from collections.abc import Sequence

from teamspace.core.db import Db, Tx
from teamspace.core.permissions import Feature, Permission
from teamspace.core.principal import Principal
from teamspace.core.tables import JobSpec
from teamspace.jobs import EndedJob, Outcome, Queue
from teamspace.tools import Toolbox
from teamspace.workflows.domain import advancing, stepping
from teamspace.workflows.schemas import StepInput, StepResult

JOBS = (
    JobSpec("workflow.step", "run_step", "One item of one step of a run.", max_attempts=1, retries_refusals=True,
        seconds=1800, permission=Permission.WORKFLOWS_RUN, feature=Feature.WORKFLOWS, run_ended="steps_ended"),
)  # fmt: skip


async def run_step(db: Db, who: Principal, input: StepInput, toolbox: Toolbox) -> StepResult:
    return await stepping.run_step(db, who, input, toolbox)


async def steps_ended(tx: Tx, ended: Sequence[tuple[EndedJob, Outcome]], queue: Queue) -> None:
    await advancing.jobs_ended(tx, ended, queue)
