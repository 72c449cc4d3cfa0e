"""Idle connections, kept for the next request of the same company to the same address."""

import asyncio
import ssl
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from teamspace.core.addresses import Address

if TYPE_CHECKING:
    import httpcore2

MAX_IDLE = 64
IDLE_SECONDS = 30.0


class ConnectionKey(msgspec.Struct, frozen=True):
    """What a connection can be used for: requests of one company to one host at one checked address."""

    on_behalf_of: str
    scheme: str
    host: str
    port: int
    address: Address


class _Idle(msgspec.Struct, frozen=True):
    key: ConnectionKey
    connection: "httpcore2.AsyncHTTPConnection"
    expires_at: float


class ConnectionPool:
    def __init__(self, trust: ssl.SSLContext | None) -> None:
        self._trust = trust
        self._idle: list[_Idle] = []
        """Oldest first. Few enough to search from end to end."""
        self._timer: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._closed = False

    def has(self, key: ConnectionKey) -> bool:
        return any(idle.key == key for idle in self._idle)

    def take(self, key: ConnectionKey) -> "httpcore2.AsyncHTTPConnection | None":
        """Return the connection that was used last, unless the server has closed it or has sent something unasked."""
        for idle in [idle for idle in reversed(self._idle) if idle.key == key]:
            self._idle.remove(idle)
            if not idle.connection.has_expired():
                return idle.connection
            self.discard(idle.connection)
        return None

    def connect(self, key: ConnectionKey) -> "httpcore2.AsyncHTTPConnection":
        """Return a new connection, which is established by its first request."""
        import httpcore2  # noqa: PLC0415 - takes a fifteenth of a second, wasted on a server without outgoing requests

        origin = httpcore2.Origin(key.scheme.encode(), str(key.address).encode(), key.port)
        return httpcore2.AsyncHTTPConnection(origin, self._certificates if key.scheme == "https" else None)

    @cached_property
    def _certificates(self) -> ssl.SSLContext:
        import httpx2  # noqa: PLC0415 - takes an eighth of a second

        return self._trust or httpx2.create_ssl_context(trust_env=False)

    def put(self, key: ConnectionKey, connection: "httpcore2.AsyncHTTPConnection") -> None:
        """Keep a connection whose response is complete; close it if it cannot be used again."""
        if self._closed or not connection.is_idle() or _has_unread_bytes(connection):
            return self.discard(connection)
        self._idle.append(_Idle(key, connection, asyncio.get_running_loop().time() + IDLE_SECONDS))
        if len(self._idle) > MAX_IDLE:
            self.discard(self._idle.pop(0).connection)
        self._set_timer()

    def discard(self, connection: "httpcore2.AsyncHTTPConnection") -> None:
        """Close a connection in a task of its own, which a cancelled caller does not take along."""
        task = asyncio.create_task(_close(connection))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def aclose(self) -> None:
        """Close the idle connections, and from now on every other after its response."""
        self._closed = True
        if self._timer:
            self._timer.cancel()
        self._close_until(float("inf"))
        await asyncio.gather(*self._closing)

    def _set_timer(self) -> None:
        if self._timer is None and self._idle:
            self._timer = asyncio.get_running_loop().call_at(self._idle[0].expires_at, self._close_expired)

    def _close_expired(self) -> None:
        self._timer = None
        self._close_until(asyncio.get_running_loop().time())
        self._set_timer()

    def _close_until(self, moment: float) -> None:
        while self._idle and self._idle[0].expires_at <= moment:
            self.discard(self._idle.pop(0).connection)


def _has_unread_bytes(connection: "httpcore2.AsyncHTTPConnection") -> bool:
    """Return whether more than the response has arrived: it would be taken for the response to the next request."""
    http11: Any = connection._connection  # the library offers no other way to know
    unread: bytes = http11._h11_state.trailing_data[0]
    return bool(unread)


async def _close(connection: "httpcore2.AsyncHTTPConnection") -> None:
    with suppress(Exception):  # its socket is closed even if saying goodbye fails
        await connection.aclose()
