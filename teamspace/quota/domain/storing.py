"""Storage quotas: content counts from the transaction that stores it to the one that deletes it.

The counters change in the same commit as the rows they count. The company's counter is locked until the commit, so
two writers cannot both use the last remaining bytes.
"""

from collections.abc import AsyncIterator, Sequence

import msgspec

from teamspace.core import clock
from teamspace.core.db import Reads, Tx
from teamspace.quota import store
from teamspace.quota.domain.shards import shard_of
from teamspace.quota.domain.spending import refusal
from teamspace.quota.schemas import Dimension, Level, LimitState


class StorageRoom(msgspec.Struct, frozen=True):
    """What the limits allowed a moment ago, without locks: used to refuse a body before reading it."""

    limits: tuple[LimitState, ...]
    freed: int = 0
    """Bytes that the new content replaces."""

    def check(self, size: int, objects: int = 0) -> None:
        requested = {Dimension.BYTES: size - self.freed, Dimension.OBJECTS: objects}
        for limit in self.limits:
            if requested[limit.dimension] > max(0, limit.remaining or 0):
                raise refusal(limit)

    def limit_stream(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Yield the same chunks, and raise QuotaExceeded as soon as they exceed a limit."""
        return self._count(chunks) if self.limits else chunks

    async def _count(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in chunks:
            size += len(chunk)
            self.check(size)
            yield chunk


async def storage_room(db: Reads, org_id: str, team_id: str, freed: int = 0) -> StorageRoom:
    return StorageRoom(_outermost_first(await store.select_storage_limits(db, org_id, team_id)), freed)


async def add_stored(tx: Tx, org_id: str, team_id: str, *, size: int = 0, objects: int = 0) -> None:
    """Count what this transaction stores, or deletes (negative figures); raise QuotaExceeded if it exceeds a limit.

    Call it last: it blocks other writers of the company until the commit.
    """
    if not size and not objects:
        return
    shard = shard_of(org_id)
    await store.add_stored(tx, org_id, team_id, shard, size, objects)
    if size > 0 or objects > 0:
        await _check(tx, org_id, team_id, {Dimension.BYTES: size, Dimension.OBJECTS: objects})
    await store.add_stored_day(tx, org_id, team_id, shard, clock.stamp()[:10], size, objects)


async def _check(tx: Tx, org_id: str, team_id: str, added: dict[Dimension, int]) -> None:
    limits = await store.select_storage_limits(tx, org_id, team_id)
    if any(limit.level is Level.TENANT for limit in limits):
        await tx.lock("storage", "")  # always after the company's counter, to avoid deadlocks
        limits = await store.select_storage_limits(tx, org_id, team_id)
    for limit in _outermost_first(limits):
        # A lowered limit can already be exceeded: that must not refuse a write that adds nothing to it.
        if added[limit.dimension] > 0 and (limit.remaining or 0) < 0:
            raise refusal(msgspec.structs.replace(limit, used=limit.used - added[limit.dimension]))


def _outermost_first(limits: Sequence[LimitState]) -> tuple[LimitState, ...]:
    levels = list(Level)
    return tuple(sorted(limits, key=lambda limit: (levels.index(limit.level), limit.dimension)))
