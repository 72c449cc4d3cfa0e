"""A supervisor sees by their heartbeats which processes hang."""

import asyncio
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from teamspace.core import heartbeats
from teamspace.core.db.sqlite import Sqlite
from teamspace.core.heartbeats import Heartbeats, Silence
from tests.support.waiting import until


async def test_a_running_event_loop_beats_for_its_process_only(tmp_path: Path) -> None:
    supervisor, process = (Heartbeats(tmp_path / "beats", 2) for _ in range(2))
    beating = asyncio.create_task(process.beat(1, lambda: 0.0))
    await asyncio.sleep(0)
    assert [supervisor.read(number) for number in range(2)] == [0, 1]
    beating.cancel()
    with suppress(asyncio.CancelledError):
        await beating
    supervisor.reset(1)
    assert process.read(1) == 0


async def test_a_process_whose_commit_hangs_does_not_beat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "BEAT_SECONDS", 0.001)
    monkeypatch.setattr(heartbeats, "COMMIT_SECONDS", 0.05)
    beats, engine, go_on = Heartbeats(tmp_path / "beats", 1), Sqlite(tmp_path / "a.sqlite"), Event()
    await engine.script("CREATE TABLE things (id INTEGER)")
    monkeypatch.setattr(engine, "_release_turn", go_on.wait)  # the last step of a commit

    async def write() -> None:
        async with engine.transaction() as transaction:
            await transaction.add("INSERT INTO things VALUES (1)", {})

    async def takes_long() -> bool:
        return engine.commit_seconds > 0.1

    async def beats_again() -> bool:
        return beats.read(0) > count

    beating = asyncio.create_task(beats.beat(0, lambda: engine.commit_seconds))
    writing = asyncio.create_task(write())
    await until(takes_long)
    count = beats.read(0)
    await asyncio.sleep(0.05)
    assert beats.read(0) == count > 0
    go_on.set()
    await writing
    assert engine.commit_seconds == 0.0
    await until(beats_again)
    beating.cancel()
    await engine.close()


def test_a_process_that_has_not_begun_is_not_silent() -> None:
    silence = Silence()
    assert [silence.check(count) for count in (0, 0, 0, 1, 1, 1, 2, 2)] == [0, 0, 0, 0, 1, 2, 0, 1]
    assert [silence.check(count) for count in (0, 0, 1, 1)] == [0, 0, 0, 1]
