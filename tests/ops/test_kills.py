"""kill -9 at any moment of a restore or of a change of the key: run it again, and all is there."""

import asyncio
import contextlib
import random
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from teamspace import ops
from teamspace.core.db import audit
from teamspace.core.principal import system
from teamspace.settings import Settings
from tests.ops.help import Places, at, brand, content, environment, files, fill, findings
from tests.support.served import Served, teamspace
from tests.support.world import world as opened

MAX_ROUNDS = 10
KINDS = pytest.mark.parametrize("kind", ["sqlite", "postgres"])


async def enlarged(settings: Settings) -> None:
    """An instance whose restore and change of key take a while."""
    async with opened(settings) as world:
        await fill(world)
        for number in range(40):
            await brand(world, "", b"%d" % number * 20_000)
        async with world.db.maintenance(system()) as tx:
            for number in range(3_000):
                await tx.run(
                    "INSERT INTO idempotency (owner, key, digest, created_at, status, answer)"
                    " VALUES ('somebody', :key, :digest, '9999', 200, :answer)",
                    key=f"{number}", digest=b"%d" % number,
                    answer=tx.vault.encrypt(f"idempotency|answer|somebody|{number}", b"answer" * 20),
                )  # fmt: skip
        await audit.seal(world.db)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    settings = at(tmp_path_factory.mktemp("large") / "data")
    asyncio.run(enlarged(settings))
    asyncio.run(ops.backup(settings, settings.data / "backup.tar"))
    return settings


async def timed(settings: Settings, *arguments: str) -> float:
    """How long the command takes when nobody kills it."""
    began = time.monotonic()
    ended = await asyncio.to_thread(teamspace, *arguments, settings=environment(settings))
    assert ended.returncode == 0, ended.stderr
    return time.monotonic() - began


class Killer:
    """Strikes at moments spread over the time that a command takes."""

    def __init__(self, whole: float, seed: str, *arguments: str) -> None:
        self.hits = 0
        self._whole = whole
        self._dice = random.Random(seed)
        self._arguments = arguments

    def rounds(self, count: int) -> Iterator[int]:
        """So many, and further ones until it has hit: the command may be quicker than when it was timed."""
        for number in range(MAX_ROUNDS):
            if number >= count and self.hits:
                return
            yield number

    async def strike(self, settings: Settings) -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "teamspace", *self._arguments,
            env={"PYTHONPATH": str(Path(__file__).parents[2]), **environment(settings)},
            cwd="/", stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        moment = self._dice.uniform(0.2, 1.0) * self._whole
        await asyncio.sleep(moment)
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        code = await process.wait()
        assert code in (0, -signal.SIGKILL)
        self.hits += code != 0
        if code == 0:
            self._whole = min(self._whole, moment)  # it was slower before, beside somebody else's work
        if settings.database_url:
            await its_connections_ended(settings.database_url)


async def its_connections_ended(url: str) -> None:
    """PostgreSQL notices the death of a client when it next speaks to it."""
    others = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    connection = await asyncpg.connect(url)
    for _ in range(400):
        if not await connection.fetchval(others):
            break
        await asyncio.sleep(0.05)
    await connection.close()


async def is_there(place: Settings) -> bool:
    return (place.data / "teamspace.sqlite").exists() if place.on_sqlite else await content(place) != {}


@KINDS
async def test_a_killed_restore_is_run_again(kind: str, source: Settings, places: Places, thorough: bool) -> None:
    command = ("restore", str(source.data / "backup.tar"))
    expected = (await content(source), files(source))
    killer = Killer(await timed(places.new(kind, key_of=source), *command), kind, *command)
    for _ in killer.rounds(3 if thorough else 1):
        place = places.new(kind, key_of=source)
        for _ in range(2):
            if not await is_there(place):
                await killer.strike(place)
        if not await is_there(place):
            await timed(place, *command)
        assert (await content(place), files(place)) == expected
        assert await findings(place) == {}
    assert killer.hits


@KINDS
async def test_a_killed_change_of_the_key_leaves_a_working_instance(
    kind: str, source: Settings, places: Places, thorough: bool
) -> None:
    place = places.new(kind, key_of=source)
    await timed(place, "restore", str(source.data / "backup.tar"))
    killer = Killer(await timed(place, "rekey"), kind, "rekey")
    for _ in killer.rounds(5 if thorough else 2):
        await killer.strike(place)
        assert await findings(place) == {}
        async with opened(place):
            pass
        assert await findings(place) == {}
    assert killer.hits
    await timed(place, "rekey")
    with Served(environment(place)) as served:
        assert served.stop() == 0
    assert await findings(place) == {}
