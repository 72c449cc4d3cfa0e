"""The one way out: every HTTP request that this house sends.

An address is read once, by one grammar that has no two readings. Its name is resolved once, every address it has
is looked at, and exactly one of those is called, under the name's own certificate. The transport is used without a
client around it: what follows redirects, keeps cookies or asks the environment for a proxy is simply not there.
Each request has a connection of its own, so nothing that one company sends travels where another's did.
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
from teamspace.core.errors import Overloaded

if TYPE_CHECKING:
    import httpx2

log = logging.getLogger("teamspace.egress")

MOST_BYTES = 8 * 1024 * 1024
_LONGEST = 2000
_PORTS = {"http": 80, "https": 443}
_URL = re.compile(
    r"(?P<scheme>https?)://"
    r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*))"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?P<path>(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})*)*)"
)
_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
"""A name that ends so is a number to some readers, in one of many spellings."""
_CLIMBS = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)

Resolve = Callable[[str, int], Awaitable[list[str]]]


class Refused(Exception):
    """Not an address that may be called; the message says why, and nothing about the network."""


class Failed(Exception):
    """No answer, or none that can be used; the message may be shown to anybody."""


class Reach(StrEnum):
    """How far a request may go, by who named its address."""

    PUBLIC = "public"
    """Hosts of the internet, by https: for what a tenant named."""
    LISTED = "listed"
    """Those, and what SERVICE_EGRESS_ALLOW lists: for what whoever runs the instance named."""
    ANY = "any"
    """For a program whose user named the address."""


class Patience(msgspec.Struct, frozen=True):
    """Seconds: for a connection, for the next bytes, and for all of it."""

    connect: float = 5
    read: float = 60
    total: float = 120


USUAL = Patience()


class Target(msgspec.Struct, frozen=True):
    """An address, read."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def listed(self) -> tuple[str, int]:
        return self.host, self.port

    @property
    def authority(self) -> str:
        name = _bracketed(self.host)
        return name if self.port == _PORTS[self.scheme] else f"{name}:{self.port}"


class Answer(msgspec.Struct, frozen=True):
    status: int
    body: bytes


def parse(url: str) -> Target:
    """Refused unless there is only one way to read it."""
    if len(url) > _LONGEST or not url.isascii():
        raise Refused("must be ASCII, and not longer than 2000 characters")
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    match = _URL.fullmatch(f"{scheme}{separator}{authority}".lower() + slash + path)
    if match is None or _CLIMBS.search(match["path"]):
        raise Refused("must be an address such as https://models.example.com/v1, without a user, a query or a fragment")
    host = match["six"] or match["name"]
    if (match["six"] or _NUMBER.fullmatch(host)) and not _is_canonical(host):
        raise Refused("must write a numeric address in its usual form")
    port = int(match["port"] or _PORTS[match["scheme"]])
    if port > 65535:
        raise Refused("must have a port up to 65535")
    return Target(match["scheme"], host, port, match["path"])


def parse_listed(text: str) -> tuple[str, int]:
    """`host:port`, as in a list of what is allowed."""
    if not re.search(r":[0-9]+$", text):
        raise Refused("must name host and port, as in 127.0.0.1:11434")
    return parse(f"http://{text}").listed


class Egress:
    def __init__(
        self, *, allow: Collection[tuple[str, int]] = (), own: Collection[tuple[str, int]] = (),
        resolve: Resolve | None = None, trust: ssl.SSLContext | None = None,
    ) -> None:  # fmt: skip
        """`own` is where this server itself listens, or is reached by name."""
        self._allow, self._own = frozenset(allow), frozenset(own)
        self._own_ports = frozenset(port for _, port in own)
        self._resolve = resolve or _resolve
        self._trust = trust

    def check(self, url: str, reach: Reach) -> Target:
        """What can be said without asking the network."""
        target = parse(url)
        if reach is not Reach.ANY and target.scheme != "https" and target.listed not in self._allow:
            raise Refused(f"must begin with https://{_listing(target, reach)}")
        literal = _literal(target.host)
        if target.listed in self._own or (literal and not self._may(target, literal, reach)):
            raise Refused(self._why_not(target, reach))
        return target

    async def vet(self, url: str, reach: Reach, seconds: float = 3) -> None:
        """With the network: refused unless it could be called now."""
        target = self.check(url, reach)
        try:
            async with asyncio.timeout(seconds):
                await self._vetted(target, reach)
        except (Failed, TimeoutError):
            # A name that leads nowhere and one that leads inside look alike: nobody learns our names by asking.
            raise Refused(self._why_not(target, reach)) from None

    async def call(
        self, method: str, url: str, reach: Reach, *, headers: Mapping[str, str] | None = None, body: bytes = b"",
        patience: Patience = USUAL,
    ) -> Answer:  # fmt: skip
        """One request, one answer."""
        try:
            target = self.check(url, reach)
        except Refused as fault:
            raise Failed("cannot be reached") from fault
        try:
            async with asyncio.timeout(patience.total):
                for address in (addresses := await self._vetted(target, reach)):
                    try:
                        return await self._send(method, target, address, headers or {}, body, patience)
                    except _NoConnection as fault:
                        log.info("no connection to %s at %s: %s", target.authority, address, fault)
                        if address is addresses[-1]:
                            raise Failed("cannot be reached") from fault
        except TimeoutError:
            raise Failed("did not answer in time") from None
        except Overloaded as fault:
            raise Failed("cannot be looked up just now") from fault
        raise Failed("cannot be reached")

    async def _vetted(self, target: Target, reach: Reach) -> list[Address]:
        """All its addresses; none unless every one of them is allowed."""
        literal = _literal(target.host)
        try:
            found = [literal] if literal else [*map(ipaddress.ip_address, await self._resolve(*target.listed))]
        except (OSError, ValueError, UnicodeError) as fault:
            raise Failed("cannot be reached") from fault
        if not found or not all(self._may(target, address, reach) for address in found):
            log.warning("refused to call %s: it leads to %s", target.authority, ", ".join(map(str, found)) or "nothing")
            raise Failed("cannot be reached")
        return found

    def _may(self, target: Target, address: Address, reach: Reach) -> bool:
        if reach is Reach.ANY:
            return True
        if reach is Reach.LISTED and target.listed in self._allow:
            return not (target.port in self._own_ports and _is_here(address))
        return is_public(address) and not _is_here(address)

    def _why_not(self, target: Target, reach: Reach) -> str:
        if reach is Reach.LISTED and target.listed in self._allow:
            return "must lead somewhere, and not to this server itself"
        return f"must lead to a host of the internet{_listing(target, reach)}"

    async def _send(
        self, method: str, target: Target, address: Address, headers: Mapping[str, str], body: bytes, patience: Patience
    ) -> Answer:
        import httpx2  # noqa: PLC0415 - an eighth of a second, which a server that calls nobody need not spend

        request = httpx2.Request(
            method,
            f"{target.scheme}://{_bracketed(str(address))}:{target.port}{target.path or '/'}",
            headers={"host": target.authority, "accept-encoding": "identity", "user-agent": "teamspace", **headers},
            content=body or None,
            extensions={
                "timeout": {"connect": patience.connect, "read": patience.read, "write": patience.read},
                "sni_hostname": target.host,
            },
        )
        try:
            async with httpx2.AsyncHTTPTransport(verify=self._certificates, trust_env=False) as transport:
                return await _read(await transport.handle_async_request(request))
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as fault:
            raise _NoConnection(str(fault)) from fault
        except httpx2.TimeoutException as fault:
            raise Failed("did not answer in time") from fault
        except (httpx2.HTTPError, OSError) as fault:
            raise Failed("broke off, or did not speak HTTP") from fault

    @cached_property
    def _certificates(self) -> ssl.SSLContext:
        import httpx2  # noqa: PLC0415 - as above

        return self._trust or httpx2.create_ssl_context(trust_env=False)


class _NoConnection(Exception):
    """Nothing was sent; another address of the same name may do."""


async def _read(answer: "httpx2.Response") -> Answer:
    """Byte by byte as it came: what is packed could be endless once unpacked."""
    if answer.headers.get("content-encoding", "identity") != "identity":
        raise Failed("answered in an encoding that it was not asked for")
    body = bytearray()
    async for chunk in answer.aiter_raw():
        body += chunk
        if len(body) > MOST_BYTES:
            raise Failed("answered with more than 8 MiB")
    return Answer(answer.status_code, bytes(body))


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


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_here(address: Address) -> bool:
    """Whether it is one of this machine's own: only those can be listened on."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True


def _listing(target: Target, reach: Reach) -> str:
    if reach is Reach.PUBLIC:
        return ""
    return f", or {_bracketed(target.host)}:{target.port} must be listed in SERVICE_EGRESS_ALLOW"
