"""Send a request over a new or an idle connection, and read its response within limits.

Apart from the other modules, since the library takes long to import and many servers make no requests.
"""

import asyncio
from contextlib import suppress
from typing import Self

import httpcore2

from teamspace.core.egress.connections import ConnectionKey, ConnectionPool
from teamspace.core.egress.requests import EgressFailed, EgressFault, NoConnection, OutgoingRequest
from teamspace.core.egress.urls import Destination

_IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
_MAX_PIECES = 300_000
_PIECES_AT_ONCE = 500
"""Parsed without giving way to other tasks: some 10 ms."""
_REST_SECONDS, _REST_BYTES = 0.2, 64 * 1024
_BROKEN = (httpcore2.NetworkError, httpcore2.ProtocolError, OSError)
_TIMED_OUT = (httpcore2.TimeoutException, TimeoutError)


class _ConnectionLost(EgressFailed):
    """The connection ended before its response began."""


class StreamedResponse:
    """A response whose body is read piece by piece; its connection is used again once all was read."""

    def __init__(
        self, answer: httpcore2.Response, pool: ConnectionPool, key: ConnectionKey,
        connection: httpcore2.AsyncHTTPConnection, *, deadline: float, max_bytes: int,
    ) -> None:  # fmt: skip
        self.status = answer.status
        self.headers = _headers(answer)
        """Lower-case names."""
        self._answer, self._pieces = answer, answer.aiter_stream()
        self._pool, self._key, self._connection = pool, key, connection
        self._deadline, self._max_bytes = deadline, max_bytes
        self._count = self._received = 0
        self._ended = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        if self._ended:
            raise StopAsyncIteration
        try:
            piece = await self._read()
            if piece is None:
                await self._release()
        except BaseException:
            self.close()
            raise
        if piece is None:
            raise StopAsyncIteration
        return piece

    async def finish(self) -> None:
        """Read the rest if it is short and there already, so that the connection can be used again."""
        self._deadline = min(self._deadline, asyncio.get_running_loop().time() + _REST_SECONDS)
        self._max_bytes = min(self._max_bytes, self._received + _REST_BYTES)
        with suppress(EgressFailed):
            async for _ in self:
                pass

    def close(self) -> None:
        """Close the connection, unless all was read."""
        if not self._ended:
            self._ended = True
            self._pool.discard(self._connection)

    async def _release(self) -> None:
        await self._answer.aclose()
        if not await self._has_more():
            self._pool.put(self._key, self._connection)
            self._ended = True
        self.close()

    async def _has_more(self) -> bool:
        """Return whether TLS holds bytes that were read from the socket together with the response."""
        stream = self._answer.extensions["network_stream"]
        if stream.get_extra_info("ssl_object") is None:
            return False
        try:
            await stream.read(1, timeout=0)
        except httpcore2.ReadTimeout:
            return False
        except _BROKEN:
            pass
        return True

    async def _read(self) -> bytes | None:
        try:
            async with asyncio.timeout_at(self._deadline):
                if self._count % _PIECES_AT_ONCE == 0:
                    await asyncio.sleep(0)
                piece = await anext(self._pieces, None)
        except _TIMED_OUT:
            raise EgressFailed(EgressFault.TIMEOUT) from None
        except _BROKEN as fault:
            raise EgressFailed(EgressFault.NOT_HTTP) from fault
        self._count += 1
        self._received += len(piece or b"")
        if self._received > self._max_bytes:
            raise EgressFailed(EgressFault.TOO_LARGE)
        if self._count > _MAX_PIECES:
            raise EgressFailed(EgressFault.TOO_MANY_PIECES)
        return piece


async def send(
    request: OutgoingRequest, target: Destination, key: ConnectionKey, pool: ConnectionPool, deadline: float
) -> StreamedResponse:
    """Send a request; raise NoConnection if nothing was sent.

    A server can close an idle connection while a request is on its way. The request is then sent once more if it is
    idempotent; another may have been carried out, and paid for.
    """
    message = _message(request, target, key)
    if idle := pool.take(key):
        try:
            return await _exchange(message, pool, key, idle, deadline=deadline, max_bytes=request.max_bytes)
        except _ConnectionLost:
            if request.method not in _IDEMPOTENT:
                raise
    return await _exchange(message, pool, key, pool.connect(key), deadline=deadline, max_bytes=request.max_bytes)


async def _exchange(
    message: httpcore2.Request, pool: ConnectionPool, key: ConnectionKey, connection: httpcore2.AsyncHTTPConnection,
    *, deadline: float, max_bytes: int,
) -> StreamedResponse:  # fmt: skip
    try:
        answer = await _answer(connection, message)
        response = StreamedResponse(answer, pool, key, connection, deadline=deadline, max_bytes=max_bytes)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            # A small compressed body could expand without end.
            raise EgressFailed(EgressFault.COMPRESSED)
    except BaseException:
        pool.discard(connection)
        raise
    return response


async def _answer(connection: httpcore2.AsyncHTTPConnection, message: httpcore2.Request) -> httpcore2.Response:
    try:
        return await connection.handle_async_request(message)
    except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as fault:
        raise NoConnection(str(fault)) from fault
    except httpcore2.TimeoutException as fault:
        raise EgressFailed(EgressFault.TIMEOUT) from fault
    except _BROKEN as fault:
        raise _ConnectionLost(EgressFault.NOT_HTTP) from fault


def _message(request: OutgoingRequest, target: Destination, key: ConnectionKey) -> httpcore2.Request:
    length = {"content-length": str(len(request.body))} if request.body or request.method not in ("GET", "HEAD") else {}
    headers = {
        "host": target.authority, "accept-encoding": "identity", "user-agent": "teamspace", **request.headers, **length,
    }  # fmt: skip
    timeouts = request.timeouts
    return httpcore2.Request(
        request.method,
        httpcore2.URL(scheme=key.scheme.encode(), host=str(key.address).encode(), port=key.port, target=(target.path or "/").encode()),
        headers=[(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()],
        content=request.body,
        extensions={
            "timeout": {"connect": timeouts.connect, "read": timeouts.read, "write": timeouts.read},
            "sni_hostname": key.host,
        },
    )  # fmt: skip


def _headers(answer: httpcore2.Response) -> dict[str, str]:
    headers: dict[str, str] = {}
    for raw_name, raw_value in answer.headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers
