"""Thread pools: bounded, and independent of each other."""

import asyncio
import threading

import pytest

from teamspace.core import pools
from teamspace.core.errors import Overloaded
from teamspace.core.pools import Pool


async def test_a_pool_refuses_work_when_its_queue_is_full() -> None:
    pool, free = Pool("tests", 1, 1, "busy.texts"), threading.Event()
    blocked = [asyncio.create_task(pool.run(free.wait)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        await pool.run(free.wait)
    free.set()
    await asyncio.gather(*blocked)
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
    free = threading.Event()
    blocked = [asyncio.create_task(pools.STRENGTH.run(free.wait)) for _ in range(33)]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        await pools.STRENGTH.run(int)
    assert await asyncio.gather(*(pool.run(int, "1") for pool in (pools.FILES, pools.TEXT, pools.READS))) == [1, 1, 1]
    free.set()
    await asyncio.gather(*blocked)
