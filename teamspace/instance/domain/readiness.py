"""The readiness check for load balancers."""

import asyncio
import time
from collections.abc import Awaitable

from teamspace.blobs import BlobStore
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import NotReady, Refusal
from teamspace.core.limits import Stopping
from teamspace.core.messages import Key
from teamspace.instance.schemas import Ready

_CACHE_SECONDS = 1.0
_TIMEOUT_SECONDS = 5.0


class Readiness:
    """Checks at most once a second, however many requests there are."""

    def __init__(self, stopping: Stopping) -> None:
        self._stopping = stopping
        self._fault: Key | None = None
        self._checked_at = float("-inf")
        self._lock = asyncio.Lock()

    async def check(self, db: Db, files: BlobStore) -> Ready:
        if self._stopping.announced:
            raise NotReady("ready.stopping")
        async with self._lock:
            if time.monotonic() - self._checked_at > _CACHE_SECONDS:
                self._fault = await _find_fault(db, files)
                self._checked_at = time.monotonic()
        if self._fault:
            raise NotReady(self._fault)
        return Ready(ready=True)


_SILENT: dict[tuple[bool, bool], Key] = {
    (False, True): "ready.database",
    (True, False): "ready.files",
    (False, False): "ready.database_and_files",
}
"""By whether the database and the blob store respond."""


async def _find_fault(db: Db, files: BlobStore) -> Key | None:
    if db.outdated:
        return "ready.outdated"
    database, blob_store = await asyncio.gather(
        _responds(db.exists("SELECT 1")), _responds(pools.UPKEEP.run(files.check))
    )
    return _SILENT.get((database, blob_store))


async def _responds(check: Awaitable[object]) -> bool:
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            await check
    except (TimeoutError, Refusal, OSError):
        return False
    return True
