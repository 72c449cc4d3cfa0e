"""Changing what cannot be changed: as whoever owns the database could, past its triggers."""

from typing import Any

from teamspace.core.db import Tx

_TRIGGERS = ("audit_unchanged", "audit_undeleted")


async def tamper(tx: Tx, sql: str, **params: Any) -> None:
    """On PostgreSQL the triggers are there again after the transaction; a SQLite file is the test's own."""
    if tx.dialect.name == "postgres":
        await tx.run("SET LOCAL session_replication_role = replica")
    else:
        for trigger in _TRIGGERS:
            await tx.run(f"DROP TRIGGER IF EXISTS {trigger}")
    await tx.run(sql, **params)
