"""Topics reach the other processes on one SQLite file, and processes that died are forgotten."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from teamspace.core.db.wakeups import Wakeups
from tests.support.waiting import until


@asynccontextmanager
async def listening(database: Path, name: str) -> AsyncIterator[tuple[Wakeups, list[str]]]:
    """A process that listens, and what it was told."""
    wakeups, heard = Wakeups(database), list[str]()
    wakeups._name = f"{name}.sock"
    async with wakeups.listen(heard.append):
        yield wakeups, heard


async def is_heard(heard: list[str], topics: list[str]) -> None:
    async def is_same() -> bool:
        return heard == topics

    await until(is_same)


async def test_topics_reach_all_others(tmp_path: Path) -> None:
    database = tmp_path / "x.sqlite"
    async with listening(database, "1") as (one, own), listening(database, "2") as (_, second):
        async with listening(database, "3") as (_, third):
            await one.notify(["jobs", "events:ü"])
            for heard in (second, third):
                await is_heard(heard, ["jobs", "events:ü"])
        await one.notify(["later"])
        await is_heard(second, ["jobs", "events:ü", "later"])
    assert own == [] and third == ["jobs", "events:ü"]


async def test_more_topics_than_a_datagram_has_room_for(tmp_path: Path) -> None:
    topics = [f"{number:04}" + "x" * 200 for number in range(400)]
    async with listening(tmp_path / "x", "1") as (one, _), listening(tmp_path / "x", "2") as (_, heard):
        await one.notify(topics)
        await is_heard(heard, topics)


async def test_the_socket_of_a_dead_process_is_removed(tmp_path: Path) -> None:
    database = tmp_path / "x"
    async with listening(database, "1") as (one, _), listening(database, "2") as (_, heard):
        dead = database.with_name("x-wakeups") / "3.sock"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as left:
            left.bind(str(dead))
        await one.notify(["jobs"])
        await is_heard(heard, ["jobs"])
        assert not dead.exists()


async def test_a_process_that_does_not_keep_up_holds_nobody_up(tmp_path: Path) -> None:
    database = tmp_path / "x"
    async with listening(database, "1") as (one, _):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as slow:
            slow.bind(str(database.with_name("x-wakeups") / "2.sock"))
            async with asyncio.timeout(10):
                for _ in range(1000):
                    await one.notify(["jobs"])
            slow.setblocking(False)
            assert slow.recv(1000) == b"jobs"


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only Linux has short paths to open folders")
async def test_a_folder_with_a_long_path(tmp_path: Path) -> None:
    database = tmp_path / ("long" * 30) / "x"
    database.parent.mkdir()
    async with listening(database, "1") as (one, _), listening(database, "2") as (_, heard):
        await one.notify(["jobs"])
        await is_heard(heard, ["jobs"])
    assert os.listdir(database.with_name("x-wakeups")) == []
