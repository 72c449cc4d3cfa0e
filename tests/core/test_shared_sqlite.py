"""Several engines on one SQLite file, as the processes of one server have them."""

import asyncio
import fcntl
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from teamspace.core.db.sqlite import Sqlite
from teamspace.core.db.write_turn import WriteTurn
from teamspace.core.errors import StorageFull


@pytest.fixture
async def engines(tmp_path: Path) -> AsyncIterator[list[Sqlite]]:
    made = [Sqlite(tmp_path / "shared.sqlite", sync="normal", shared=True) for _ in range(3)]
    await made[0].script("CREATE TABLE counter (value INTEGER); INSERT INTO counter VALUES (0)")
    yield made
    for engine in made:
        await engine.close()


async def add_one(engine: Sqlite, *, durable: bool = True) -> None:
    """Read and write in two statements: an interleaved writer would lose one."""
    async with engine.transaction(durable=durable) as tx:
        ((value,),) = await tx.fetch("SELECT value FROM counter", {})
        await asyncio.sleep(0)
        await tx.fetch("UPDATE counter SET value = :value", {"value": value + 1})


async def counted(engine: Sqlite) -> int:
    ((value,),) = await engine.fetch("SELECT value FROM counter", {})
    return int(value)


async def test_no_write_is_lost(engines: list[Sqlite]) -> None:
    work = [add_one(engine, durable=bool(number % 3)) for number in range(100) for engine in engines]
    await asyncio.gather(*work)
    assert [await counted(engine) for engine in engines] == [300, 300, 300]


async def test_a_transaction_that_fails_lets_the_others_write(engines: list[Sqlite]) -> None:
    first, second, _ = engines
    for durable in (True, False):
        with pytest.raises(ValueError, match="on purpose"):
            async with first.transaction(durable=durable):
                raise ValueError("on purpose")
        async with asyncio.timeout(10):
            await add_one(second)
    assert await counted(first) == 2


async def test_a_waiting_transaction_that_is_cancelled_lets_the_others_write(engines: list[Sqlite]) -> None:
    first, second, third = engines
    async with first.transaction() as tx:
        await tx.fetch("UPDATE counter SET value = 10", {})
        waiting = asyncio.create_task(add_one(second))
        await asyncio.sleep(0.1)
        waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    async with asyncio.timeout(10):
        await add_one(third)
        await add_one(second)
    assert await counted(first) == 12


async def test_a_disk_that_fails_lets_the_others_write(engines: list[Sqlite]) -> None:
    first, second, _ = engines
    first._writer.execute("PRAGMA max_page_count = 1")
    with pytest.raises(StorageFull):
        async with first.transaction() as tx:
            await tx.fetch("CREATE TABLE large AS SELECT randomblob(100000) AS data", {})
    async with asyncio.timeout(10):
        await add_one(second)
    assert await counted(second) == 1


def test_whoever_waits_is_next(tmp_path: Path) -> None:
    writer, waiter = WriteTurn(tmp_path / "x"), WriteTurn(tmp_path / "x")
    assert writer.try_take()
    assert not waiter.try_take()
    taking = threading.Thread(target=waiter.take)
    taking.start()
    while True:  # until the other waits
        with (tmp_path / "x-queue").open("a") as queue:
            try:
                fcntl.flock(queue, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                break
    writer.release()
    assert not writer.try_take(), "it has just written"
    taking.join(10)
    waiter.release()
    assert writer.try_take()
    writer.release()


async def test_a_change_of_rights_is_known_to_the_next_writer(engines: list[Sqlite]) -> None:
    """Without anyone who tells it after the commit: the process that changed them may have been killed."""
    first, second, _ = engines
    for durable in (True, False):
        before = second.epoch.read()
        async with first.transaction(durable=durable) as tx:
            tx.rights_changed = True
        assert second.epoch.read() != before
        before = second.epoch.read()
        await add_one(first)
        assert second.epoch.read() == before
