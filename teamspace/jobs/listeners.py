"""What happens to companies, as far as their jobs are concerned."""

from teamspace.core.db import Tx
from teamspace.core.tables import On
from teamspace.jobs.domain import gate
from teamspace.tenancy import CompanySuspended

LISTENERS = (On(CompanySuspended, "company_suspended", "Its jobs that nobody has taken yet go back to wait."),)


async def company_suspended(tx: Tx, event: CompanySuspended) -> None:
    await gate.withdraw(tx, event.org_id)
