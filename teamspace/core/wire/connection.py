"""One connection: parses requests as their bytes arrive, and writes the responses in the same order."""

import asyncio
import logging
import math
import socket
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from itertools import chain
from random import random
from typing import Protocol, cast

import httptools

from teamspace.core.disconnect import Disconnected
from teamspace.core.errors import BadRequest, HeadersTooLarge, InternalError, Overloaded, Refusal
from teamspace.core.wire import heads
from teamspace.core.wire.exchange import Exchange, Message
from teamspace.core.wire.limits import WireLimits
from teamspace.core.wire.request_head import check_trailer, read_head
from teamspace.core.wire.start_queue import StartQueue

log = logging.getLogger("teamspace.wire")
_HUNG_UP = (7, 8)
"""The states CLOSE and CLOSE_WAIT of Linux: the client has reset the connection, or closed its half."""

App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]


class Acceptor(Protocol):
    """The server, as a connection sees it."""

    limits: WireLimits
    draining: bool

    starts: StartQueue

    @property
    def app(self) -> App: ...

    def admit(self, connection: "Connection") -> bool: ...

    def release(self, connection: "Connection") -> None: ...

    def is_proxy(self, connection: "Connection") -> bool: ...


class Connection(asyncio.Protocol):
    """Reads on, within limits, while a request is answered: so a disconnect is noticed at once."""

    __slots__ = (
        "_acceptor",
        "_allowance",
        "_arrived",
        "_closing",
        "_current",
        "_fault",
        "_flushed",
        "_head_size",
        "_headers",
        "_in_head",
        "_incoming",
        "_input_ended",
        "_is_immediate",
        "_loop",
        "_parser",
        "_paused",
        "_queue",
        "_task",
        "_transport",
        "_unread",
        "_unsent",
        "_url",
        "_write_deadline",
        "address",
        "deadline",
        "limits",
    )

    def __init__(self, acceptor: Acceptor, loop: asyncio.AbstractEventLoop) -> None:
        self._acceptor, self._loop, self.limits = acceptor, loop, acceptor.limits
        self.address = ""
        self._parser: httptools.HttpRequestParser | None = httptools.HttpRequestParser(self)
        self._in_head = False
        self._url, self._headers = b"", list[tuple[bytes, bytes]]()
        self._head_size = self._arrived = 0
        """Bytes of the head that came before, and bytes that came now."""
        self._incoming: Exchange | None = None
        """The request whose body is arriving."""
        self._allowance = 0
        """Bytes of framing that the body may still have."""
        self._current: Exchange | None = None
        """The request that is being answered; often the same."""
        self._queue: deque[Exchange] = deque()
        """Requests that wait for the current one."""
        self._is_immediate = False
        """Whether the current one has arrived just now, and is answered as soon as its last byte is parsed."""
        self._task: asyncio.Task[None] | None = None
        self._input_ended = False
        """Whether what still arrives is discarded."""
        self._fault: Refusal | None = None
        """The refusal to send after the responses to what came before."""
        self._closing = False
        """Whether nothing more is sent."""
        self._paused = False
        """Whether reading is paused."""
        self._flushed: asyncio.Future[None] | None = None
        """Pending while too much of a response waits for the client."""
        self._unread: Exchange | None = None
        """What was answered, while too much of it waits for the client."""
        self._unsent = 0
        self.deadline = self._write_deadline = math.inf
        """When the sweeper closes the connection, unless the client sends or reads something before."""

    @property
    def draining(self) -> bool:
        return self._acceptor.draining

    @property
    def is_idle(self) -> bool:
        return self._current is None and not self._in_head

    # Called by the transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self.address = peer[0] if peer else ""
        self._transport.set_write_buffer_limits(self.limits.write_ahead)
        self._expect_within(self.limits.first_byte)
        if not self._acceptor.admit(self):
            self._close(Overloaded("server.too_many_connections"))

    def connection_lost(self, fault: Exception | None) -> None:
        self._acceptor.release(self)
        self._closing = True
        self.resume_writing()
        for exchange in (self._current, self._incoming):
            if exchange is not None:
                exchange.disconnect()
        self._queue.clear()
        self._parser = None  # it refers to this connection

    def data_received(self, data: bytes) -> None:
        if self._input_ended or self._parser is None:
            return
        was_in_head, self._arrived = self._in_head, len(data)
        if self._incoming is not None:
            self._allowance -= len(data)
        try:
            self._parser.feed_data(data)
            if self._in_head:
                self._check_head(was_in_head)
            elif self._incoming is not None or self._queue:
                self._check_body()
        except httptools.HttpParserUpgrade:
            self._end_input(None)  # the request is answered as if it had not asked for an upgrade
        except httptools.HttpParserCallbackError as fault:
            self._end_input(_refusal_in(fault))
        except httptools.HttpParserError:
            self._end_input(BadRequest("request.malformed"))
        except Refusal as refusal:
            self._end_input(refusal)
        if self._is_immediate and self._current is not None:
            self._is_immediate = False
            self._answer_at_once(self._current)

    def _check_head(self, was_in_head: bool) -> None:
        """Limit a head that has not ended with these bytes."""
        if was_in_head:
            self._head_size += self._arrived
        elif self._current is None:
            self._expect_within(self.limits.head_time)
        if self._head_size > self.limits.head:
            raise HeadersTooLarge("request.headers_too_long", limit=self.limits.head)
        if len(self._headers) > self.limits.headers:
            raise HeadersTooLarge("request.too_many_headers", limit=self.limits.headers)
        if self._queue:
            self._pause_reading()

    def _check_body(self) -> None:
        if self._incoming is not None and self._allowance < 0:
            raise BadRequest("request.malformed")
        if self._queue or (self._incoming is not None and self._incoming.buffered > self.limits.read_ahead):
            self._pause_reading()

    def pause_writing(self) -> None:
        if self._flushed is None:
            self._flushed = self._loop.create_future()

    def resume_writing(self) -> None:
        if self._flushed is not None:
            self._flushed.set_result(None)
            self._flushed = None
        if self._unread is not None:
            exchange, self._unread, self._write_deadline = self._unread, None, math.inf
            self._answered(exchange)

    # Called by the parser

    def on_message_begin(self) -> None:
        if len(self._queue) >= self.limits.pipelined:
            raise _TooManyPipelined
        self._in_head, self._url, self._headers, self._head_size = True, b"", [], 0

    def on_url(self, part: bytes) -> None:
        self._url += part

    def on_header(self, name: bytes, value: bytes) -> None:
        name = name.lower()
        if self._incoming is None:
            self._headers.append((name, value))
        else:
            check_trailer(name)

    def on_headers_complete(self) -> None:
        assert self._parser is not None
        self._in_head = False
        headers, self._headers = self._headers, []
        if len(headers) > self.limits.headers:
            raise HeadersTooLarge("request.too_many_headers", limit=self.limits.headers)
        if self._head_size + self._arrived > self.limits.head:  # rarely, so that it need not be counted each time
            size = len(self._url) + sum(map(len, chain.from_iterable(headers)))
            if size > self.limits.head:
                raise HeadersTooLarge("request.headers_too_long", limit=self.limits.head)
        scope = read_head(self._parser, self._url, headers, self.address)
        exchange = Exchange(self, scope, keep_alive=self._parser.should_keep_alive())
        self._incoming, self._allowance = exchange, self.limits.framing
        if self._current is not None:
            self._queue.append(exchange)
        elif scope["raw_path"] in self.limits.immediate:
            self._current, self.deadline, self._is_immediate = exchange, math.inf, True
        else:
            self._answer(exchange)

    def on_body(self, piece: bytes) -> None:
        if self._incoming is not None:
            self._allowance += len(piece) * (1 + self.limits.framing_ratio)
            self._incoming.feed(piece)

    def on_message_complete(self) -> None:
        if self._incoming is not None:
            self._incoming.end_body()
            self._incoming = None

    # Called by the exchange

    def write(self, data: bytes) -> None:
        self._transport.write(data)

    def write_parts(self, parts: list[bytes | memoryview]) -> None:
        self._transport.writelines(parts)

    async def flush(self) -> None:
        """Wait until little enough of the response is unsent."""
        if self._flushed is not None:
            self._expect_reading()
            await asyncio.shield(self._flushed)
            self._write_deadline = math.inf

    def want_body(self, exchange: Exchange) -> None:
        if not exchange.started and exchange.take_expectation():
            self._transport.write(heads.CONTINUE)
        self._resume_reading()
        self._expect_within(self.limits.body_stall)

    def take_body(self) -> None:
        self.deadline = math.inf
        self._resume_reading()

    # Called by the server

    def sweep(self, now: float) -> None:
        """Close the connection if its time is up, or if its client has left."""
        if self._queue and _has_hung_up(self._transport):
            self._transport.close()
        if now >= self.deadline:
            if self._current is not None:
                self._transport.abort()
            else:
                self._close(None)
        if now >= self._write_deadline:
            if self._transport.get_write_buffer_size() >= self._unsent:
                self._transport.abort()
            self._expect_reading()

    def drain(self) -> None:
        """Close the connection now if nothing is in progress, else after the response."""
        if self.is_idle:
            self._close(None)

    def abort(self) -> None:
        self._transport.abort()

    # One request after the other

    def _answer(self, exchange: Exchange) -> None:
        self._current, self.deadline = exchange, math.inf
        self._acceptor.starts.add(self._start, urgent=exchange.scope["raw_path"] in self.limits.urgent)

    def _answer_at_once(self, exchange: Exchange) -> None:
        """Answer without a task, which would begin after all that others have sent is read and begun."""
        if not _is_plain_read(exchange):
            self._answer(exchange)
            return
        run = self._run(exchange)
        try:
            run.send(None)
        except StopIteration:
            return
        log.error("the answer to %s must not wait for anything", exchange.scope["raw_path"].decode("latin-1"))
        run.close()

    def _start(self, waited: float) -> None:
        if self._closing:  # the client has left while the request waited
            self._current = None
        elif self._current is not None:
            self._current.scope["waited"] = waited
            self._task = self._loop.create_task(self._run(self._current))

    async def _run(self, exchange: Exchange) -> None:
        try:
            await self._acceptor.app(exchange.scope, exchange.receive, exchange.send)
        except Disconnected:
            pass
        except Exception:
            log.exception("a request failed")
        finally:
            self._answered(exchange)

    def _answered(self, exchange: Exchange) -> None:
        self._task = None
        if self._flushed is not None and exchange.finished and exchange.keep_alive and not self._closing:
            # The next response would wait in memory for a client that does not read this one.
            self._unread = exchange
            self._expect_reading()
            return
        self._current = None
        if self._closing:
            return
        if not exchange.finished:
            self._abandon(exchange)
        elif not exchange.keep_alive:
            self._close(None, linger=not exchange.body_ended)
        elif self._queue:
            self._answer(self._queue.popleft())
        elif self._input_ended or (self.draining and not self._in_head):
            self._close(self._fault)
        else:
            self._read_next(rest=exchange.is_busy and not self._acceptor.is_proxy(self))

    def _read_next(self, *, rest: bool) -> None:
        self._expect_within(self.limits.head_time if self._in_head else self.limits.idle)
        if rest:
            self._pause_reading()
            # Not all at the same time, or the server would be idle until then.
            self._loop.call_later(self.limits.rest * (0.8 + 0.2 * random()), self._end_rest)
        else:
            self._resume_reading()

    def _end_rest(self) -> None:
        if not self._closing:
            self._resume_reading()

    def _abandon(self, exchange: Exchange) -> None:
        """Close the connection after a request without a complete response."""
        if exchange.started:
            self._transport.abort()  # otherwise the client may take what it has for all
        elif self.draining:
            self._close(None)
        else:
            self._close(self._fault or InternalError("request.internal_error"), linger=True)

    def _end_input(self, fault: Refusal | None) -> None:
        """Read nothing more; `fault` is sent after the responses to what came before."""
        self._input_ended, self._fault = True, fault
        if self._incoming is not None:
            self._incoming.disconnect()
            self._incoming = None
        if self._current is None:
            self._close(fault)

    def _close(self, fault: Refusal | None, *, linger: bool = False) -> None:
        self._closing = self._input_ended = True
        if fault is not None:
            self._transport.write(heads.refusal_response(fault))
        if linger or fault is not None:
            self._expect_within(self.limits.linger)
            self._resume_reading()
            if self._transport.can_write_eof():
                self._transport.write_eof()
        else:
            self.deadline = math.inf
            self._expect_reading()
            self._transport.close()

    def _expect_within(self, seconds: float) -> None:
        """Give the client time to send something."""
        self.deadline = self._loop.time() + seconds

    def _expect_reading(self) -> None:
        """Give the client time to read something."""
        self._unsent = self._transport.get_write_buffer_size()
        self._write_deadline = self._loop.time() + self.limits.write_stall

    def _pause_reading(self) -> None:
        if not self._paused:
            self._paused = True
            self._transport.pause_reading()

    def _resume_reading(self) -> None:
        if self._paused and not self._queue:
            self._paused = False
            self._transport.resume_reading()


def _has_hung_up(transport: asyncio.Transport) -> bool:
    """Whether the client sends nothing more. While requests wait, nothing is read, and only the system knows."""
    if sys.platform != "linux" or transport.is_closing():
        return False
    connection = transport.get_extra_info("socket")
    state: bytes = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
    return state[0] in _HUNG_UP


def _is_plain_read(exchange: Exchange) -> bool:
    """Whether the request has arrived and has nothing that must be read or verified."""
    scope = exchange.scope
    return (
        exchange.body_ended
        and scope["method"] in ("GET", "HEAD")
        and not scope["query_string"]
        and not any(name == b"authorization" for name, _ in scope["headers"])
    )


class _TooManyPipelined(Exception):
    """The requests before are answered; the client repeats the others on another connection."""


def _refusal_in(fault: httptools.HttpParserCallbackError) -> Refusal | None:
    """Return the refusal that a callback raised."""
    cause = fault.__context__
    if isinstance(cause, _TooManyPipelined):
        return None
    if isinstance(cause, Refusal):
        return cause
    log.error("the parser's callback failed", exc_info=cause)
    return InternalError("request.internal_error")
