"""The readiness check for load balancers."""

import asyncio
import time
from collections.abc import Awaitable

from teamspace.blobs import BlobStore
from teamspace.core import pools
from teamspace.core.db import Db
from teamspace.core.errors import NotReady, Refusal
from teamspace.core.limits import Stopping
from teamspace.instance.schemas import Ready

_CACHE_SECONDS = 1.0
_TIMEOUT_SECONDS = 5.0


class Readiness:
    """Checks at most once a second, however many requests there are."""

    def __init__(self, stopping: Stopping) -> None:
        self._stopping = stopping
        self._faults: list[str] = []
        self._checked_at = float("-inf")
        self._lock = asyncio.Lock()

    async def check(self, db: Db, files: BlobStore) -> Ready:
        if self._stopping:
            raise NotReady("The server is stopping.")
        async with self._lock:
            if time.monotonic() - self._checked_at > _CACHE_SECONDS:
                self._faults = await _faults(db, files)
                self._checked_at = time.monotonic()
        if self._faults:
            raise NotReady(" ".join(self._faults))
        return Ready(ready=True)


async def _faults(db: Db, files: BlobStore) -> list[str]:
    if db.outdated:
        return ["A newer server has migrated the database."]
    found = await asyncio.gather(
        _fault("The database", db.exists("SELECT 1")), _fault("The blob store", pools.UPKEEP.run(files.check))
    )
    return [fault for fault in found if fault]


async def _fault(name: str, check: Awaitable[object]) -> str | None:
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            await check
    except (TimeoutError, Refusal, OSError):
        return f"{name} does not respond."
    return None
