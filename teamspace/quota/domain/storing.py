"""Room for what is kept: it counts from the transaction that stores it to the one that removes it.

The counters change with the rows they count, in one commit. The company's counter is held from there to the commit,
so that of two who want the last room one gets it.
"""

from collections.abc import AsyncIterator, Sequence

import msgspec

from teamspace.core.db import Reads, Tx
from teamspace.quota import store
from teamspace.quota.domain.spending import refusal
from teamspace.quota.schemas import Bound, Dimension, Level


class Room(msgspec.Struct, frozen=True):
    """What the limits leave, as it was a moment ago: enough to refuse a body before it is read."""

    bounds: tuple[Bound, ...]
    freed: int = 0
    """Bytes that go when the new ones come."""

    def check(self, size: int, objects: int = 0) -> None:
        asked = {Dimension.BYTES: size - self.freed, Dimension.OBJECTS: objects}
        for bound in self.bounds:
            if asked[bound.dimension] > max(0, bound.left or 0):
                raise refusal(bound)

    def within(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The same bytes, up to where there is no room for more."""
        return self._counted(chunks) if self.bounds else chunks

    async def _counted(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in chunks:
            size += len(chunk)
            self.check(size)
            yield chunk


async def room(db: Reads, org_id: str, team_id: str, freed: int = 0) -> Room:
    return Room(_outermost_first(await store.select_storage_bounds(db, org_id, team_id)), freed)


async def store_more(tx: Tx, org_id: str, team_id: str, *, size: int = 0, objects: int = 0) -> None:
    """Enter what this transaction stores, or with negative figures what it removes; nothing where there is no room.

    Best called last: nobody else of the company passes until the commit.
    """
    if not size and not objects:
        return
    await store.add_stored(tx, org_id, team_id, size, objects)
    if size > 0 or objects > 0:
        await _check(tx, org_id, team_id, {Dimension.BYTES: size, Dimension.OBJECTS: objects})


async def _check(tx: Tx, org_id: str, team_id: str, added: dict[Dimension, int]) -> None:
    bounds = await store.select_storage_bounds(tx, org_id, team_id)
    if any(bound.level is Level.TENANT for bound in bounds):
        await tx.lock("storage", "")  # always after the company's counter, so that two never wait for each other
        bounds = await store.select_storage_bounds(tx, org_id, team_id)
    for bound in _outermost_first(bounds):
        # A limit that was lowered may be overdrawn: what adds nothing to it is not stopped by that.
        if added[bound.dimension] > 0 and (bound.left or 0) < 0:
            raise refusal(msgspec.structs.replace(bound, used=bound.used - added[bound.dimension]))


def _outermost_first(bounds: Sequence[Bound]) -> tuple[Bound, ...]:
    levels = list(Level)
    return tuple(sorted(bounds, key=lambda bound: (levels.index(bound.level), bound.dimension)))
