"""A PostgreSQL that does not answer: every wait for it has an end, and all is well again when it does."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from teamspace.app import StartError
from teamspace.core.db import connect, postgres
from teamspace.core.errors import Overloaded
from teamspace.server import _check_connections
from teamspace.settings import Settings
from tests.identity.help import refusal
from tests.support.served import Served
from tests.support.silence import Passage
from tests.support.world import Caller, World
from tests.support.world import world as made

pytestmark = pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
GUARD = 30
"""Seconds, against a test that would never end."""


@pytest.fixture
async def passage(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Passage]:
    for name in ("CONNECT_SECONDS", "ACQUIRE_SECONDS", "COMMAND_SECONDS", "RELEASE_SECONDS"):
        monkeypatch.setattr(postgres, name, 0.5)
    async with Passage(settings.database).serving() as passage:
        yield passage


@pytest.fixture
async def world(settings: Settings, passage: Passage) -> AsyncIterator[World]:
    async with (
        asyncio.timeout(GUARD * 2),
        made(msgspec.structs.replace(settings, database_url=passage.url, database_pool=2)) as world,
    ):
        yield world


async def ask(ann: Caller) -> list[tuple[int, str, bool]]:
    """More than there are connections, reading and writing; how each of them is answered."""
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


async def test_a_silent_database_is_an_overload_and_a_database_that_speaks_again_is_well(
    world: World, passage: Passage
) -> None:
    ann = await world.bootstrap()
    passage.fall_silent()
    assert set(await ask(ann)) == {(503, "overloaded", True)}
    assert set(await ask(ann)) == {(503, "overloaded", True)}, "also where new connections must be made"
    passage.speak_again()
    await until_answered(ann)
    assert (await ann.post("/api/notes", {"title": "x", "body": "x"})).status_code == 201


async def test_silence_in_the_middle_of_a_write_ends_it(world: World, passage: Passage) -> None:
    ann = await world.bootstrap()
    who = (await world.db.one(str, "SELECT id FROM users")) or ""
    async with asyncio.timeout(GUARD):
        with pytest.raises(Overloaded):
            async with world.db.engine.transaction() as session:
                await session.fetch("UPDATE users SET username = 'other' WHERE id = :id", {"id": who})
                passage.fall_silent()
                await session.fetch("SELECT 1", {})
    passage.speak_again()
    await until_answered(ann)
    assert await world.db.all(str, "SELECT username FROM users") == ["ann"]


async def test_a_silent_commit_and_a_silent_close_end_too(settings: Settings, passage: Passage) -> None:
    async with asyncio.timeout(GUARD):
        engine = await connect(passage.url, pool=1)
        with pytest.raises(Overloaded, match="check whether"):
            async with engine.transaction() as session:
                await session.fetch("SELECT 1", {})
                passage.fall_silent()
        passage.speak_again()
        async with engine.transaction() as session:
            passage.fall_silent()
            passage.speak_again()
            await session.fetch("SELECT 1", {})
        passage.fall_silent()
        await engine.close()


async def test_what_the_pools_may_come_to_must_fit_into_the_database(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    engine = await connect(settings.database, pool=1)
    try:
        allowed = await engine.max_connections()
        assert allowed == 197, "max_connections 200 of the tests' own server, less those for superusers"
        for pool, workers, fits in ((10, 1, True), (40, 2, True), (98, 1, True), (99, 1, False), (10, 10, False)):
            wanted = msgspec.structs.replace(settings, database_pool=pool, workers=workers)
            caplog.clear()
            if fits:
                await _check_connections(engine, wanted)
                assert ("a second server would not fit" in caplog.text) == (pool * workers > 48)
            else:
                with pytest.raises(StartError, match="SERVICE_DATABASE_POOL"):
                    await _check_connections(engine, wanted)
    finally:
        await engine.close()


def test_a_server_whose_pools_do_not_fit_says_so_and_does_not_start(database_url: str, tmp_path: Path) -> None:
    settings = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_DATABASE_URL": database_url}
    served = Served({**settings, "SERVICE_DATABASE_POOL": "150"})
    try:
        assert served.launch().wait(60) != 0
    finally:
        served.kill()
    assert "needs up to 301 PostgreSQL connections" in served.logs
    assert "Traceback" not in served.logs
