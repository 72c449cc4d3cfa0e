"""Delete or change any number of rows without holding up other requests: a batch at a time, each in its own transaction."""

from collections.abc import Awaitable, Callable, Sized

from teamspace.core.db.handles import Db, Tx
from teamspace.core.principal import system

BATCH = 500


async def in_batches(db: Db, write: Callable[[Tx, int], Awaitable[Sized]], size: int = BATCH) -> None:
    """Call `write`, which takes at most that many rows and returns something about each, until fewer are left."""
    while True:
        async with db.maintenance(system()) as tx:
            written = await write(tx, size)
        if len(written) < size:
            return
