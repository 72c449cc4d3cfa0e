"""Whether the server can do its work: for whoever decides where requests go."""

import asyncio
import time
from collections.abc import Awaitable

from teamspace.blobs import BlobStore
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import NotReady, Refusal
from teamspace.core.limits import Stopping
from teamspace.instance.schemas import Ready

_FRESH_FOR = 1.0
_PATIENCE = 5.0


class Readiness:
    """Looks at most once a second, however many ask."""

    def __init__(self, stopping: Stopping) -> None:
        self._stopping = stopping
        self._faults: list[str] = []
        self._looked_at = float("-inf")
        self._look = asyncio.Lock()

    async def check(self, db: Db, files: BlobStore) -> Ready:
        if self._stopping:
            raise NotReady("The server is stopping.")
        async with self._look:
            if time.monotonic() - self._looked_at > _FRESH_FOR:
                self._faults = await _faults(db, files)
                self._looked_at = time.monotonic()
        if self._faults:
            raise NotReady(" ".join(self._faults))
        return Ready(ready=True)


async def _faults(db: Db, files: BlobStore) -> list[str]:
    if db.outdated:
        return ["The database belongs to a newer server."]
    found = await asyncio.gather(
        _fault("The database", db.holds("SELECT 1")), _fault("The blob store", pools.UPKEEP.run(files.check))
    )
    return [fault for fault in found if fault]


async def _fault(what: str, look: Awaitable[object]) -> str | None:
    try:
        async with asyncio.timeout(_PATIENCE):
            await look
    except (TimeoutError, Refusal, OSError):
        return f"{what} does not answer."
    return None
