"""One process of all on a database is the leader, and the next one takes its place."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest

from teamspace.core.db import Engine, connect, postgres
from teamspace.core.db.sqlite import Sqlite
from tests.support.postgres import create_database, drop_database
from tests.support.waiting import until


class Process(NamedTuple):
    """An engine that listens, as that of a server does."""

    engine: Engine
    stop: asyncio.Event
    listening: asyncio.Task[None]

    async def end(self) -> None:
        self.stop.set()
        await self.listening
        await self.engine.close()


async def start(engine: Engine) -> Process:
    stop, ready = asyncio.Event(), asyncio.Event()

    async def listen() -> None:
        async with engine.listen(lambda _: None):
            ready.set()
            await stop.wait()

    listening = asyncio.create_task(listen())
    await ready.wait()
    return Process(engine, stop, listening)


@pytest.fixture(params=["sqlite", "postgres"])
async def processes(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[list[Process]]:
    url = create_database(request.getfixturevalue("postgres_url"), "leaders") if request.param == "postgres" else ""

    async def open_engine() -> Engine:
        return await connect(url, pool=1) if url else Sqlite(tmp_path / "shared.sqlite", sync="normal", shared=True)

    started = [await start(await open_engine()) for _ in range(3)]
    yield started
    for process in started:
        if not process.stop.is_set():
            await process.end()
    if url:
        drop_database(request.getfixturevalue("postgres_url"), "leaders")


async def leaders(processes: list[Process]) -> list[bool]:
    return [await process.engine.lead() for process in processes]


async def test_one_leads_until_it_ends(processes: list[Process]) -> None:
    first, *others = processes
    assert await leaders(processes) == [True, False, False]
    assert await leaders(processes) == [True, False, False]
    await first.end()

    async def has_leader() -> bool:
        return any(await leaders(others))

    await until(has_leader)  # PostgreSQL has yet to notice
    assert sorted(await leaders(others)) == [False, True]


async def test_a_leader_that_loses_its_connection_leads_no_more(postgres_url: str) -> None:
    url = create_database(postgres_url, "leaders")
    first, second = [await start(await connect(url, pool=1)) for _ in range(2)]
    assert await leaders([first, second]) == [True, False]
    holder = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
    await second.engine.fetch(holder, {})

    async def has_changed() -> bool:
        return await leaders([first, second]) == [False, True]

    await until(has_changed)
    for process in (first, second):
        await process.end()
    drop_database(postgres_url, "leaders")


async def test_a_leader_that_connects_again_goes_on(postgres_url: str) -> None:
    url = create_database(postgres_url, "leaders")
    process = await start(await connect(url, pool=1))
    assert await process.engine.lead()
    process.stop.set()
    await process.listening
    assert not await process.engine.lead(), "until it listens, nobody would know that it died"
    again = await start(process.engine)
    await until(process.engine.lead)
    await again.end()
    drop_database(postgres_url, "leaders")


async def test_a_leader_that_asks_no_more_is_replaced(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(postgres._LISTENING, "idle_session_timeout", "1s")
    url = create_database(postgres_url, "leaders")
    stopped, other = [await start(await connect(url, pool=1)) for _ in range(2)]
    assert await leaders([stopped, other]) == [True, False]
    await until(other.engine.lead)
    assert await leaders([stopped, other]) == [False, True]
    for process in (stopped, other):
        await process.end()
    drop_database(postgres_url, "leaders")
