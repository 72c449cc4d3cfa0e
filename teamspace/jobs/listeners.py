"""What happens to companies, as far as their jobs are concerned."""

from teamspace.core.db import Tx
from teamspace.core.tables import On
from teamspace.jobs.domain import gate
from teamspace.quota import LimitChanged
from teamspace.tenancy import CompanyResumed, CompanySuspended, PlanChanged

LISTENERS = (
    On(CompanySuspended, "company_suspended", "Its jobs that nobody has taken yet go back to wait."),
    On(CompanyResumed,   "company_resumed",   "Its jobs have their turn within a second."),
    On(PlanChanged,      "plan_changed",      "Those beyond the new cap go back to wait; if it is higher, others have their turn."),
    On(LimitChanged,     "limit_changed",     "Jobs that were parked for want of quota are tried within a second."),
)  # fmt: skip


async def company_suspended(tx: Tx, event: CompanySuspended) -> None:
    await gate.withdraw(tx, event.org_id)


async def company_resumed(tx: Tx, event: CompanyResumed) -> None:
    await gate.reopen(tx, event.org_id)


async def plan_changed(tx: Tx, event: PlanChanged) -> None:
    await gate.fit(tx, event.org_id, event.plan)


async def limit_changed(tx: Tx, event: LimitChanged) -> None:
    await gate.unpark(tx, event.org_id)
