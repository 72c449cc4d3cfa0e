"""A transaction that had to give way to another is run again."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from teamspace.core.db.engine import Collision
from teamspace.core.errors import Overloaded

T = TypeVar("T")
_ATTEMPTS = 5


async def persistently(work: Callable[[], Awaitable[T]]) -> T:
    for attempt in range(_ATTEMPTS):
        try:
            return await work()
        except Collision:
            await asyncio.sleep(random.uniform(0.005, 0.02) * 2**attempt)
    raise Overloaded("Too many writes to the same thing at once; nothing was written.")
