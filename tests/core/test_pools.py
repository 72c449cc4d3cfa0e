"""Pools: bounded, each for itself, and nothing beside them."""

import asyncio
import threading

import pytest

from teamspace.core import pools
from teamspace.core.errors import Overloaded
from teamspace.core.pools import Pool


async def test_a_pool_refuses_what_is_more_than_may_wait() -> None:
    pool, free = Pool("tests", 1, 1), threading.Event()
    held = [asyncio.create_task(pool.run(free.wait)) for _ in range(2)]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        await pool.run(free.wait)
    free.set()
    await asyncio.gather(*held)
    assert await pool.run(int, "7") == 7


async def test_who_gives_up_leaves_the_place_only_when_the_work_has_ended() -> None:
    pool, free, begun = Pool("tests", 1, 0), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        free.wait()

    task = asyncio.create_task(pool.run(work))
    await pools.UPKEEP.run(begun.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(Overloaded):
        await pool.run(int)
    free.set()
    pool._executor.shutdown()
    assert pool._room is not None and pool._room.acquire(blocking=False)


async def test_one_pool_that_is_full_leaves_the_others_free() -> None:
    """Passwords being judged held up every tenant's downloads."""
    free = threading.Event()
    held = [asyncio.create_task(pools.STRENGTH.run(free.wait)) for _ in range(33)]
    await asyncio.sleep(0)
    with pytest.raises(Overloaded):
        await pools.STRENGTH.run(int)
    assert await asyncio.gather(*(pool.run(int, "1") for pool in (pools.FILES, pools.TEXT, pools.READS))) == [1, 1, 1]
    free.set()
    await asyncio.gather(*held)
