"""News between servers on one database, and within one."""

from teamspace.core.db import connect
from teamspace.core.limits import Stopping, Wake
from tests.support.notices import hearing
from tests.support.postgres import create_database, drop_database


async def test_what_one_server_tells_sleepers_in_another_hear(postgres_url: str) -> None:
    url = create_database(postgres_url, "test_notices")
    engines = [await connect(url, pool=2) for _ in range(2)]
    here, there = Wake(Stopping()), Wake(Stopping())
    try:
        async with hearing(engines[0], here), hearing(engines[1], there):
            with there.listening(["jobs", "else"]) as news, there.listening(["quiet"]) as nothing:
                here.tell("jobs")
                assert await there.wait(news, 30)
                assert not nothing.is_set()
    finally:
        for engine in engines:
            await engine.close()
        drop_database(postgres_url, "test_notices")


async def test_a_sleeper_here_needs_no_relay() -> None:
    wake = Wake(Stopping())
    with wake.listening(["a", "b"]) as news:
        wake.tell("b")
        assert await wake.wait(news, 5), "also what came before it slept"
        assert not await wake.wait(news, 0.001), "what was heard is not heard again"
        wake.tell("c")
        assert not news.is_set()
