"""How jobs react to changes of companies, plans and limits."""

from teamspace.core.db import Tx
from teamspace.core.tables import On
from teamspace.jobs.domain import suspension
from teamspace.quota import LimitChanged
from teamspace.tenancy import CompanyResumed, CompanySuspended, PlanChanged

LISTENERS = (
    On(CompanySuspended, "company_suspended", "Admitted jobs of the company go back to the backlog."),
    On(CompanyResumed,   "company_resumed",   "Jobs of the company are admitted again within a second."),
    On(PlanChanged,      "plan_changed",      "Admitted jobs above the new cap go back to the backlog; if the cap is higher, more are admitted."),
    On(LimitChanged,     "limit_changed",     "Jobs parked for a quota are retried within a second."),
)  # fmt: skip


async def company_suspended(tx: Tx, event: CompanySuspended) -> None:
    await suspension.withdraw(tx, event.org_id)


async def company_resumed(tx: Tx, event: CompanyResumed) -> None:
    await suspension.resume(tx, event.org_id)


async def plan_changed(tx: Tx, event: PlanChanged) -> None:
    await suspension.apply_plan(tx, event.org_id, event.plan)


async def limit_changed(tx: Tx, event: LimitChanged) -> None:
    await suspension.unpark(tx, event.org_id)
