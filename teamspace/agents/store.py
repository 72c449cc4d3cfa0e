"""Agents in SQL: the steps of runs."""

from teamspace.agents.schemas import StepRow
from teamspace.core.db import Fence, Reads, Tx, columns
from teamspace.core.tables import Invariant
from teamspace.quota import QuotaAccount


async def insert(tx: Tx, account: QuotaAccount, row: StepRow, kind: str) -> None:
    await tx.run(
        "INSERT INTO agent_steps (run_id, number, org_id, team_id, user_id, kind, data)"
        " VALUES (:run_id, :number, :org_id, :team_id, :user_id, :kind, :data)",
        run_id=row.run_id, number=row.number, org_id=account.org_id, team_id=account.team_id, user_id=account.user_id,
        kind=kind, data=row.data,
    )  # fmt: skip


async def select(db: Reads, fence: Fence, run_id: str) -> list[StepRow]:
    return await db.all(
        StepRow,
        f"SELECT {columns(StepRow)} FROM agent_steps WHERE run_id = :run_id AND {fence.sql} ORDER BY number",
        run_id=run_id, **fence.params,
    )  # fmt: skip


async def has_steps(db: Reads, fence: Fence, run_id: str) -> bool:
    return await db.exists(
        f"SELECT 1 FROM agent_steps WHERE run_id = :run_id AND {fence.sql} LIMIT 1", run_id=run_id, **fence.params
    )


async def copy(tx: Tx, fence: Fence, run_id: str, target: str, until: int) -> None:
    """Copy the steps of a run to another, up to this number."""
    await tx.run(
        "INSERT INTO agent_steps (run_id, number, org_id, team_id, user_id, kind, data)"
        " SELECT :target, number, org_id, team_id, user_id, kind, data FROM agent_steps"
        f" WHERE run_id = :run_id AND number <= :until AND {fence.sql}",
        target=target, run_id=run_id, until=until, **fence.params,
    )  # fmt: skip


async def delete(tx: Tx, run_id: str) -> None:
    await tx.run("DELETE FROM agent_steps WHERE run_id = :run_id", run_id=run_id)


async def delete_older(tx: Tx, limit: int, before: str) -> list[str]:
    """Delete steps of runs with an id before this one; ids are ordered by time."""
    return await tx.all(
        str,
        "DELETE FROM agent_steps WHERE (run_id, number) IN (SELECT run_id, number FROM agent_steps"
        " WHERE run_id < :before ORDER BY run_id LIMIT :limit) RETURNING run_id",
        before=before, limit=limit,
    )  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("agents.company", "a step's team belongs to its company",
        "SELECT agent_steps.run_id FROM agent_steps JOIN teams ON teams.id = agent_steps.team_id"
        " WHERE teams.org_id <> agent_steps.org_id"),
)
# fmt: on
