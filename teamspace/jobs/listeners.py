"""What happens to companies, as far as their jobs are concerned."""

from teamspace.core.db import Tx
from teamspace.core.tables import On
from teamspace.jobs.domain import gate
from teamspace.tenancy import CompanySuspended, PlanChanged

LISTENERS = (
    On(CompanySuspended, "company_suspended", "Its jobs that nobody has taken yet go back to wait."),
    On(PlanChanged, "plan_changed", "Those of its jobs that were let in beyond the new cap go back to wait."),
)


async def company_suspended(tx: Tx, event: CompanySuspended) -> None:
    await gate.withdraw(tx, event.org_id)


async def plan_changed(tx: Tx, event: PlanChanged) -> None:
    await gate.fit(tx, event.org_id, event.plan)
