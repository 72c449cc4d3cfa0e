"""The head of a request: what the parser lets through and the server must still refuse."""

import re
from typing import Any

import httptools

from teamspace.core.errors import BadRequest

Headers = list[tuple[bytes, bytes]]
_AUTHORITY = re.compile(rb"[^/?]+")
_HOST = re.compile(rb"(?:[A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+(?::\d{0,5})?|\[[0-9A-Fa-f]*:[0-9A-Fa-f:.]+\](?::\d{0,5})?")
_NOT_IN_TRAILERS = frozenset({
    b"authorization", b"connection", b"content-encoding", b"content-length", b"content-type", b"cookie", b"expect", b"host",
    b"te", b"trailer", b"transfer-encoding", b"upgrade",
})  # fmt: skip
"""What decides about a request before its body is read."""


def read_head(parser: httptools.HttpRequestParser, url: bytes, headers: Headers, address: str) -> dict[str, Any]:
    """Return the ASGI scope; raise BadRequest if two servers could read the request differently."""
    method, version = parser.get_method().decode(), parser.get_http_version()
    host = _check_headers(version, headers)
    path, _, query = (url if url.startswith(b"/") else _origin_form(method, url, host)).partition(b"?")
    if b"#" in url:
        raise BadRequest("request.malformed")
    if parser.should_upgrade() and (method == "CONNECT" or _has_body(headers)):
        raise BadRequest("request.upgrade")  # the parser would take the body for the other protocol
    return {
        "type": "http", "method": method, "http_version": version, "raw_path": path, "query_string": query,
        "headers": headers, "client": (address, 0),
    }  # fmt: skip


def check_trailer(name: bytes) -> None:
    """Refuse a trailer that another server could take for a header. All trailers are discarded."""
    if name in _NOT_IN_TRAILERS:
        raise BadRequest("request.malformed")


def _check_headers(version: str, headers: Headers) -> bytes:
    """Return the host. The parser has refused two lengths, and a length with a coding."""
    named, is_old = dict(headers), version == "1.0"
    host, coding, length = named.get(b"host"), named.get(b"transfer-encoding"), named.get(b"content-length")
    if version != "1.1" and not is_old:
        raise BadRequest("request.http_version")
    if (host is None and not is_old) or (len(named) < len(headers) and _count(headers, b"host") > 1):
        raise BadRequest("request.one_host")
    if host is not None and not _HOST.fullmatch(host := host.strip(b" \t")):
        raise BadRequest("request.malformed")
    if coding is not None and (is_old or coding.lower() != b"chunked" or _count(headers, b"transfer-encoding") > 1):
        raise BadRequest("request.transfer_encoding")
    if length is not None and length.startswith(b"0") and length.strip(b" \t") != b"0":
        raise BadRequest("request.malformed")  # decimal to us, octal to others
    return host or b""


def _count(headers: Headers, wanted: bytes) -> int:
    return sum(name == wanted for name, _ in headers)


def _has_body(headers: Headers) -> bool:
    return any(name == b"transfer-encoding" or (name == b"content-length" and value != b"0") for name, value in headers)


def _origin_form(method: str, url: bytes, host: bytes) -> bytes:
    """Return path and query of a request target that is not a path: a complete URL, or `*`."""
    if method == "OPTIONS" and url == b"*":
        return b"/"
    scheme, _, rest = url.partition(b"://")
    authority = _AUTHORITY.match(rest)
    if scheme.lower() not in (b"http", b"https") or not authority or authority[0].lower() != host.lower():
        raise BadRequest("request.malformed")
    target = rest[authority.end() :]
    return target if target.startswith(b"/") else b"/" + target
