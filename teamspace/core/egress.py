"""The one way out: every HTTP request that the server makes.

A URL is parsed once, by an unambiguous grammar. Its host is resolved once, every resulting address is checked, and
exactly one of them is called, with the certificate verified for the host. The transport is used without a client, so
there are no redirects, no cookies and no proxies from the environment. Each request uses a new connection, so
companies never share one.
"""

import asyncio
import ipaddress
import logging
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Collection, Mapping
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from teamspace.core import pools
from teamspace.core.addresses import Address, is_public
from teamspace.core.errors import KeyedError, Overloaded

if TYPE_CHECKING:
    import httpx2

log = logging.getLogger("teamspace.egress")

MAX_BYTES = 8 * 1024 * 1024
_MAX_LENGTH = 2000
_PORTS = {"http": 80, "https": 443}
_URL = re.compile(
    r"(?P<scheme>https?)://"
    r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*))"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?P<path>(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)*)"
)
_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
"""Hosts that some parsers read as an IPv4 address, in one of its many spellings."""
_DOT_SEGMENT = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)

Resolve = Callable[[str, int], Awaitable[list[str]]]


class EgressRefused(KeyedError):
    """The URL must not be called; the message says why, and reveals nothing about the network."""


class EgressFault(StrEnum):
    """Why there is no usable response; may be shown to any caller."""

    UNREACHABLE = "cannot be reached"
    UNRESOLVED = "cannot be resolved at the moment"
    TIMEOUT = "did not answer in time"
    NOT_HTTP = "closed the connection, or did not speak HTTP"
    COMPRESSED = "sent a compressed response that was not requested"
    TOO_LARGE = "sent a response of more than 8 MiB"


class EgressFailed(Exception):
    """There is no usable response."""

    def __init__(self, reason: EgressFault) -> None:
        super().__init__(reason)
        self.reason = reason


class NetworkReach(StrEnum):
    """Which hosts a request may reach, depending on who configured its URL."""

    PUBLIC = "public"
    """Public hosts over https: for URLs from tenants."""
    LISTED = "listed"
    """Also the hosts in SERVICE_EGRESS_ALLOW: for URLs from operators."""
    ANY = "any"
    """Any host: for the worker, whose own user gives the URL."""


class Timeouts(msgspec.Struct, frozen=True):
    """Seconds to connect, to receive the next bytes, and in total."""

    connect: float = 5
    read: float = 60
    total: float = 120


DEFAULT_TIMEOUTS = Timeouts()


