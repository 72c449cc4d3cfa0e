"""Idle connections, kept for the next request of the same company to the same address."""

import asyncio
import ssl
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from teamspace.core.addresses import Address

if TYPE_CHECKING:
    from teamspace.core.egress.http1 import Http1Connection

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
    connection: "Http1Connection"
    expires_at: float


class ConnectionPool:
    def __init__(self, trust: ssl.SSLContext | None) -> None:
        self._trust = trust
        self._idle: list[_Idle] = []
        """Oldest first. Few enough to search from end to end."""
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def has(self, key: ConnectionKey) -> bool:
        return any(idle.key == key for idle in self._idle)

    def take(self, key: ConnectionKey) -> "Http1Connection | None":
        """Return the connection that was used last, unless the server has closed it or has sent something unasked."""
        for idle in [idle for idle in reversed(self._idle) if idle.key == key]:
            self._idle.remove(idle)
            if idle.connection.is_usable:
                return idle.connection
            idle.connection.close()
        return None

    async def connect(self, key: ConnectionKey, seconds: float) -> "Http1Connection":
        """Return a new connection; raises NoConnection."""
        from teamspace.core.egress.http1 import Http1Connection  # noqa: PLC0415 - wasted without outgoing requests

        certificates = self._certificates if key.scheme == "https" else None
        return await Http1Connection.open(str(key.address), key.port, certificates, key.host, seconds)

    @cached_property
    def _certificates(self) -> ssl.SSLContext:
        import httpx2  # noqa: PLC0415 - takes an eighth of a second

        certificates = self._trust or httpx2.create_ssl_context(trust_env=False)
        certificates.set_alpn_protocols(["http/1.1"])
        return certificates

    def put(self, key: ConnectionKey, connection: "Http1Connection") -> None:
        """Keep a connection whose response is complete; close it if it cannot be used again."""
        if self._closed or not connection.is_idle:
            connection.close()
            return
        self._idle.append(_Idle(key, connection, asyncio.get_running_loop().time() + IDLE_SECONDS))
        if len(self._idle) > MAX_IDLE:
            self._idle.pop(0).connection.close()
        self._set_timer()

    def close(self) -> None:
        """Close the idle connections, and from now on every other after its response."""
        self._closed = True
        if self._timer:
            self._timer.cancel()
        self._close_until(float("inf"))

    def _set_timer(self) -> None:
        if self._timer is None and self._idle:
            self._timer = asyncio.get_running_loop().call_at(self._idle[0].expires_at, self._close_expired)

    def _close_expired(self) -> None:
        self._timer = None
        self._close_until(asyncio.get_running_loop().time())
        self._set_timer()

    def _close_until(self, moment: float) -> None:
        while self._idle and self._idle[0].expires_at <= moment:
            self._idle.pop(0).connection.close()
