"""Renews the reservations of running model calls, so that those of a killed server expire soon."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from teamspace import quota
from teamspace.core.db import Db
from teamspace.core.principal import system

log = logging.getLogger("teamspace.ai")
TTL = 20.0
"""Seconds until the slot of a call is free again after its server was killed."""
_PAUSE = TTL / 4


class Renewals:
    """The reservations of all calls that run in this process; one statement renews them."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._renewing: asyncio.Task[None] | None = None

    @contextmanager
    def renew(self, db: Db, reservation_id: str) -> Iterator[None]:
        """Renew a reservation until the end of the block."""
        self._ids.add(reservation_id)
        if self._renewing is None:
            self._renewing = asyncio.create_task(self._renew(db))
        try:
            yield
        finally:
            self._ids.discard(reservation_id)

    async def _renew(self, db: Db) -> None:
        while self._ids:
            await asyncio.sleep(_PAUSE)
            try:
                async with db.maintenance(system(), durable=False) as tx:
                    await quota.renew_many(tx, sorted(self._ids), TTL)
            except Exception:
                log.exception("renewing the reservations of %d model calls failed", len(self._ids))
        self._renewing = None
