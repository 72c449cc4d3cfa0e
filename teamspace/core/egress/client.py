"""Check where a request may go, resolve its host, and send it to an address that was checked."""

import asyncio
import ipaddress
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from teamspace.core import pools
from teamspace.core.addresses import Address, is_public
from teamspace.core.egress.connections import ConnectionKey, ConnectionPool
from teamspace.core.egress.requests import (
    MAX_BYTES,
    EgressFailed,
    EgressFault,
    NetworkReach,
    NoConnection,
    OutgoingRequest,
    PieceFilter,
    Timeouts,
)
from teamspace.core.egress.urls import Destination, EgressRefused, bracket, parse
from teamspace.core.errors import Overloaded

if TYPE_CHECKING:
    import httpx2

    from teamspace.core.egress.sending import StreamedResponse

log = logging.getLogger("teamspace.egress")

Resolve = Callable[[str, int], Awaitable[list[str]]]


class HttpResponse(msgspec.Struct, frozen=True):
    status: int
    body: bytes


class Egress:
    def __init__(
        self, *, allow: Collection[tuple[str, int]] = (), own: Collection[tuple[str, int]] = (),
        resolve: Resolve | None = None, trust: ssl.SSLContext | None = None,
    ) -> None:  # fmt: skip
        """`own` are the addresses of this server itself: where it listens, and its public name."""
        self._allow, self._own = frozenset(allow), frozenset(own)
        self._own_ports = frozenset(port for _, port in own)
        self._resolve = resolve or _resolve
        self._connections = ConnectionPool(trust)

    def check(self, url: str, reach: NetworkReach) -> Destination:
        """Parse and check a URL without using the network."""
        target = parse(url)
        if reach is not NetworkReach.ANY and target.scheme != "https" and target.host_port not in self._allow:
            if reach is NetworkReach.PUBLIC:
                raise EgressRefused("egress.https")
            raise EgressRefused("egress.https_or_listed", host=_name_and_port(target))
        literal = target.literal
        if target.host_port in self._own or (literal and not self._is_allowed(target, literal, reach)):
            raise self._refusal(target, reach)
        return target

    async def verify(self, url: str, reach: NetworkReach, seconds: float = 3) -> None:
        """Check a URL including its DNS lookup: refuse it unless it could be called now."""
        target = self.check(url, reach)
        try:
            async with asyncio.timeout(seconds):
                await self._resolve_allowed(target, reach)
        except (EgressFailed, TimeoutError):
            # Unknown and internal hosts get the same error, so that no one can probe our internal names.
            raise self._refusal(target, reach) from None

    async def call(self, request: OutgoingRequest) -> HttpResponse:
        """Send a request and return its response."""
        response = await self.open(request)
        return HttpResponse(response.status, await response.read())

    @asynccontextmanager
    async def stream(self, request: OutgoingRequest) -> AsyncIterator["StreamedResponse"]:
        """Send a request and yield its response, to be read piece by piece; an exception closes the connection."""
        response = await self.open(request)
        try:
            yield response
            await response.finish()
        finally:
            response.close()

    async def open(self, request: OutgoingRequest) -> "StreamedResponse":
        """Send a request and return its response, which the caller must close."""
        try:
            target = self.check(request.url, request.reach)
        except EgressRefused as fault:
            raise EgressFailed(EgressFault.UNREACHABLE) from fault
        deadline = asyncio.get_running_loop().time() + request.timeouts.total
        try:
            async with asyncio.timeout_at(deadline):
                addresses = await self._resolve_allowed(target, request.reach)
        except TimeoutError:
            raise EgressFailed(EgressFault.TIMEOUT) from None
        except Overloaded as fault:
            raise EgressFailed(EgressFault.UNRESOLVED) from fault
        return await self._send(request, target, addresses, deadline)

    def transport(
        self, reach: NetworkReach, on_behalf_of: str, *, timeouts: Timeouts, max_bytes: int = MAX_BYTES,
        filtered: PieceFilter | None = None,
    ) -> "httpx2.AsyncBaseTransport":  # fmt: skip
        """Return a transport for a library that brings its own HTTP client: all rules apply to the client's requests."""
        from teamspace.core.egress.transport import EgressTransport  # noqa: PLC0415 - takes an eighth of a second

        return EgressTransport(self, reach, on_behalf_of, timeouts, max_bytes, filtered)

    async def aclose(self) -> None:
        """Close the idle connections; those in use are closed when their responses end."""
        self._connections.close()
        await asyncio.sleep(0)  # the event loop closes their sockets

    async def _resolve_allowed(self, target: Destination, reach: NetworkReach) -> list[Address]:
        """Resolve the host; fail unless all its addresses are allowed."""
        literal = target.literal
        try:
            found = [literal] if literal else [*map(ipaddress.ip_address, await self._resolve(*target.host_port))]
        except (OSError, ValueError, UnicodeError) as fault:
            raise EgressFailed(EgressFault.UNREACHABLE) from fault
        if not found or not all(self._is_allowed(target, address, reach) for address in found):
            log.warning(
                "refused to call %s: it resolves to %s", target.authority, ", ".join(map(str, found)) or "nothing"
            )
            raise EgressFailed(EgressFault.UNREACHABLE)
        return found

    def _is_allowed(self, target: Destination, address: Address, reach: NetworkReach) -> bool:
        if reach is NetworkReach.ANY:
            return True
        if reach is NetworkReach.LISTED and target.host_port in self._allow:
            return not (target.port in self._own_ports and _is_local(address))
        return is_public(address) and not _is_local(address)

    def _refusal(self, target: Destination, reach: NetworkReach) -> EgressRefused:
        if reach is NetworkReach.LISTED and target.host_port in self._allow:
            return EgressRefused("egress.this_server")
        if reach is NetworkReach.PUBLIC:
            return EgressRefused("egress.public")
        return EgressRefused("egress.public_or_listed", host=_name_and_port(target))

    async def _send(
        self, request: OutgoingRequest, target: Destination, addresses: Sequence[Address], deadline: float
    ) -> "StreamedResponse":
        """Send to the first address that accepts a connection, preferably to one with an idle connection."""
        from teamspace.core.egress.sending import send  # noqa: PLC0415 - wasted without outgoing requests

        keys = [ConnectionKey(request.on_behalf_of, target.scheme, *target.host_port, each) for each in addresses]
        if len(keys) > 1:
            keys.sort(key=self._connections.has, reverse=True)
        for key in keys:
            try:
                return await send(request, target, key, self._connections, deadline)
            except NoConnection as fault:
                log.info("no connection to %s at %s: %s", target.authority, key.address, fault)
        raise EgressFailed(EgressFault.UNREACHABLE)


async def _resolve(host: str, port: int) -> list[str]:
    found = await pools.NAMES.run(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    return [str(place[0]) for *_, place in found]


def _is_local(address: Address) -> bool:
    """Return whether the address belongs to this machine: only those can be bound."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True


def _name_and_port(target: Destination) -> str:
    return f"{bracket(target.host)}:{target.port}"
