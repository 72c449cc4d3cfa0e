"""Change protected rows as an owner of the database could, past the triggers."""

from typing import Any

from teamspace.core.db import Tx

_TRIGGERS = ("audit_unchanged", "audit_undeleted")


async def tamper(tx: Tx, sql: str, **params: Any) -> None:
    """Run a statement without the audit triggers. PostgreSQL restores them after the transaction, SQLite does not."""
    if tx.dialect.name == "postgres":
        await tx.run("SET LOCAL session_replication_role = replica")
    else:
        for trigger in _TRIGGERS:
            await tx.run(f"DROP TRIGGER IF EXISTS {trigger}")
    await tx.run(sql, **params)
