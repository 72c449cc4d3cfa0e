"""Whether the client of a request is still connected."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any


class Disconnected(Exception):
    """The client went away; there is nobody to answer."""


class Departure:
    """The end of a client's connection, as the HTTP server reports it through `receive` after the body.

    Watching costs a task, so only what takes long watches: a stream, a download, a long poll. The server reports
    the same once an answer is complete: what is read after that means nothing.
    """

    __slots__ = ("_receive", "_watch")

    def __init__(self, receive: Callable[[], Awaitable[MutableMapping[str, Any]]]) -> None:
        self._receive = receive
        self._watch: asyncio.Task[None] | None = None

    @property
    def happened(self) -> bool:
        """False also where nobody has watched."""
        return self._watch is not None and self._watch.done()

    def watched(self) -> "asyncio.Future[None]":
        """From here on it is known; the future is done when the client has gone."""
        if self._watch is None:
            self._watch = asyncio.create_task(self._reported())
        return self._watch

    def close(self) -> None:
        """The request is over."""
        if self._watch is not None:
            self._watch.cancel()

    async def _reported(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
