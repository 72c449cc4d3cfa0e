"""A way to PostgreSQL that can fall silent: connections stay open, and nothing passes any more in either direction."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self
from urllib.parse import urlsplit


class Passage:
    def __init__(self, url: str) -> None:
        self._target = urlsplit(url)
        self._open = asyncio.Event()
        self._open.set()
        self._ways: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Self]:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for way in self._ways:
                way.cancel()

    @property
    def url(self) -> str:
        target = self._target
        return target._replace(netloc=f"{target.username}@127.0.0.1:{self._port}").geturl()

    def fall_silent(self) -> None:
        self._open.clear()

    def speak_again(self) -> None:
        self._open.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._open.wait()
        there = await asyncio.open_connection(self._target.hostname, self._target.port)
        for way in (self._passed_on(reader, there[1]), self._passed_on(there[0], writer)):
            task = asyncio.create_task(way)
            self._ways.add(task)
            task.add_done_callback(self._ways.discard)

    async def _passed_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await self._open.wait()
                writer.write(data)
                await writer.drain()
        writer.close()
