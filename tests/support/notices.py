"""Servers that hear each other's news."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager

from teamspace.core.db import Engine
from teamspace.core.limits import Notifier
from teamspace.core.notifications import NotificationRelay


@asynccontextmanager
async def hearing(engine: Engine, wake: Notifier) -> AsyncIterator[None]:
    """It listens when this begins: what is told from here on, it hears."""
    async with running(NotificationRelay(engine, wake).run()):
        with wake.subscribe(["hello"]) as news:
            while not await wake.wait(news, 0.1):
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
