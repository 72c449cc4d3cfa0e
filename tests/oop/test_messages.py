"""What is read of a plugin: as much as is allowed, in short pieces, and answers to calls at once."""

import asyncio
import json

import pytest

from teamspace.oop.domain import limits, messages
from teamspace.oop.schemas import PluginMessage


class Clock:
    """Time that passes only while something waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.waits = 1000.0, list[float]()
        monkeypatch.setattr(asyncio, "sleep", self.sleep)
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: self.now)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


async def read(*lines: bytes, expected: bool = False) -> list[PluginMessage]:
    stream = asyncio.StreamReader()
    stream.feed_data(b"\n".join((*lines, b"")))
    stream.feed_eof()
    return [message async for message in messages.read(stream, limits.RECEIVED_BYTES, lambda _: expected)]


async def test_a_talkative_plugin_is_read_in_short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    count = 4 * limits.LINES_PER_SECOND
    assert len(await read(*[b'{"method":"log"}'] * count)) == count
    assert 3.9 < clock.now - 1000 < 4.1
    assert max(clock.waits) < 2 * limits.BURST_SECONDS, "an honest plugin is never stopped for long"
    at_once = count / len(clock.waits)
    assert at_once < 2 * limits.BURST_SECONDS * limits.LINES_PER_SECOND, "nor do others wait for it"


async def test_answers_to_calls_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    assert len(await read(*[b'{"id":1,"result":{}}'] * 5000, expected=True)) == 5000
    assert clock.waits == []


async def test_their_bytes_count(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    long = json.dumps({"id": 1, "result": "x" * (limits.RECEIVED_BYTES - 100)}).encode()
    assert len(await read(*[long] * 8, expected=True)) == 8
    assert clock.now - 1000 == pytest.approx(8 * len(long) / limits.BYTES_PER_SECOND, rel=0.05)


async def test_lines_that_are_no_messages_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    assert await read(*[b"Starting"] * limits.LINES_PER_SECOND, expected=True) == []
    assert clock.now - 1000 > 0.9
