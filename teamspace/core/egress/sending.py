"""Send a request over a new or an idle connection, and read its response within limits.

Apart from the other modules, since many servers make no requests.
"""

import asyncio
from contextlib import suppress
from typing import Self

from teamspace.core.egress.connections import ConnectionKey, ConnectionPool
from teamspace.core.egress.heads import ResponseHead
from teamspace.core.egress.http1 import Http1Connection
from teamspace.core.egress.requests import ConnectionBroken, EgressFailed, EgressFault, OutgoingRequest, Progress
from teamspace.core.egress.urls import Destination

_IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
_MAX_PIECES = 300_000
_PIECES_AT_ONCE = 500
"""Read without giving way to other tasks."""
_REST_SECONDS, _REST_BYTES = 0.2, 64 * 1024


class _ConnectionLost(EgressFailed):
    """The connection ended before its response began."""


class StreamedResponse:
    """A response whose body is read piece by piece; its connection is used again once all was read."""

    def __init__(
        self, head: ResponseHead, request: OutgoingRequest, pool: ConnectionPool, key: ConnectionKey,
        connection: Http1Connection, deadline: float,
    ) -> None:  # fmt: skip
        self.status = head.status
        self.headers = _headers(head)
        """Lower-case names."""
        self._pool, self._key, self._connection = pool, key, connection
        self._read_seconds, self._deadline, self._max_bytes = request.timeouts.read, deadline, request.max_bytes
        self._received, self._give_way_at = 0, _PIECES_AT_ONCE
        self._ended = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        if self._ended:
            raise StopAsyncIteration
        if (piece := await self._next()) is None:
            raise StopAsyncIteration
        return piece

    async def read(self) -> bytes:
        """Return the whole body."""
        pieces = []
        while (piece := await self._next()) is not None:
            pieces.append(piece)
        return b"".join(pieces)

    async def _next(self) -> bytes | None:
        """Return the next piece; None at the end. If there is neither, the connection is closed."""
        try:
            piece = await self._read()
        except BaseException:
            self.close()
            raise
        if piece is None:
            self._ended = True
            self._pool.put(self._key, self._connection)
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
            self._connection.close()

    async def _read(self) -> bytes | None:
        pieces = self._connection.pieces
        if pieces >= self._give_way_at:
            self._give_way_at = pieces + _PIECES_AT_ONCE
            await asyncio.sleep(0)
        if asyncio.get_running_loop().time() > self._deadline:  # what has come already needs no waiting
            raise EgressFailed(EgressFault.TIMEOUT, Progress.ANSWERED)
        try:
            piece = await self._connection.receive_piece(self._read_seconds, self._deadline)
        except TimeoutError:
            raise EgressFailed(EgressFault.TIMEOUT, Progress.ANSWERED) from None
        except ConnectionBroken as fault:
            raise EgressFailed(EgressFault.NOT_HTTP, Progress.ANSWERED) from fault
        self._received += len(piece or b"")
        if self._received > self._max_bytes:
            raise EgressFailed(EgressFault.TOO_LARGE, Progress.ANSWERED)
        if self._connection.pieces > _MAX_PIECES:
            raise EgressFailed(EgressFault.TOO_MANY_PIECES, Progress.ANSWERED)
        return piece


async def send(
    request: OutgoingRequest, target: Destination, key: ConnectionKey, pool: ConnectionPool, deadline: float
) -> StreamedResponse:
    """Send a request; raise NoConnection if nothing was sent.

    A server can close an idle connection while a request is on its way. The request is then sent once more if it is
    idempotent; another may have been carried out, and paid for.
    """
    if idle := pool.take(key):
        try:
            return await _exchange(request, target, pool, key, idle, deadline)
        except _ConnectionLost:
            if request.method not in _IDEMPOTENT:
                raise
    seconds = min(request.timeouts.connect, deadline - asyncio.get_running_loop().time())
    connection = await pool.connect(key, seconds)
    return await _exchange(request, target, pool, key, connection, deadline)


async def _exchange(
    request: OutgoingRequest, target: Destination, pool: ConnectionPool, key: ConnectionKey,
    connection: Http1Connection, deadline: float,
) -> StreamedResponse:  # fmt: skip
    try:
        head = await _receive_head(request, target, connection, deadline)
        response = StreamedResponse(head, request, pool, key, connection, deadline)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            # A small compressed body could expand without end.
            raise EgressFailed(EgressFault.COMPRESSED, Progress.ANSWERED)
    except BaseException:
        connection.close()
        raise
    return response


async def _receive_head(
    request: OutgoingRequest, target: Destination, connection: Http1Connection, deadline: float
) -> ResponseHead:
    try:
        connection.send(request, target)
        return await connection.receive_head(request.timeouts.read, deadline)
    except TimeoutError:
        raise EgressFailed(EgressFault.TIMEOUT, Progress.SENT) from None
    except ConnectionBroken as fault:
        raise _ConnectionLost(EgressFault.NOT_HTTP, Progress.SENT) from fault


def _headers(head: ResponseHead) -> dict[str, str]:
    headers: dict[str, str] = {}
    for raw_name, raw_value in head.headers:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers
