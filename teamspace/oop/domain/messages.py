"""Messages in lines of JSON, of a program that is not trusted: bounded in length, depth, number and rate."""

import asyncio
from collections.abc import AsyncIterator, Callable

import msgspec

from teamspace.core import json_body, pools
from teamspace.oop.domain import limits
from teamspace.oop.schemas import PluginMessage

_CHUNK = 64 * 1024
_THREAD_BYTES = 32 * 1024
_decoder = msgspec.json.Decoder(PluginMessage)


class BadPluginMessage(Exception):
    """A plugin sends what no plugin may send; it is ended."""


async def read(
    stream: asyncio.StreamReader, max_bytes: int, is_expected: Callable[[PluginMessage], bool] = lambda _: False
) -> AsyncIterator[PluginMessage]:
    """Read messages until the end. Lines that are none are skipped: careless programs print them.

    Only so many are read in a second; those that are expected, such as answers to our requests, do not count.
    """
    pace = _Pace()
    async for line in _lines(stream, max_bytes):
        message = await pools.TEXT.run(_decode, line) if len(line) > _THREAD_BYTES else _decode(line)
        await pace.keep(len(line), counts=message is None or not is_expected(message))
        if message is not None:
            yield message


def _decode(line: bytes) -> PluginMessage | None:
    _check(line)
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _check(line: bytes) -> None:
    """Refuse what would take long to decode, or what cannot be stored."""
    if json_body.is_too_deep(line) or json_body.has_too_many_values(line):
        raise BadPluginMessage("sends JSON that is too deep or has too many values")
    if json_body.has_nul(line):
        raise BadPluginMessage("sends a NUL character")


async def _lines(stream: asyncio.StreamReader, max_bytes: int) -> AsyncIterator[bytes]:
    line = bytearray()
    while chunk := await stream.read(_CHUNK):
        first, *others = chunk.split(b"\n")
        line += first
        for other in others:
            yield bytes(line)
            line = bytearray(other)
        if len(line) > max_bytes:
            raise BadPluginMessage(f"sends a message of more than {max_bytes} bytes")


class _Pace:
    """Waits if more is read than allowed, so that the writer has to wait, too.

    It waits often and briefly: reading holds the event loop, and an honest plugin must not be stopped for a second.
    """

    def __init__(self) -> None:
        self._now = asyncio.get_running_loop().time
        self._due = 0.0
        """When all that was read would have been read at the allowed rate."""

    async def keep(self, size: int, *, counts: bool) -> None:
        now = self._now()
        allowed_in = size / limits.BYTES_PER_SECOND + (1 / limits.LINES_PER_SECOND if counts else 0)
        self._due = max(self._due, now) + allowed_in
        if self._due - now > limits.BURST_SECONDS:
            await asyncio.sleep(self._due - now)
