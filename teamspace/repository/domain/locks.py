"""Locks of keys: one writer per key at a time."""

from teamspace.core.db import Tx
from teamspace.repository import store
from teamspace.repository.schemas import ObjectRow


async def lock_keys(tx: Tx, team_id: str, *keys: str) -> None:
    """Allow one writer per key at a time, even before the row exists, so that version numbers have no gaps."""
    await tx.lock(*key_locks(team_id, *keys))


async def lock_object(tx: Tx, row: ObjectRow, *others: str) -> None:
    """Lock the key of an object, and `others`, names of further locks. Read the object again afterwards.

    A move changes the key, so what was read before the lock may be a key that the object has left.
    """
    key: str | None = row.key
    locked = None
    while key is not None and key != locked:
        await tx.lock("object", *dict.fromkeys((f"{row.team_id}:{key}", *others)))
        locked, key = key, await store.get_key(tx, row.id)


def key_locks(team_id: str, *keys: str) -> tuple[str, ...]:
    return "object", *(f"{team_id}:{key}" for key in keys)
