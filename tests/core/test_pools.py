"""Thread pools: bounded, and independent of each other."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from teamspace.core import pools
from teamspace.core.errors import Overloaded
from teamspace.core.pools import Pool


@asynccontextmanager
async def filled(pool: Pool, count: int) -> AsyncIterator[None]:
    """Fill the pool with work that waits until the block ends, at most five seconds."""
    free = threading.Event()
    blocked = [asyncio.create_task(pool.run(free.wait)) for _ in range(count)]
    await asyncio.sleep(0)
    try:
        async with asyncio.timeout(5):
            yield
    finally:
        free.set()
        await asyncio.gather(*blocked)


async def test_a_pool_refuses_work_when_its_queue_is_full() -> None:
    pool = Pool("tests", 1, 1, "busy.texts")
    async with filled(pool, 2):
        with pytest.raises(Overloaded):
            await pool.run(int)
    assert await pool.run(int, "7") == 7


async def test_cancelled_work_keeps_its_slot_until_the_thread_is_done() -> None:
    pool, free, started = Pool("tests", 1, 0, "busy.texts"), threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        free.wait()

    task = asyncio.create_task(pool.run(work))
    await pools.UPKEEP.run(started.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(Overloaded):
        await pool.run(int)
    free.set()
    pool._executor.shutdown()
    assert pool._room is not None and pool._room.acquire(blocking=False)


async def test_a_full_pool_does_not_block_the_others() -> None:
    """Password checks once blocked everyone's downloads."""
    async with filled(pools.STRENGTH, 33):
        with pytest.raises(Overloaded):
            await pools.STRENGTH.run(int)
        others = (pools.FILES, pools.TEXT, pools.READS)
        assert await asyncio.gather(*(pool.run(int, "1") for pool in others)) == [1, 1, 1]
