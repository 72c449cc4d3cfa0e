"""A PostgreSQL that stops responding: every wait times out, and the server recovers when it responds again."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from teamspace.app import StartError
from teamspace.core.db import connect, connections, postgres
from teamspace.core.errors import Overloaded
from teamspace.server import _check_connections
from teamspace.settings import Settings
from tests.identity.help import refusal
from tests.support.proxy import StallingProxy
from tests.support.served import Served
from tests.support.world import Caller, World
from tests.support.world import world as open_world

pytestmark = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
GUARD = 30
"""Seconds until a hanging test fails."""


@pytest.fixture
async def passage(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[StallingProxy]:
    for name in ("CONNECT_SECONDS", "COMMAND_SECONDS", "RELEASE_SECONDS"):
        monkeypatch.setattr(postgres, name, 0.5)
    for name in ("WAIT_SECONDS", "CLOSE_SECONDS"):
        monkeypatch.setattr(connections, name, 0.5)
    async with StallingProxy(settings.database).serving() as passage:
        yield passage


@pytest.fixture
async def world(settings: Settings, passage: StallingProxy) -> AsyncIterator[World]:
    async with (
        asyncio.timeout(GUARD * 2),
        open_world(msgspec.structs.replace(settings, database_url=passage.url, database_pool=2)) as world,
    ):
        yield world


async def send_requests(ann: Caller) -> list[tuple[int, str, bool]]:
    """Sends more reads and writes than there are connections; status, code and Retry-After of each."""
    reads = [ann.get("/api/notes") for _ in range(4)]
    writes = [ann.post("/api/notes", {"title": "x", "body": "x"}) for _ in range(4)]
    answers = await asyncio.wait_for(asyncio.gather(*reads, *writes), GUARD)
    return [(*refusal(answer), "retry-after" in answer.headers) for answer in answers]


async def until_answered(ann: Caller) -> None:
    async with asyncio.timeout(GUARD):
        while True:
            if (await ann.get("/api/notes")).status_code == 200:
                return
            await asyncio.sleep(0.1)


async def test_a_silent_database_is_an_overload_until_it_responds_again(world: World, passage: StallingProxy) -> None:
    ann = await world.bootstrap()
    passage.stall()
    assert set(await send_requests(ann)) == {(503, "overloaded", True)}
    assert set(await send_requests(ann)) == {(503, "overloaded", True)}, "also where new connections must be opened"
    passage.resume()
    await until_answered(ann)
    assert (await ann.post("/api/notes", {"title": "x", "body": "x"})).status_code == 201


async def test_a_write_times_out_when_the_database_goes_silent(world: World, passage: StallingProxy) -> None:
    ann = await world.bootstrap()
    who = (await world.db.one(str, "SELECT id FROM users")) or ""
    async with asyncio.timeout(GUARD):
        with pytest.raises(Overloaded):
            async with world.db.engine.transaction() as session:
                await session.fetch("UPDATE users SET username = 'other' WHERE id = :id", {"id": who})
                passage.stall()
                await session.fetch("SELECT 1", {})
    passage.resume()
    await until_answered(ann)
    assert await world.db.all(str, "SELECT username FROM users") == ["ann"]


async def test_commit_and_close_time_out_when_the_database_is_silent(
    settings: Settings, passage: StallingProxy
) -> None:
    async with asyncio.timeout(GUARD):
        engine = await connect(passage.url, pool=1)
        with pytest.raises(Overloaded, match="check whether"):
            async with engine.transaction() as session:
                await session.fetch("SELECT 1", {})
                passage.stall()
        passage.resume()
        async with engine.transaction() as session:
            passage.stall()
            passage.resume()
            await session.fetch("SELECT 1", {})
        passage.stall()
        await engine.close()


async def test_close_does_not_wait_for_a_connection_in_use(settings: Settings, passage: StallingProxy) -> None:
    engine = await connect(passage.url, pool=1)
    began, over = asyncio.Event(), asyncio.Event()

    async def hold_connection() -> None:
        async with engine.transaction():
            began.set()
            await over.wait()

    holding = asyncio.create_task(hold_connection())
    await began.wait()
    passage.stall()
    try:
        async with asyncio.timeout(5):
            await engine.close()
    finally:
        over.set()
        passage.resume()
        await asyncio.wait([holding])
    assert isinstance(holding.exception(), Overloaded)


async def test_the_pools_of_all_workers_must_fit_max_connections(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    engine = await connect(settings.database, pool=1)
    try:
        allowed = await engine.max_connections()
        assert allowed == 197, "max_connections 200 of the tests' own server, less those for superusers"
        for pool, workers, fits in ((10, 1, True), (40, 2, True), (98, 1, True), (99, 1, False), (10, 10, False)):
            changed = msgspec.structs.replace(settings, database_pool=pool, workers=workers)
            caplog.clear()
            if fits:
                await _check_connections(engine, changed)
                assert ("a second server would not fit" in caplog.text) == (pool * workers > 48)
            else:
                with pytest.raises(StartError, match="SERVICE_DATABASE_POOL"):
                    await _check_connections(engine, changed)
    finally:
        await engine.close()


def test_a_server_whose_pools_do_not_fit_does_not_start(database_url: str, tmp_path: Path) -> None:
    settings = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url}
    served = Served({**settings, "SERVICE_DATABASE_POOL": "150"})
    try:
        assert served.launch().wait(60) != 0
    finally:
        served.kill()
    assert "needs up to 301 PostgreSQL connections" in served.logs
    assert "Traceback" not in served.logs
