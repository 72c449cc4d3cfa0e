"""Messages in lines of JSON, of a program that is not trusted: bounded in length, depth, number and rate."""

import asyncio
from collections.abc import AsyncIterator

import msgspec

from teamspace.core import json_body, pools
from teamspace.oop.domain import limits
from teamspace.oop.schemas import PluginMessage

_CHUNK = 64 * 1024
_THREAD_BYTES = 32 * 1024
_decoder = msgspec.json.Decoder(PluginMessage)


class BadPluginMessage(Exception):
    """A plugin sends what no plugin may send; it is ended."""


async def read(stream: asyncio.StreamReader, max_bytes: int) -> AsyncIterator[PluginMessage]:
    """Read messages until the end. Lines that are none are skipped: careless programs print them."""
    async for line in _lines(stream, max_bytes):
        if len(line) > _THREAD_BYTES:
            await pools.TEXT.run(_check, line)
        else:
            _check(line)
        try:
            yield _decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue


def _check(line: bytes) -> None:
    """Refuse what would take long to decode, or what cannot be stored."""
    if json_body.is_too_deep(line) or json_body.has_too_many_values(line):
        raise BadPluginMessage("sends JSON that is too deep or has too many values")
    if json_body.has_nul(line):
        raise BadPluginMessage("sends a NUL character")


async def _lines(stream: asyncio.StreamReader, max_bytes: int) -> AsyncIterator[bytes]:
    line, pace = bytearray(), _Pace()
    while chunk := await stream.read(_CHUNK):
        first, *others = chunk.split(b"\n")
        line += first
        for other in others:
            await pace.keep(len(line))
            yield bytes(line)
            line = bytearray(other)
        if len(line) > max_bytes:
            raise BadPluginMessage(f"sends a message of more than {max_bytes} bytes")


class _Pace:
    """Waits if more is read than allowed, so that the writer has to wait, too."""

    def __init__(self) -> None:
        self._lines = self._bytes = 0
        self._began = asyncio.get_running_loop().time()

    async def keep(self, size: int) -> None:
        self._lines += 1
        self._bytes += size
        if self._lines > limits.LINES_PER_SECOND or self._bytes > limits.BYTES_PER_SECOND:
            await asyncio.sleep(max(0.0, self._began + 1 - asyncio.get_running_loop().time()))
            self._lines = self._bytes = 0
            self._began = asyncio.get_running_loop().time()
