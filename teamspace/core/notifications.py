"""Relays notifications between servers on one database, so that a commit on one wakes long polls on another.

A NOTIFY inside the writing transaction would make all commits queue for one lock of the database. So it is sent after
the commit, batched for a moment. A lost notification only costs time: no poll waits for long.
"""

import asyncio
import contextlib
import logging

from teamspace.core.db import Engine
from teamspace.core.limits import Notifier

log = logging.getLogger("teamspace")
_GATHER_SECONDS = 0.05
_RETRY_SECONDS = 2.0
_RECONNECT_SECONDS = 60.0


class NotificationRelay:
    def __init__(self, engine: Engine, notifier: Notifier) -> None:
        self._engine, self._notifier = engine, notifier
        self._pending: set[str] = set()
        self._has_pending = asyncio.Event()

    async def run(self) -> None:
        """Relay until cancelled."""
        self._notifier.relay = self._queue
        while True:
            try:
                with contextlib.suppress(TimeoutError):
                    # A connection can die unnoticed, so it is renewed regularly.
                    async with asyncio.timeout(_RECONNECT_SECONDS), self._engine.listen(self._notifier.receive):
                        await self._send_batches()
            except Exception:
                log.exception("the notification relay failed; retrying")
                await asyncio.sleep(_RETRY_SECONDS)

    def _queue(self, topic: str) -> None:
        self._pending.add(topic)
        self._has_pending.set()

    async def _send_batches(self) -> None:
        while True:
            await self._has_pending.wait()
            await asyncio.sleep(_GATHER_SECONDS)
            self._has_pending.clear()
            topics, self._pending = self._pending, set()
            await self._engine.notify(topics)
