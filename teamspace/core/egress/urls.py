"""The grammar of URLs that can be called: anything that another parser could read differently is refused."""

import ipaddress
import re
from functools import lru_cache

import msgspec

from teamspace.core.addresses import Address
from teamspace.core.errors import KeyedError

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


class EgressRefused(KeyedError):
    """The URL must not be called; the message says why, and reveals nothing about the network."""


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
        name = bracket(self.host)
        return name if self.port == _PORTS[self.scheme] else f"{name}:{self.port}"

    @property
    def literal(self) -> Address | None:
        """The host, if it is an IP address."""
        return _literal(self.host)


@lru_cache(1024)
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


def bracket(host: str) -> str:
    return f"[{host}]" if ":" in host else host


@lru_cache(1024)
def _literal(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_canonical(host: str) -> bool:
    literal = _literal(host)
    return literal is not None and str(literal) == host
