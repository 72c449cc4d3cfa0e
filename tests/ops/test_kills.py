"""kill -9 at any moment of a restore or rekey: run it again, and everything is there."""

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
from tests.ops.help import Instances, at, brand, content, environment, files, fill, findings
from tests.support.served import Served, teamspace
from tests.support.world import world as open_world

MAX_ROUNDS = 10
KINDS = pytest.mark.parametrize("kind", ["sqlite", "postgres"])


async def fill_large_instance(settings: Settings) -> None:
    """Adds so much that restore and rekey take a while."""
    async with open_world(settings) as world:
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
    asyncio.run(fill_large_instance(settings))
    asyncio.run(ops.backup(settings, settings.data / "backup.tar"))
    return settings


async def run_timed(settings: Settings, *arguments: str) -> float:
    """Runs the command to its end; returns the seconds it took."""
    began = time.monotonic()
    result = await asyncio.to_thread(teamspace, *arguments, settings=environment(settings))
    assert result.returncode == 0, result.stderr
    return time.monotonic() - began


class Killer:
    """Kills a command at random moments of its run."""

    def __init__(self, duration: float, seed: str, *arguments: str) -> None:
        self.hits = 0
        self._duration = duration
        self._random = random.Random(seed)
        self._arguments = arguments

    def rounds(self, count: int) -> Iterator[int]:
        """At least `count`, and more until one kill hit: the command can be faster than when it was timed."""
        for number in range(MAX_ROUNDS):
            if number >= count and self.hits:
                return
            yield number

    async def run_and_kill(self, settings: Settings) -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "teamspace", *self._arguments,
            env={"PYTHONPATH": str(Path(__file__).parents[2]), **environment(settings)},
            cwd="/", stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        moment = self._random.uniform(0.2, 1.0) * self._duration
        await asyncio.sleep(moment)
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        code = await process.wait()
        assert code in (0, -signal.SIGKILL)
        self.hits += code != 0
        if code == 0:
            self._duration = min(self._duration, moment)  # it was slower when it was timed, on a busy machine
        if settings.database_url:
            await wait_until_disconnected(settings.database_url)


async def wait_until_disconnected(url: str) -> None:
    """PostgreSQL notices a dead client only when it next writes to it."""
    others = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    connection = await asyncpg.connect(url)
    for _ in range(400):
        if not await connection.fetchval(others):
            break
        await asyncio.sleep(0.05)
    await connection.close()


async def is_restored(target: Settings) -> bool:
    return (target.data / "teamspace.sqlite").exists() if target.on_sqlite else await content(target) != {}


@KINDS
async def test_a_killed_restore_can_be_run_again(
    kind: str, source: Settings, instances: Instances, thorough: bool
) -> None:
    command = ("restore", str(source.data / "backup.tar"))
    expected = (await content(source), files(source))
    killer = Killer(await run_timed(instances.new(kind, key_of=source), *command), kind, *command)
    for _ in killer.rounds(3 if thorough else 1):
        target = instances.new(kind, key_of=source)
        for _ in range(2):
            if not await is_restored(target):
                await killer.run_and_kill(target)
        if not await is_restored(target):
            await run_timed(target, *command)
        assert (await content(target), files(target)) == expected
        assert await findings(target) == {}
    assert killer.hits


@KINDS
async def test_a_killed_rekey_leaves_a_working_instance(
    kind: str, source: Settings, instances: Instances, thorough: bool
) -> None:
    target = instances.new(kind, key_of=source)
    await run_timed(target, "restore", str(source.data / "backup.tar"))
    killer = Killer(await run_timed(target, "rekey"), kind, "rekey")
    for _ in killer.rounds(5 if thorough else 2):
        await killer.run_and_kill(target)
        assert await findings(target) == {}
        async with open_world(target):
            pass
        assert await findings(target) == {}
    assert killer.hits
    await run_timed(target, "rekey")
    with Served(environment(target)) as served:
        assert served.stop() == 0
    assert await findings(target) == {}
