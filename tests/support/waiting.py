"""Waits for what happens a moment later, and nobody tells."""

import asyncio
from collections.abc import Awaitable, Callable

_PATIENCE = 20.0


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(_PATIENCE):
        while not await condition():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
