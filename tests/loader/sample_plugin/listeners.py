"""Listeners of the sample plugin."""

from teamspace.core.db import Tx
from teamspace.core.tables import On
from teamspace.tenancy import CompanySuspended

LISTENERS = (On(CompanySuspended, "remember", "Remembers suspended companies."),)

SUSPENDED: list[str] = []


async def remember(tx: Tx, event: CompanySuspended) -> None:
    SUSPENDED.append(event.org_id)
