"""News between servers on one database."""

import asyncio

from teamspace.core.db import connect
from teamspace.core.limits import Stopping, Wake
from teamspace.core.notices import Notices
from tests.support.postgres import create_database, drop_database


async def test_what_one_server_tells_sleepers_in_another_hear(postgres_url: str) -> None:
    url = create_database(postgres_url, "test_notices")
    engines = [await connect(url, pool=2) for _ in range(2)]
    here, there = Wake(Stopping()), Wake(Stopping())
    tasks = [asyncio.create_task(Notices(*pair).run()) for pair in zip(engines, (here, there), strict=True)]
    try:
        sleeping = asyncio.create_task(there.sleep(["jobs", "else"], 10))
        other = asyncio.create_task(there.sleep(["quiet"], 0.5))
        await asyncio.sleep(0.2)
        here.tell("jobs")
        assert await sleeping is True
        assert await other is False
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for engine in engines:
            await engine.close()
        drop_database(postgres_url, "test_notices")


async def test_a_sleeper_here_needs_no_relay() -> None:
    wake = Wake(Stopping())
    sleeping = asyncio.create_task(wake.sleep(["a", "b"], 5))
    await asyncio.sleep(0)
    wake.tell("b")
    assert await sleeping is True
    assert not await wake.sleep(["a"], 0.001), "news is for those who wait, and is not kept"
