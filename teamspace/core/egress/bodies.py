"""The bodies of responses, as they come over a connection: of a known size, in chunks, or until the connection ends.

Not by the parser of the heads: a streamed answer has a chunk per token, and those that have come together are read together.
"""

import re
from typing import Protocol

from teamspace.core.egress.heads import ResponseHead
from teamspace.core.egress.requests import ConnectionBroken

_CHUNKS_AT_ONCE = 500
"""Read without giving way to other tasks: less than 1 ms."""
_MAX_LINE = 16 * 1024
_SHORTEST_HEADER = 3
_SIZE = rb"([0-9A-Fa-f]{1,20})[ \t]*(?:;[^\r\n]*)?\r\n"
_FIRST_CHUNK, _NEXT_CHUNK = re.compile(_SIZE), re.compile(rb"\r\n" + _SIZE)
_TRAILER = re.compile(rb"(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\0\r\n\f\v]*(?:\r\n[ \t][^\0\r\n\f\v]*)*\r\n)*\r\n")


class Body(Protocol):
    rest: bytes
    """What was received and not read."""
    pieces: int
    """How many chunks were read."""

    @property
    def is_complete(self) -> bool: ...

    def read(self) -> bytes:
        """Return what of the content can be read now; nothing if more must be received first."""
        ...

    def end(self) -> None:
        """The connection has ended: raise ConnectionBroken if something is missing."""
        ...


def body_of(method: str, head: ResponseHead, received: bytes) -> Body:
    """Return the body that follows a head, with what was already received of it."""
    headers = dict(head.headers)
    if method == "HEAD" or head.status in (204, 304):
        return SizedBody(0, received)
    if b"transfer-encoding" in headers:  # a head with any other coding is refused
        return ChunkedBody(received)
    if b"content-length" in headers:
        return SizedBody(int(headers[b"content-length"]), received)
    return UnsizedBody(received)


class SizedBody:
    def __init__(self, size: int, received: bytes) -> None:
        self._left, self.rest, self.pieces = size, received, 0

    @property
    def is_complete(self) -> bool:
        return not self._left

    def read(self) -> bytes:
        piece, self.rest = self.rest[: self._left], self.rest[self._left :]
        self._left -= len(piece)
        self.pieces += 1
        return piece

    def end(self) -> None:
        raise ConnectionBroken


class UnsizedBody:
    """A body that ends with its connection."""

    def __init__(self, received: bytes) -> None:
        self.rest, self.pieces, self.is_complete = received, 0, False

    def read(self) -> bytes:
        piece, self.rest = self.rest, b""
        self.pieces += 1
        return piece

    def end(self) -> None:
        self.is_complete = True


class ChunkedBody:
    def __init__(self, received: bytes) -> None:
        self.rest, self.pieces, self.is_complete = received, 0, False
        self._left = 0
        """Bytes of the current chunk."""
        self._header, self._is_in_trailer = _FIRST_CHUNK, False

    def read(self) -> bytes:
        if len(self.rest) < _SHORTEST_HEADER and not (self._left or self._is_in_trailer):
            return b""
        data, at, pieces = self.rest, 0, list[bytes]()
        while not self._is_in_trailer and len(pieces) < _CHUNKS_AT_ONCE:
            if not self._left:
                header = self._header.match(data, at)
                if header is None:
                    self._check_unfinished(data[at : at + _MAX_LINE])
                    break
                at, self._left, self._header = header.end(), int(header[1], 16), _NEXT_CHUNK
                self._is_in_trailer = not self._left
            elif piece := data[at : at + self._left]:
                at += len(piece)
                self._left -= len(piece)
                pieces.append(piece)
            else:
                break
        self.rest = data[at:]
        self.pieces += len(pieces)
        if self._is_in_trailer and not self.is_complete:
            self._read_trailer()
        return b"".join(pieces)

    def _check_unfinished(self, line: bytes) -> None:
        """Raise unless the header of a chunk can begin like this."""
        before = 0 if self._header is _FIRST_CHUNK else 2
        if not b"\r\n".startswith(line[:before]) or b"\n" in line[before:] or len(line) == _MAX_LINE:
            raise ConnectionBroken

    def _read_trailer(self) -> None:
        """Drop the headers after the last chunk: we ask for none."""
        if trailer := _TRAILER.match(self.rest):
            self.rest, self.is_complete = self.rest[trailer.end() :], True
        elif b"\r\n\r\n" in self.rest or len(self.rest) > _MAX_LINE:
            raise ConnectionBroken

    def end(self) -> None:
        raise ConnectionBroken
