"""Calls as HTTP requests of httpx2: what both kinds of client share."""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import httpx2

from teamspace.client.calls import EVENTS, JSON, Call
from teamspace.client.errors import BadResponse, ConnectionFailed, TeamspaceError, read_error
from teamspace.client.options import USER_AGENT, Options

CHUNK_BYTES = 256 * 1024
CONNECT_SECONDS = 10.0
STREAM_SECONDS = 60.0
"""How long a stream may be silent: the server sends a comment every 15 seconds."""

Upload = bytes | Path | BinaryIO | Iterable[bytes]
"""A body of bytes. Bytes and a path can be sent again after a lost connection; a file or an iterable cannot."""
AsyncUpload = bytes | Path | BinaryIO | Iterable[bytes] | AsyncIterable[bytes]
"""The same; an asynchronous iterable too."""

_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


def settings_of(options: Options) -> dict[str, Any]:
    """Return the arguments of an httpx2 client."""
    return {"base_url": options.url, "verify": options.verify, "headers": {"user-agent": USER_AGENT}}


def headers_of(call: Call[Any], options: Options) -> dict[str, str]:
    kind = {} if call.body is None else {"content-type": JSON}
    return {"accept": JSON, **kind, **_size_of(call.upload), **options.headers, **call.headers}


def timeouts(seconds: float) -> httpx2.Timeout:
    return httpx2.Timeout(seconds, connect=CONNECT_SECONDS)


def error_of(response: httpx2.Response, body: bytes) -> TeamspaceError:
    if target := response.headers.get("location"):
        return BadResponse(f"the server redirects to {target}: is the URL right?", status=response.status_code)
    return read_error(response.status_code, body, response.headers.get("retry-after", ""))


@contextmanager
def connection_faults() -> Iterator[None]:
    """Raise ConnectionFailed instead of httpx2's errors."""
    try:
        yield
    except httpx2.RequestError as fault:
        said = str(fault) or type(fault).__name__
        raise ConnectionFailed(f"no response: {said}", sent=not isinstance(fault, _NOT_SENT)) from fault


def check_stream(response: httpx2.Response) -> None:
    """Refuse a response that is not a stream of events."""
    kind = response.headers.get("content-type", "")
    if kind.partition(";")[0].strip().lower() != EVENTS:
        raise BadResponse(f"the response is {kind or 'of no type'}, not a stream of events")


# Uploads


def is_one_shot(upload: AsyncUpload) -> bool:
    return not isinstance(upload, bytes | Path)


def _size_of(upload: AsyncUpload | None) -> dict[str, str]:
    return {"content-length": str(upload.stat().st_size)} if isinstance(upload, Path) else {}


def content_of(call: Call[Any]) -> bytes | Iterator[bytes] | None:
    """Return the body of a request."""
    if call.upload is None:
        return call.encode()
    return call.upload if isinstance(call.upload, bytes) else _pieces(call.upload)


def async_content_of(call: Call[Any]) -> bytes | AsyncIterator[bytes] | None:
    if call.upload is None:
        return call.encode()
    return call.upload if isinstance(call.upload, bytes) else _async_pieces(call.upload)


def _pieces(upload: Path | BinaryIO | Iterable[bytes]) -> Iterator[bytes]:
    """Read a body piece by piece, so that it is never in memory as a whole."""
    if isinstance(upload, Path):
        with upload.open("rb") as file:
            yield from _pieces(file)
    elif read := getattr(upload, "read", None):
        while chunk := read(CHUNK_BYTES):
            yield chunk
    else:
        yield from upload


async def _async_pieces(upload: Path | BinaryIO | Iterable[bytes] | AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    if isinstance(upload, AsyncIterable):
        async for piece in upload:
            yield piece
    else:
        for piece in _pieces(upload):
            yield piece


# Downloads


class Received:
    """How much of a download was read, and how it goes on after a lost connection."""

    def __init__(self, call: Call[Any]) -> None:
        self._call = call.with_headers({"accept": "*/*", "accept-encoding": "identity"})
        self._bytes = 0
        self._tag = ""
        self.content_type = ""
        self.size: int | None = None

    def next_call(self) -> Call[Any]:
        if not self._bytes:
            return self._call
        return self._call.with_headers({"range": f"bytes={self._bytes}-", "if-match": self._tag})

    @property
    def can_go_on(self) -> bool:
        return not self._bytes or bool(self._tag)

    def begin(self, response: httpx2.Response) -> None:
        if self._bytes:
            if response.status_code != httpx2.codes.PARTIAL_CONTENT:
                raise BadResponse("the download cannot be resumed: the server sent it from the beginning")
            return
        length = response.headers.get("content-length", "")
        self.content_type, self.size = response.headers.get("content-type", ""), int(length) if length else None
        self._tag = response.headers.get("etag", "") if response.headers.get("accept-ranges") == "bytes" else ""

    def add(self, chunk: bytes) -> bytes:
        self._bytes += len(chunk)
        return chunk
