"""Withdraw admitted jobs when a company is suspended or its plan allows fewer. Running jobs can still finish."""

from teamspace import quota
from teamspace.core.db import Tx
from teamspace.jobs import store


async def withdraw(tx: Tx, org_id: str) -> None:
    await store.withdraw_company(tx, org_id)


async def resume(tx: Tx, org_id: str) -> None:
    """Have the next sweep admit the company's waiting jobs."""
    await store.mark_changed(tx, org_id)


async def apply_plan(tx: Tx, org_id: str, plan: quota.Plan) -> None:
    await store.withdraw_beyond(tx, org_id, quota.JOB_CAPS[plan])
    await store.mark_changed(tx, org_id)


async def unpark(tx: Tx, org_id: str) -> None:
    """Have the next sweep retry the company's parked jobs; the claim parks them again if a quota still requires it."""
    await store.end_parking_delay(tx, org_id)
