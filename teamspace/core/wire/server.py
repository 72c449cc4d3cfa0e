"""The listening server: accepts connections within limits, sweeps those that stall, and drains them at the end."""

import asyncio
import socket
import ssl
import sys
from collections import Counter
from collections.abc import Sequence

from teamspace.core.addresses import Network, is_trusted, rate_limit_key
from teamspace.core.wire.connection import App, Connection
from teamspace.core.wire.handshake import Handshake
from teamspace.core.wire.limits import WireLimits
from teamspace.core.wire.start_queue import StartQueue

_LAST_CALL_SECONDS = 0.1
"""How long a server that drains still accepts and reads, so that what the system holds for it is not reset."""


class Server:
    def __init__(
        self, app: App, *, limits: WireLimits, tls: ssl.SSLContext | None = None,
        trusted: Sequence[Network] = (),
    ) -> None:  # fmt: skip
        """`trusted` are proxies: theirs are the connections of many clients."""
        self.app, self.limits, self.draining = app, limits, False
        self.starts = StartQueue(limits.starts)
        self._tls, self._trusted = tls, trusted
        self._connections: set[Connection | Handshake] = set()
        self._by_address: Counter[str] = Counter()
        self._server: asyncio.Server | None = None
        self._sweeper: asyncio.TimerHandle | None = None
        self._empty = asyncio.Event()
        self._empty.set()

    async def listen(self, host: str, port: int) -> int:
        """Accept connections from now on; return the port, which the system chooses if it is 0."""
        listener = self._bind(host, port)
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._new_protocol, sock=listener, backlog=self.limits.backlog)
        self._schedule_sweep()
        found: int = listener.getsockname()[1]
        return found

    def _new_protocol(self) -> Connection | Handshake:
        loop = asyncio.get_running_loop()
        connection = Connection(self, loop)
        return connection if self._tls is None else Handshake(self, connection, self._tls, loop)

    def _bind(self, host: str, port: int) -> socket.socket:
        """Return the listening socket; the connections inherit its options."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=self.limits.backlog, reuse_port=True)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if sys.platform == "linux":
            # Otherwise the system takes megabytes for a client that stalls, and hides for long that a slow one reads.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, self.limits.write_ahead)
        return listener

    def send_away(self) -> None:
        """Close every connection after its next response, while new ones are still accepted."""
        self.draining = True

    async def drain(self) -> None:
        """Take the requests that have already been sent, accept no more connections, and close those there are once
        their requests are answered.
        """
        self.send_away()
        await asyncio.sleep(_LAST_CALL_SECONDS)
        self._stop_listening()

    def _stop_listening(self) -> None:
        if self._server is not None:
            self._server.close()
        for connection in tuple(self._connections):
            connection.drain()

    async def wait_closed(self) -> None:
        """Wait until the last connection is closed."""
        await self._empty.wait()

    def abort(self) -> None:
        """Close all connections at once."""
        self.send_away()
        self._stop_listening()
        for connection in tuple(self._connections):
            connection.abort()
        if self._sweeper is not None:
            self._sweeper.cancel()

    # Called by connections

    def admit(self, connection: Connection | Handshake) -> bool:
        """Add a connection; return False if it is one too many, which it is told."""
        self._connections.add(connection)
        self._empty.clear()
        key = self._key(connection)
        self._by_address[key] += 1
        limits, count = self.limits, len(self._connections)
        if count > limits.connections + limits.backlog:
            connection.abort()
        is_crowded = bool(key) and self._by_address[key] > limits.connections_per_address
        return count <= limits.connections and not is_crowded

    def release(self, connection: Connection | Handshake) -> None:
        """Remove a connection, unless that has been done."""
        if connection not in self._connections:
            return
        self._connections.discard(connection)
        key = self._key(connection)
        self._by_address[key] -= 1
        if not self._by_address[key]:
            del self._by_address[key]
        if not self._connections:
            self._empty.set()

    def is_proxy(self, connection: Connection | Handshake) -> bool:
        """Whether requests of many clients come over this connection."""
        return is_trusted(connection.address, self._trusted)

    def _key(self, connection: Connection | Handshake) -> str:
        return "" if self.is_proxy(connection) else rate_limit_key(connection.address)

    def _schedule_sweep(self) -> None:
        self._sweeper = asyncio.get_running_loop().call_later(self.limits.sweep, self._sweep)

    def _sweep(self) -> None:
        now = asyncio.get_running_loop().time()
        for connection in tuple(self._connections):
            connection.sweep(now)
        self._schedule_sweep()
