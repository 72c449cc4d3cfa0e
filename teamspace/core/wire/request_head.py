"""The head of a request: what the parser lets through and the server must still refuse."""

import re
from typing import Any

import httptools

from teamspace.core.errors import BadRequest

Headers = list[tuple[bytes, bytes]]
_AUTHORITY = re.compile(rb"[^/?]+")


def read_head(parser: httptools.HttpRequestParser, url: bytes, headers: Headers, address: str) -> dict[str, Any]:
    """Return the ASGI scope; raise BadRequest if two servers could read the request differently."""
    method, version = parser.get_method().decode(), parser.get_http_version()
    host = _check_headers(version, headers)
    path, _, query = (url if url.startswith(b"/") else _origin_form(method, url, host)).partition(b"?")
    if b"#" in url:
        raise BadRequest("request.malformed")
    if parser.should_upgrade() and _has_body(headers):
        raise BadRequest("request.upgrade")  # the parser would take the body for the other protocol
    return {
        "type": "http", "method": method, "http_version": version, "raw_path": path, "query_string": query,
        "headers": headers, "client": (address, 0),
    }  # fmt: skip


def _check_headers(version: str, headers: Headers) -> bytes:
    """Return the host. The parser has refused a body with two lengths; a coding that nobody decodes is left."""
    named, is_old = dict(headers), version == "1.0"
    host, coding = named.get(b"host"), named.get(b"transfer-encoding")
    if version != "1.1" and not is_old:
        raise BadRequest("request.http_version")
    if host is None and not is_old:
        raise BadRequest("request.one_host")
    if len(named) < len(headers) and sum(name == b"host" for name, _ in headers) > 1:
        raise BadRequest("request.one_host")
    if coding is not None and (is_old or coding.lower() != b"chunked"):
        raise BadRequest("request.transfer_encoding")
    return host or b""


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
