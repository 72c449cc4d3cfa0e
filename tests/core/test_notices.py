"""News between servers on one database, and within one."""

from teamspace.core.db import connect
from teamspace.core.limits import Notifier, Stopping
from tests.support.notices import hearing
from tests.support.postgres import create_database, drop_database


async def test_what_one_server_tells_sleepers_in_another_hear(postgres_url: str) -> None:
    url = create_database(postgres_url, "test_notices")
    engines = [await connect(url, pool=2) for _ in range(2)]
    here, there = Notifier(Stopping()), Notifier(Stopping())
    try:
        async with hearing(engines[0], here), hearing(engines[1], there):
            with there.subscribe(["jobs", "else"]) as news, there.subscribe(["quiet"]) as nothing:
                here.notify("jobs")
                assert await there.wait(news, 30)
                assert not nothing.is_set()
    finally:
        for engine in engines:
            await engine.close()
        drop_database(postgres_url, "test_notices")


async def test_a_sleeper_here_needs_no_relay() -> None:
    wake = Notifier(Stopping())
    with wake.subscribe(["a", "b"]) as news:
        wake.notify("b")
        assert await wake.wait(news, 5), "also what came before it slept"
        assert not await wake.wait(news, 0.001), "what was heard is not heard again"
        wake.notify("c")
        assert not news.is_set()
