"""A suspended company's jobs wait, and a smaller plan lets fewer in; what a worker already holds still lands."""

from teamspace import quota
from teamspace.core.db import Tx
from teamspace.jobs import store


async def withdraw(tx: Tx, org_id: str) -> None:
    await store.withdraw_company(tx, org_id)


async def reopen(tx: Tx, org_id: str) -> None:
    """The next sweep lets in what waits."""
    await store.mark(tx, org_id)


async def fit(tx: Tx, org_id: str, plan: quota.Plan) -> None:
    await store.withdraw_beyond(tx, org_id, quota.JOB_CAPS[plan])
    await store.mark(tx, org_id)


async def unpark(tx: Tx, org_id: str) -> None:
    """The next sweep has them claimed again, and parked again for what binds them now."""
    await store.end_parking(tx, org_id)
