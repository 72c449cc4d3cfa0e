"""A TCP proxy to PostgreSQL that can stall: connections stay open, but no data passes."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self
from urllib.parse import urlsplit


class StallingProxy:
    def __init__(self, url: str) -> None:
        self._target = urlsplit(url)
        self._open = asyncio.Event()
        self._open.set()
        self._tasks: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Self]:
        server = await asyncio.start_server(self._on_connection, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()

    @property
    def url(self) -> str:
        target = self._target
        return target._replace(netloc=f"{target.username}@127.0.0.1:{self._port}").geturl()

    def stall(self) -> None:
        self._open.clear()

    def resume(self) -> None:
        self._open.set()

    async def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._open.wait()
        upstream_reader, upstream_writer = await asyncio.open_connection(self._target.hostname, self._target.port)
        for copying in (self._copy(reader, upstream_writer), self._copy(upstream_reader, writer)):
            task = asyncio.create_task(copying)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await self._open.wait()
                writer.write(data)
                await writer.drain()
        writer.close()
