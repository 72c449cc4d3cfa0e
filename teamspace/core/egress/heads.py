"""The heads of messages: requests are checked and written here, responses are read by llhttp (httptools)."""

import re
from collections.abc import Mapping

import httptools
import msgspec

from teamspace.core.egress.requests import ConnectionBroken

_METHOD = re.compile(r"[A-Z]+")
_TARGET = re.compile(r"[\x21-\x7e]+")
_LINE = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+: (?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?")


class ResponseHead(msgspec.Struct, frozen=True):
    status: int
    headers: list[tuple[bytes, bytes]]
    """Lower-case names."""
    keeps_alive: bool


def write_head(method: str, target: str, headers: Mapping[str, str]) -> bytes:
    """Return the head of a request; raise ConnectionBroken if something in it could be read as another line."""
    lines = [f"{name}: {value}" for name, value in headers.items()]
    if not (_METHOD.fullmatch(method) and _TARGET.fullmatch(target) and all(map(_LINE.fullmatch, lines))):
        raise ConnectionBroken
    return "\r\n".join((f"{method} {target} HTTP/1.1", *lines, "", "")).encode("ascii")


def read_head(head: bytes) -> ResponseHead:
    """Read the head of a response, with the empty line at its end; raise ConnectionBroken if two could read it differently."""
    found = _Head()
    parser = httptools.HttpResponseParser(found)
    try:
        parser.feed_data(head)
    except (httptools.HttpParserError, httptools.HttpParserUpgrade) as fault:
        raise ConnectionBroken from fault
    # The parser skips empty lines, and does not look at the words after the status.
    if not found.is_complete or not head.startswith(b"HTTP/") or b"\0" in head:
        raise ConnectionBroken
    named = dict(found.headers)
    if named.get(b"transfer-encoding", b"chunked").lower() != b"chunked":
        raise ConnectionBroken
    is_current = parser.get_http_version() == "1.1"
    closes = any(name == b"connection" and b"close" in value.lower() for name, value in found.headers)
    return ResponseHead(parser.get_status_code(), found.headers, is_current and not closes)


class _Head:
    """What the parser calls."""

    def __init__(self) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        self.is_complete = False

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name.lower(), value.strip()))

    def on_headers_complete(self) -> None:
        self.is_complete = True
