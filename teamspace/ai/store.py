"""Answers of models that are kept, in SQL."""

from teamspace.core.db import Fence, Reads, Tx
from teamspace.core.tables import Invariant


async def find_answer(db: Reads, fence: Fence, digest: str, since: str) -> str | None:
    return await db.one(
        str, f"SELECT answer FROM model_answers WHERE {fence.sql} AND digest = :digest AND created_at >= :since",
        digest=digest, since=since, **fence.params,
    )  # fmt: skip


async def put_answer(tx: Tx, org_id: str, team_id: str, digest: str, key: str, answer: str, now: str) -> None:
    await tx.run(
        "INSERT INTO model_answers (team_id, digest, org_id, key, answer, created_at)"
        " VALUES (:team_id, :digest, :org_id, :key, :answer, :now) ON CONFLICT (team_id, digest)"
        " DO UPDATE SET answer = excluded.answer, created_at = excluded.created_at",
        team_id=team_id, digest=digest, org_id=org_id, key=key, answer=answer, now=now,
    )  # fmt: skip


async def delete_of_calls(tx: Tx, first_key: str, last_key: str) -> None:
    """Delete the answers to calls with keys between these."""
    await tx.run(
        "DELETE FROM model_answers WHERE key <> '' AND key BETWEEN :first_key AND :last_key",
        first_key=first_key, last_key=last_key,
    )  # fmt: skip


async def delete_beyond(tx: Tx, team_id: str, keep: int) -> None:
    """Delete all but the newest answers of a team."""
    await tx.run(
        "DELETE FROM model_answers WHERE team_id = :team_id AND created_at <= (SELECT created_at FROM model_answers"
        " WHERE team_id = :team_id ORDER BY created_at DESC LIMIT 1 OFFSET :keep)",
        team_id=team_id, keep=keep,
    )  # fmt: skip


async def delete_old(tx: Tx, limit: int, before: str) -> list[str]:
    return await tx.all(
        str,
        "DELETE FROM model_answers WHERE (team_id, digest) IN (SELECT team_id, digest FROM model_answers"
        " WHERE created_at < :before ORDER BY created_at LIMIT :limit) RETURNING digest",
        before=before, limit=limit,
    )  # fmt: skip


# fmt: off
INVARIANTS = (
    Invariant("ai.answers", "a kept answer of a model belongs to the team's company",
        "SELECT a.digest FROM model_answers a JOIN teams t ON t.id = a.team_id WHERE a.org_id <> t.org_id"),
)
# fmt: on
