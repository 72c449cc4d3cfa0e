"""A suspended company's jobs wait; what a worker already holds still lands."""

from teamspace.core.db import Tx
from teamspace.jobs import store


async def withdraw(tx: Tx, org_id: str) -> None:
    await store.withdraw_company(tx, org_id)
