"""Retry transactions that were aborted because of a conflict."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from teamspace.core.db.engine import SerializationFailure
from teamspace.core.errors import Overloaded

T = TypeVar("T")
_ATTEMPTS = 5


async def retry_on_conflict(work: Callable[[], Awaitable[T]]) -> T:
    for attempt in range(_ATTEMPTS):
        try:
            return await work()
        except SerializationFailure:
            await asyncio.sleep(random.uniform(0.005, 0.02) * 2**attempt)
    raise Overloaded("database.conflicting_writes")
