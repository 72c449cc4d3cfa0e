"""Executors in SQL: one statement per function, no rules."""

import msgspec

from teamspace.core.db import Fence, Reads, Tx, columns
from teamspace.core.tables import Invariant, SealedColumn
from teamspace.executors.schemas import ExecutorRow, PushRow, SeenRow

SEALED = (SealedColumn("executors", "secret", "id"),)

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
"""When an executor serves a place, by what its workers have in common."""


async def insert(tx: Tx, row: ExecutorRow, name_key: str, created_by: str, secret: str | None) -> None:
    values = msgspec.structs.asdict(row) | {"capabilities": msgspec.json.encode(row.capabilities).decode()}
    await tx.run(
        "INSERT INTO executors (id, org_id, name, name_key, mode, model, capabilities, token_id, url, secret, fingerprint,"
        " reach, created_by, created_at, last_seen_at) VALUES (:id, :org_id, :name, :name_key, :mode, :model, :capabilities,"
        " :token_id, :url, :secret, :fingerprint, :reach, :created_by, :created_at, :last_seen_at)",
        name_key=name_key, created_by=created_by, secret=secret, **values,
    )  # fmt: skip


async def select(db: Reads, fence: Fence) -> list[SeenRow]:
    """Newest first."""
    return await db.all(
        SeenRow,
        f"SELECT {columns(ExecutorRow)}, {_HEALTH}, {_RUNNING} FROM executors"
        f" WHERE retired_at IS NULL AND {fence.sql} ORDER BY id DESC",
        **fence.params,
    )


async def get(db: Reads, fence: Fence, id: str) -> SeenRow | None:
    return await db.one(
        SeenRow,
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
    """Those whose workers come by themselves."""
    return await db.all(str, "SELECT id FROM executors WHERE mode = 'pull' AND retired_at IS NULL")


async def get_push(db: Reads, id: str) -> PushRow | None:
    return await db.one(
        PushRow,
        f"SELECT {columns(PushRow)} FROM executors WHERE id = :id AND mode = 'push' AND retired_at IS NULL",
        id=id,
    )


async def select_served(tx: Tx, kind: str, how: str, which: str) -> list[str]:
    """For which companies an executor serves a place; empty is all of them."""
    return await tx.all(
        str,
        "SELECT DISTINCT org_id FROM executors WHERE retired_at IS NULL AND (capabilities = '[]'"
        f" OR capabilities LIKE :takes) AND {_SERVES[how]}",
        takes=f'%"{kind}"%', **({"which": which} if which else {}),
    )  # fmt: skip


async def select_stranded_places(db: Reads) -> list[str]:
    """Where jobs wait, and nobody has asked for work lately: from place to place, however many jobs wait there."""
    first = "SELECT MIN(place) FROM jobs WHERE state = 'queued' AND place NOT LIKE '%@local'"
    return await db.all(
        str,
        f"WITH RECURSIVE places (place) AS ({first} UNION ALL SELECT ({first} AND jobs.place > places.place)"
        " FROM places WHERE places.place IS NOT NULL) SELECT place FROM places WHERE place IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM job_places WHERE job_places.place = places.place AND seen_at > moment(-60))",
    )


async def get_by_token(db: Reads, token_id: str) -> ExecutorRow | None:
    return await db.one(
        ExecutorRow,
        f"SELECT {columns(ExecutorRow)} FROM executors WHERE token_id = :token_id AND retired_at IS NULL",
        token_id=token_id,
    )


async def is_active(tx: Tx, id: str) -> bool:
    """Whether it is there, and stays until this transaction ends."""
    return await tx.holds(
        f"SELECT id FROM executors WHERE id = :id AND retired_at IS NULL {tx.dialect.share}", id=id
    )  # fmt: skip


async def may_claim(tx: Tx, id: str, token_id: str) -> bool:
    """The same, and that its workers' token holds."""
    return await tx.holds(
        "SELECT executors.id FROM executors JOIN tokens ON tokens.id = executors.token_id WHERE executors.id = :id"
        " AND executors.retired_at IS NULL AND tokens.id = :token_id AND tokens.revoked_at IS NULL"
        f" AND (tokens.expires_at IS NULL OR tokens.expires_at > moment(0)) {tx.dialect.share}",
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


# fmt: off
INVARIANTS = (
    Invariant("executors.tokens", "a worker token belongs to an executor, and ends with it",
        "SELECT executors.id FROM executors JOIN tokens ON tokens.id = executors.token_id"
        " WHERE tokens.kind <> 'worker' OR (executors.retired_at IS NOT NULL AND tokens.revoked_at IS NULL)"),
    Invariant("executors.modes", "a pull executor has a token, until long after it is retired, and a push executor an address",
        "SELECT id FROM executors WHERE (mode = 'pull' AND token_id IS NULL AND retired_at IS NULL)"
        " OR (mode <> 'pull' AND token_id IS NOT NULL) OR (mode = 'push') <> (url IS NOT NULL)"
        " OR (secret IS NOT NULL AND (mode <> 'push' OR retired_at IS NOT NULL))"),
    Invariant("executors.retired", "an executor that is retired holds no job",
        "SELECT jobs.id FROM jobs JOIN executors ON executors.id = jobs.executor_id"
        " WHERE jobs.state = 'running' AND executors.retired_at IS NOT NULL"),
    Invariant("executors.company", "an executor of a company holds that company's jobs alone",
        "SELECT jobs.id FROM jobs JOIN executors ON executors.id = jobs.executor_id"
        " WHERE jobs.state = 'running' AND executors.org_id NOT IN ('', jobs.org_id)"),
)
# fmt: on
