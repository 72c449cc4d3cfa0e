"""Detects whether the client of a request has disconnected."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any


class Disconnected(Exception):
    """The client disconnected; there is no one to respond to."""


class DisconnectWatch:
    """Waits for the disconnect message, which the HTTP server sends through `receive` after the body.

    Watching costs a task, so only long requests do it: streams, downloads, long polls. The server sends the same
    message once a response is complete, so after that it means nothing.
    """

    __slots__ = ("_receive", "_watch")

    def __init__(self, receive: Callable[[], Awaitable[MutableMapping[str, Any]]]) -> None:
        self._receive = receive
        self._watch: asyncio.Task[None] | None = None

    @property
    def has_disconnected(self) -> bool:
        """False also if `watch` was never called."""
        return self._watch is not None and self._watch.done()

    def watch(self) -> "asyncio.Future[None]":
        """Start watching; the future is done when the client has disconnected."""
        if self._watch is None:
            self._watch = asyncio.create_task(self._wait())
        return self._watch

    def close(self) -> None:
        """Stop watching: the request is over."""
        if self._watch is not None:
            self._watch.cancel()

    async def _wait(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
