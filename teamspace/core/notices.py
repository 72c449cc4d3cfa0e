"""News between servers on one database: what one commits, sleepers in another wake up for.

A notice inside the writing transaction would make every commit queue for one lock of the database. So it follows
the commit, and what happens within a moment goes out at once. A lost notice costs time, never work: nobody sleeps
for long.
"""

import asyncio
import contextlib
import logging

from teamspace.core.db import Engine
from teamspace.core.limits import Wake

log = logging.getLogger("teamspace")
_MOMENT = 0.05
_AGAIN = 2.0
_RENEW = 60.0


class Notices:
    def __init__(self, engine: Engine, wake: Wake) -> None:
        self._engine, self._wake = engine, wake
        self._pending: set[str] = set()
        self._news = asyncio.Event()

    async def run(self) -> None:
        """Until it is cancelled."""
        self._wake.relay = self._note
        while True:
            try:
                with contextlib.suppress(TimeoutError):
                    # A connection can die without a word: none is listened to for long.
                    async with asyncio.timeout(_RENEW), self._engine.hearing(self._wake.hear):
                        await self._relay()
            except Exception:
                log.exception("notices between servers failed; it is tried again")
                await asyncio.sleep(_AGAIN)

    def _note(self, topic: str) -> None:
        self._pending.add(topic)
        self._news.set()

    async def _relay(self) -> None:
        while True:
            await self._news.wait()
            await asyncio.sleep(_MOMENT)
            self._news.clear()
            topics, self._pending = self._pending, set()
            await self._engine.tell(topics)
