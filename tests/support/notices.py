"""Notification relays between servers."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager

from teamspace.core.db import Engine
from teamspace.core.limits import Notifier
from teamspace.core.notifications import NotificationRelay


@asynccontextmanager
async def relaying(engine: Engine, wake: Notifier) -> AsyncIterator[None]:
    """Run a relay; inside the block it is already listening."""
    async with running(NotificationRelay(engine, wake).run()):
        with wake.subscribe(["hello"]) as subscription:
            while not await wake.wait(subscription, 0.1):
                await engine.notify({"hello"})
        yield


@asynccontextmanager
async def running(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
