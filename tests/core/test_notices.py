"""Notifications within a server, and between servers on one database."""

from teamspace.core.db import connect
from teamspace.core.limits import Notifier, Stopping
from tests.support.notices import relaying
from tests.support.postgres import create_database, drop_database


async def test_a_notification_reaches_waiters_on_another_server(postgres_url: str) -> None:
    url = create_database(postgres_url, "test_notices")
    engines = [await connect(url, pool=2) for _ in range(2)]
    here, there = Notifier(Stopping()), Notifier(Stopping())
    try:
        async with relaying(engines[0], here), relaying(engines[1], there):
            with there.subscribe(["jobs", "else"]) as news, there.subscribe(["quiet"]) as nothing:
                here.notify("jobs")
                assert await there.wait(news, 30)
                assert not nothing.is_set()
    finally:
        for engine in engines:
            await engine.close()
        drop_database(postgres_url, "test_notices")


async def test_a_waiter_on_the_same_server_is_notified_without_a_relay() -> None:
    wake = Notifier(Stopping())
    with wake.subscribe(["a", "b"]) as news:
        wake.notify("b")
        assert await wake.wait(news, 5), "also if it came before the wait"
        assert not await wake.wait(news, 0.001), "a notification is delivered once"
        wake.notify("c")
        assert not news.is_set()
