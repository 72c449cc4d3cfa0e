"""Executors in SQL: one statement per function, no rules."""

import msgspec

from teamspace.core.db import Fence, Reads, Tx, columns
from teamspace.core.tables import EncryptedColumn, Invariant
from teamspace.executors.schemas import ExecutorRow, ExecutorStatusRow, ModelRoleRow, OfferedRow, PushRow

ENCRYPTED = (EncryptedColumn("executors", "secret", "id"),)

_HEALTH = (
    "CASE WHEN last_seen_at IS NULL THEN 'new' WHEN last_seen_at > moment(-60) THEN 'up'"
    " WHEN last_seen_at > moment(-3600) THEN 'stale' ELSE 'down' END"
)
_RUNNING = "(SELECT COUNT(*) FROM jobs WHERE jobs.executor_id = executors.id AND jobs.state = 'running')"


_SERVES = {
    "any": "model IS NULL",
    "model": "model = :which",
    "push": "mode = 'push'",
    "on": "id = :which",
}
"""Which executors serve a channel, by the first part of `jobs.served_by`."""


async def insert(tx: Tx, row: ExecutorRow, name_key: str, created_by: str, secret: str | None) -> None:
    values = msgspec.structs.asdict(row) | {"capabilities": msgspec.json.encode(row.capabilities).decode()}
    await tx.run(
        "INSERT INTO executors (id, org_id, name, name_key, mode, model, capabilities, token_id, url, secret, fingerprint,"
        " reach, created_by, created_at, last_seen_at) VALUES (:id, :org_id, :name, :name_key, :mode, :model, :capabilities,"
        " :token_id, :url, :secret, :fingerprint, :reach, :created_by, :created_at, :last_seen_at)",
        name_key=name_key, created_by=created_by, secret=secret, **values,
    )  # fmt: skip


async def select(db: Reads, fence: Fence) -> list[ExecutorStatusRow]:
    """Newest first."""
    return await db.all(
        ExecutorStatusRow,
        f"SELECT {columns(ExecutorRow)}, {_HEALTH}, {_RUNNING} FROM executors"
        f" WHERE retired_at IS NULL AND {fence.sql} ORDER BY id DESC",
        **fence.params,
    )


async def select_offered(db: Reads, fence: Fence) -> list[OfferedRow]:
    """Newest first. Counts nothing, since every chat chooses an executor."""
    return await db.all(
        OfferedRow,
        f"SELECT {columns(ExecutorRow)}, {_HEALTH}, mode = 'pull' AND EXISTS (SELECT 1 FROM jobs"
        " WHERE jobs.executor_id = executors.id AND jobs.state = 'running')"
        f" FROM executors WHERE retired_at IS NULL AND {fence.sql} ORDER BY id DESC",
        **fence.params,
    )


async def get(db: Reads, fence: Fence, id: str) -> ExecutorStatusRow | None:
    return await db.one(
        ExecutorStatusRow,
        f"SELECT {columns(ExecutorRow)}, {_HEALTH}, {_RUNNING} FROM executors"
        f" WHERE id = :id AND retired_at IS NULL AND {fence.sql}",
        id=id, **fence.params,
    )  # fmt: skip


async def count(db: Reads, org_id: str) -> int:
    found = await db.one(
        int, "SELECT COUNT(*) FROM executors WHERE org_id = :org_id AND retired_at IS NULL", org_id=org_id
    )
    return found or 0


async def count_running(db: Reads, id: str) -> int:
    found = await db.one(int, "SELECT COUNT(*) FROM jobs WHERE executor_id = :id AND state = 'running'", id=id)
    return found or 0


async def select_push(db: Reads) -> list[ExecutorRow]:
    return await db.all(
        ExecutorRow,
        f"SELECT {columns(ExecutorRow)} FROM executors WHERE mode = 'push' AND retired_at IS NULL ORDER BY id",
    )


async def select_pull(db: Reads) -> list[str]:
    """Select the ids of pull executors."""
    return await db.all(str, "SELECT id FROM executors WHERE mode = 'pull' AND retired_at IS NULL")


async def get_push(db: Reads, id: str) -> PushRow | None:
    return await db.one(
        PushRow,
        f"SELECT {columns(PushRow)} FROM executors WHERE id = :id AND mode = 'push' AND retired_at IS NULL",
        id=id,
    )


async def select_served(tx: Tx, kind: str, how: str, which: str) -> list[str]:
    """Select the companies for which an executor serves a channel; '' means all of them."""
    return await tx.all(
        str,
        "SELECT DISTINCT org_id FROM executors WHERE retired_at IS NULL AND (capabilities = '[]'"
        f" OR capabilities LIKE :takes) AND {_SERVES[how]}",
        takes=f'%"{kind}"%', **({"which": which} if which else {}),
    )  # fmt: skip


async def select_unserved_channels(db: Reads) -> list[str]:
    """Select channels with queued jobs that no worker polled recently. Skips through the index, channel by channel."""
    first = "SELECT MIN(channel) FROM jobs WHERE state = 'queued' AND channel NOT LIKE '%@local'"
    return await db.all(
        str,
        f"WITH RECURSIVE channels (channel) AS ({first} UNION ALL SELECT ({first} AND jobs.channel > channels.channel)"
        " FROM channels WHERE channels.channel IS NOT NULL) SELECT channel FROM channels WHERE channel IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM job_channels WHERE job_channels.channel = channels.channel AND seen_at > moment(-60))",
    )


