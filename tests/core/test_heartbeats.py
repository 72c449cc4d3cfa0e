"""A supervisor sees by their heartbeats which processes hang."""

import asyncio
from contextlib import suppress
from pathlib import Path

from teamspace.core.heartbeats import Heartbeats, Silence


async def test_a_running_event_loop_beats_for_its_process_only(tmp_path: Path) -> None:
    supervisor, process = (Heartbeats(tmp_path / "beats", 2) for _ in range(2))
    beating = asyncio.create_task(process.beat(1))
    await asyncio.sleep(0)
    assert [supervisor.read(number) for number in range(2)] == [0, 1]
    beating.cancel()
    with suppress(asyncio.CancelledError):
        await beating
    supervisor.reset(1)
    assert process.read(1) == 0


def test_a_process_that_has_not_begun_is_not_silent() -> None:
    silence = Silence()
    assert [silence.check(count) for count in (0, 0, 0, 1, 1, 1, 2, 2)] == [0, 0, 0, 0, 1, 2, 0, 1]
    assert [silence.check(count) for count in (0, 0, 1, 1)] == [0, 0, 0, 1]
