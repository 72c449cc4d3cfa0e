"""Response heads as bytes."""

import time
from collections.abc import Sequence
from email.utils import formatdate
from http import HTTPStatus

import msgspec

from teamspace.core.errors import Refusal
from teamspace.core.ids import new_id

Headers = Sequence[tuple[bytes, bytes]]

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
CLOSE = b"connection: close\r\n"
KEEP_ALIVE = b"connection: keep-alive\r\n"
CHUNKED = b"transfer-encoding: chunked\r\n"
LAST_CHUNK = b"0\r\n\r\n"

_STATUS_LINES = {one.value: b"HTTP/1.1 %d %s\r\n" % (one.value, one.phrase.encode()) for one in HTTPStatus}


class _Clock:
    """The `date` header, made once a second."""

    second, header = 0, b""

    def read(self) -> bytes:
        now = int(time.time())
        if now != self.second:
            self.second, self.header = now, b"date: %s\r\n" % formatdate(now, usegmt=True).encode()
        return self.header


_clock = _Clock()


def encode_head(status: int, headers: Headers, framing: bytes) -> bytes:
    """Return the head of a response; `framing` are the header lines that belong to the connection."""
    lines = b"".join([b"%b: %b\r\n" % header for header in headers])
    if lines.count(b"\n") != len(headers):
        raise ValueError("a response header contains a line break")
    return b"%b%b%b%b\r\n" % (_STATUS_LINES.get(status) or b"HTTP/1.1 %d \r\n" % status, lines, framing, _clock.read())


def refusal_response(refusal: Refusal) -> bytes:
    """Return a complete response for a request that does not reach the application; the connection closes after it."""
    body = msgspec.json.encode(refusal.problem(new_id()))
    headers = [(b"content-type", b"application/problem+json"), (b"content-length", b"%d" % len(body))]
    headers += [(name.encode(), value.encode()) for name, value in refusal.headers.items()]
    return encode_head(refusal.status, headers, CLOSE) + body
