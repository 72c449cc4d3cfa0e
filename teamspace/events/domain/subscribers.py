"""Open streams: what waits to be sent to each is bounded."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence

from teamspace.core.principal import Principal
from teamspace.events.domain.visibility import Rights

PING_SECONDS = 15.0
PING = b": ping\n\n"
MAX_BUFFERED = 512
"""Events that wait for a slow reader; with more it is told to fetch everything again."""


class Subscriber:
    """One open stream: its rights, and what waits to be sent."""

    __slots__ = ("_waiter", "buffer", "closed", "epoch", "expires_at", "org_id", "rights", "token_id")

    def __init__(self, who: Principal) -> None:
        self.token_id, self.org_id = who.token_id, who.org_id
        self.rights: Rights
        self.expires_at = 0.0
        self.epoch: object = None
        self.buffer: deque[bytes] = deque()
        self.closed = False
        self._waiter: asyncio.Future[None] | None = None

    def push(self, chunks: Sequence[bytes], reset: bytes) -> None:
        """Send the chunks, or only `reset` if the reader is too far behind."""
        if len(self.buffer) + len(chunks) > MAX_BUFFERED:
            self.buffer.clear()
            self.buffer.append(reset)
        else:
            self.buffer.extend(chunks)
        self._wake()

    def close(self) -> None:
        self.closed = True
        self.buffer.clear()
        self._wake()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield what was pushed, and a comment when idle, until closed."""
        while not self.closed:
            if not self.buffer:
                await self._wait(PING_SECONDS)
            if not self.closed:
                waiting = b"".join(self.buffer)
                self.buffer.clear()
                yield waiting or PING

    async def _wait(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        self._waiter = loop.create_future()
        timer = loop.call_later(seconds, self._wake)
        try:
            await self._waiter
        finally:
            timer.cancel()
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
