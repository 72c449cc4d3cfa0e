"""Locks of keys: one writer per key at a time."""

from teamspace.core.db import Tx


async def lock_keys(tx: Tx, team_id: str, *keys: str) -> None:
    """Allow one writer per key at a time, even before the row exists, so that version numbers have no gaps."""
    await tx.lock(*key_locks(team_id, *keys))


def key_locks(team_id: str, *keys: str) -> tuple[str, ...]:
    return "object", *(f"{team_id}:{key}" for key in keys)