async def get_by_token(db: Reads, token_id: str) -> ExecutorRow | None:
    return await db.one(
        ExecutorRow,
        f"SELECT {columns(ExecutorRow)} FROM executors WHERE token_id = :token_id AND retired_at IS NULL",
        token_id=token_id,
    )


async def is_active(tx: Tx, id: str) -> bool:
    """Whether the executor is not retired; locks its row (shared) until the transaction ends."""
    return await tx.exists(
        f"SELECT id FROM executors WHERE id = :id AND retired_at IS NULL {tx.dialect.share_lock}", id=id
    )  # fmt: skip


async def may_claim(tx: Tx, id: str, token_id: str) -> bool:
    """Like `is_active`, and the worker token is valid."""
    return await tx.exists(
        "SELECT executors.id FROM executors JOIN tokens ON tokens.id = executors.token_id WHERE executors.id = :id"
        " AND executors.retired_at IS NULL AND tokens.id = :token_id AND tokens.revoked_at IS NULL"
        f" AND (tokens.expires_at IS NULL OR tokens.expires_at > moment(0)) {tx.dialect.share_lock}",
        id=id, token_id=token_id,
    )  # fmt: skip


async def touch(tx: Tx, id: str) -> None:
    await tx.run("UPDATE executors SET last_seen_at = moment(0) WHERE id = :id", id=id)


async def retire(tx: Tx, fence: Fence, id: str) -> ExecutorRow | None:
    return await tx.one(
        ExecutorRow,
        f"UPDATE executors SET retired_at = moment(0), secret = NULL WHERE id = :id AND retired_at IS NULL AND {fence.sql}"
        f" RETURNING {columns(ExecutorRow)}",
        id=id, **fence.params,
    )  # fmt: skip


async def select_model_roles(db: Reads, team_id: str) -> list[ModelRoleRow]:
    return await db.all(
        ModelRoleRow, "SELECT role, executor_id FROM team_model_roles WHERE team_id = :team_id", team_id=team_id
    )


async def put_model_role(tx: Tx, team_id: str, org_id: str, role: str, executor_id: str, now: str) -> None:
    await tx.run(
        "INSERT INTO team_model_roles (team_id, role, org_id, executor_id, updated_at)"
        " VALUES (:team_id, :role, :org_id, :executor_id, :now) ON CONFLICT (team_id, role)"
        " DO UPDATE SET executor_id = excluded.executor_id, updated_at = excluded.updated_at",
        team_id=team_id, role=role, org_id=org_id, executor_id=executor_id, now=now,
    )  # fmt: skip


async def delete_model_role(tx: Tx, team_id: str, role: str) -> None:
    await tx.run("DELETE FROM team_model_roles WHERE team_id = :team_id AND role = :role", team_id=team_id, role=role)


async def delete_model_roles_of(tx: Tx, executor_id: str) -> None:
    """Delete all choices of an executor, which was retired."""
    await tx.run("DELETE FROM team_model_roles WHERE executor_id = :executor_id", executor_id=executor_id)


# fmt: off
INVARIANTS = (
    Invariant("executors.tokens", "an executor's token is a worker token, revoked when the executor is retired",
        "SELECT executors.id FROM executors JOIN tokens ON tokens.id = executors.token_id"
        " WHERE tokens.kind <> 'worker' OR (executors.retired_at IS NOT NULL AND tokens.revoked_at IS NULL)"),
    Invariant("executors.modes", "a pull executor has a token unless retired, a push executor has a URL, and only active push executors have a key",
        "SELECT id FROM executors WHERE (mode = 'pull' AND token_id IS NULL AND retired_at IS NULL)"
        " OR (mode <> 'pull' AND token_id IS NOT NULL) OR (mode = 'push') <> (url IS NOT NULL)"
        " OR (secret IS NOT NULL AND (mode <> 'push' OR retired_at IS NOT NULL))"),
    Invariant("executors.retired", "a retired executor has no running jobs",
        "SELECT jobs.id FROM jobs JOIN executors ON executors.id = jobs.executor_id"
        " WHERE jobs.state = 'running' AND executors.retired_at IS NOT NULL"),
    Invariant("executors.company", "a company's executor only runs jobs of that company",
        "SELECT jobs.id FROM jobs JOIN executors ON executors.id = jobs.executor_id"
        " WHERE jobs.state = 'running' AND executors.org_id NOT IN ('', jobs.org_id)"),
    Invariant("executors.roles", "a team's choice for a role belongs to its company, and so does the executor unless it is shared; it is not retired",
        "SELECT team_model_roles.team_id FROM team_model_roles JOIN teams ON teams.id = team_model_roles.team_id"
        " LEFT JOIN executors ON executors.id = team_model_roles.executor_id WHERE teams.org_id <> team_model_roles.org_id"
        " OR executors.org_id NOT IN ('', teams.org_id) OR executors.retired_at IS NOT NULL"),
)
# fmt: on