class Destination(msgspec.Struct, frozen=True):
    """A parsed URL."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def host_port(self) -> tuple[str, int]:
        return self.host, self.port

    @property
    def authority(self) -> str:
        name = _bracket(self.host)
        return name if self.port == _PORTS[self.scheme] else f"{name}:{self.port}"


class HttpResponse(msgspec.Struct, frozen=True):
    status: int
    body: bytes


def parse(url: str) -> Destination:
    """Parse a URL; refuse anything that another parser could read differently."""
    if len(url) > _MAX_LENGTH or not url.isascii():
        raise EgressRefused("egress.ascii", limit=_MAX_LENGTH)
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    match = _URL.fullmatch(f"{scheme}{separator}{authority}".lower() + slash + path)
    if match is None or _DOT_SEGMENT.search(match["path"]):
        raise EgressRefused("egress.url")
    host = match["six"] or match["name"]
    if (match["six"] or _NUMBER.fullmatch(host)) and not _is_canonical(host):
        raise EgressRefused("egress.ip_address")
    port = int(match["port"] or _PORTS[match["scheme"]])
    if port > 65535:
        raise EgressRefused("egress.port")
    return Destination(match["scheme"], host, port, match["path"])


def parse_host_port(text: str) -> tuple[str, int]:
    """Parse an entry `host:port` of the allow list."""
    if not re.search(r":[0-9]+$", text):
        raise EgressRefused("egress.host_port")
    return parse(f"http://{text}").host_port


class Egress:
    def __init__(
        self, *, allow: Collection[tuple[str, int]] = (), own: Collection[tuple[str, int]] = (),
        resolve: Resolve | None = None, trust: ssl.SSLContext | None = None,
    ) -> None:  # fmt: skip
        """`own` are the addresses of this server itself: where it listens, and its public name."""
        self._allow, self._own = frozenset(allow), frozenset(own)
        self._own_ports = frozenset(port for _, port in own)
        self._resolve = resolve or _resolve
        self._trust = trust

    def check(self, url: str, reach: NetworkReach) -> Destination:
        """Parse and check a URL without using the network."""
        target = parse(url)
        if reach is not NetworkReach.ANY and target.scheme != "https" and target.host_port not in self._allow:
            if reach is NetworkReach.PUBLIC:
                raise EgressRefused("egress.https")
            raise EgressRefused("egress.https_or_listed", host=_name_and_port(target))
        literal = _literal(target.host)
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

    async def call(
        self, method: str, url: str, reach: NetworkReach, *, headers: Mapping[str, str] | None = None, body: bytes = b"",
        timeouts: Timeouts = DEFAULT_TIMEOUTS,
    ) -> HttpResponse:  # fmt: skip
        """Send one request and return its response."""
        try:
            target = self.check(url, reach)
        except EgressRefused as fault:
            raise EgressFailed(EgressFault.UNREACHABLE) from fault
        try:
            async with asyncio.timeout(timeouts.total):
                for address in (addresses := await self._resolve_allowed(target, reach)):
                    try:
                        return await self._send(method, target, address, headers or {}, body, timeouts)
                    except _NoConnection as fault:
                        log.info("no connection to %s at %s: %s", target.authority, address, fault)
                        if address is addresses[-1]:
                            raise EgressFailed(EgressFault.UNREACHABLE) from fault
        except TimeoutError:
            raise EgressFailed(EgressFault.TIMEOUT) from None
        except Overloaded as fault:
            raise EgressFailed(EgressFault.UNRESOLVED) from fault
        raise EgressFailed(EgressFault.UNREACHABLE)

    async def _resolve_allowed(self, target: Destination, reach: NetworkReach) -> list[Address]:
        """Resolve the host; fail unless all its addresses are allowed."""
        literal = _literal(target.host)
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
        self,
        method: str,
        target: Destination,
        address: Address,
        headers: Mapping[str, str],
        body: bytes,
        timeouts: Timeouts,
    ) -> HttpResponse:
        import httpx2  # noqa: PLC0415 - takes an eighth of a second, wasted on a server without outgoing requests

        request = httpx2.Request(
            method,
            f"{target.scheme}://{_bracket(str(address))}:{target.port}{target.path or '/'}",
            headers={"host": target.authority, "accept-encoding": "identity", "user-agent": "teamspace", **headers},
            content=body or None,
            extensions={
                "timeout": {"connect": timeouts.connect, "read": timeouts.read, "write": timeouts.read},
                "sni_hostname": target.host,
            },
        )
        try:
            async with httpx2.AsyncHTTPTransport(verify=self._certificates, trust_env=False) as transport:
                return await _read(await transport.handle_async_request(request))
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as fault:
            raise _NoConnection(str(fault)) from fault
        except httpx2.TimeoutException as fault:
            raise EgressFailed(EgressFault.TIMEOUT) from fault
        except (httpx2.HTTPError, OSError) as fault:
            raise EgressFailed(EgressFault.NOT_HTTP) from fault

    @cached_property
    def _certificates(self) -> ssl.SSLContext:
        import httpx2  # noqa: PLC0415 - as above

        return self._trust or httpx2.create_ssl_context(trust_env=False)


class _NoConnection(Exception):
    """Nothing was sent; another address of the same host may work."""


async def _read(answer: "httpx2.Response") -> HttpResponse:
    """Read the raw body, without decompression: a small compressed body could expand without end."""
    if answer.headers.get("content-encoding", "identity") != "identity":
        raise EgressFailed(EgressFault.COMPRESSED)
    body = bytearray()
    async for chunk in answer.aiter_raw():
        body += chunk
        if len(body) > MAX_BYTES:
            raise EgressFailed(EgressFault.TOO_LARGE)
    return HttpResponse(answer.status_code, bytes(body))


async def _resolve(host: str, port: int) -> list[str]:
    found = await pools.NAMES.run(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    return [str(place[0]) for *_, place in found]


def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_canonical(host: str) -> bool:
    literal = _literal(host)
    return literal is not None and str(literal) == host


def _bracket(host: str) -> str:
    return f"[{host}]" if ":" in host else host


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
    return f"{_bracket(target.host)}:{target.port}"
