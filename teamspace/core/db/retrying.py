"""Retry transactions that were aborted because of a conflict."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from teamspace.core.db.engine import SerializationFailure
from teamspace.core.errors import Overloaded

T = TypeVar("T")
_ATTEMPTS = 5


async def retry_on_conflict(work: Callable[[], Awaitable[T]], *, failed: int = 0) -> T:
    """Do the work until no conflict aborts it; `failed` is how many attempts have been aborted already."""
    for attempt in range(failed, _ATTEMPTS):
        if attempt:
            await asyncio.sleep(random.uniform(0.0025, 0.01) * 2**attempt)
        with suppress(SerializationFailure):
            return await work()
    raise Overloaded("database.conflicting_writes")
