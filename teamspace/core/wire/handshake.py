"""A connection until its TLS is negotiated. It counts as one: the event loop's own TLS would tell of it only after that."""

import asyncio
import ssl
from collections.abc import Coroutine
from typing import Any, Protocol, cast

from teamspace.core.wire.connection import Connection
from teamspace.core.wire.limits import WireLimits

_GOODBYE_SECONDS = 600.0
"""How long a response may go on after the connection was closed; the sweeper ends it if the client stops reading."""


class Admission(Protocol):
    """The server, as a handshake sees it."""

    limits: WireLimits

    def admit(self, connection: "Handshake") -> bool: ...

    def release(self, connection: "Handshake") -> None: ...


class Handshake(asyncio.Protocol):
    __slots__ = ("_acceptor", "_connection", "_early", "_loop", "_negotiation", "_tls", "_transport", "address")

    def __init__(
        self, acceptor: Admission, connection: Connection, tls: ssl.SSLContext, loop: asyncio.AbstractEventLoop
    ) -> None:
        """`connection` takes over once there is TLS."""
        self._acceptor, self._connection, self._tls, self._loop = acceptor, connection, tls, loop
        self.address, self._early = "", b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self.address = peer[0] if peer else ""
        if not self._acceptor.admit(self):
            self._transport.abort()  # a refusal that it could read would cost a handshake
            return
        self._negotiation: Coroutine[Any, Any, asyncio.Transport | None] = self._loop.start_tls(
            self._transport, self, self._tls, server_side=True,
            ssl_handshake_timeout=self._acceptor.limits.handshake, ssl_shutdown_timeout=_GOODBYE_SECONDS,
        )  # fmt: skip
        self._go_on()

    def _go_on(self, waited_for: object = None) -> None:
        """Run the negotiation up to its next wait. A task would begin later, and bytes arrive before that."""
        try:
            waiting: asyncio.Future[Any] = self._negotiation.send(None)
        except StopIteration as end:
            self._take(end.value)
        except OSError:
            self._acceptor.release(self)
        else:
            waiting.add_done_callback(self._go_on)

    def _take(self, transport: asyncio.Transport) -> None:
        self._acceptor.release(self)
        if transport.is_closing():
            return
        transport.set_protocol(self._connection)
        self._connection.connection_made(transport)
        if self._early:
            self._connection.data_received(self._early)

    def data_received(self, data: bytes) -> None:
        """Keep what asyncio's own TLS delivers before it says that there is TLS."""
        self._early += data

    def connection_lost(self, fault: Exception | None) -> None:
        self._acceptor.release(self)

    # Called by the server

    def sweep(self, now: float) -> None:
        """Do nothing: TLS has a time limit of its own."""

    def drain(self) -> None:
        self.abort()

    def abort(self) -> None:
        self._transport.abort()
