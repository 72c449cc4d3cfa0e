"""Calls over HTTP: retries, pages, streams of events, uploads and downloads. Generated from aio/transport.py by client/generate.py; do not edit."""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

import httpx2

from teamspace.client.calls import Call
from teamspace.client.errors import ConnectionFailed, TeamspaceError
from teamspace.client.events import MAX_EVENT_BYTES, Event, Progress
from teamspace.client.options import Options
from teamspace.client.retrying import Attempts
from teamspace.client.wire import (
    STREAM_SECONDS,
    Received,
    check_stream,
    connection_faults,
    content_of,
    error_of,
    headers_of,
    timeouts,
)

T = TypeVar("T")
Item = TypeVar("Item")


class AnyPage(Protocol):
    """A page of any list."""

    @property
    def items(self) -> list[Any]: ...

    @property
    def next_cursor(self) -> str | None: ...


PageT = TypeVar("PageT", bound=AnyPage)


class Transport:
    """Sends calls with one set of options; several transports can share the connections of one HTTP client."""

    def __init__(self, http: httpx2.Client, options: Options) -> None:
        self._http, self.options = http, options

    def send(self, call: Call[T]) -> T:
        """Send a call, again if necessary, and return the decoded response."""
        attempts = self.attempts(call)
        while True:
            try:
                return self._send_once(call)
            except TeamspaceError as fault:
                if attempts.took_effect(fault):
                    return call.read(httpx2.codes.NO_CONTENT, b"")
                time.sleep(attempts.pause_after(fault))

    def _send_once(self, call: Call[T]) -> T:
        response = self.open(call, self.options.timeout)
        try:
            with connection_faults():
                body = response.read()
        finally:
            response.close()
        return call.read(response.status_code, body)

    def open(self, call: Call[Any], silence: float) -> httpx2.Response:
        """Send a request once; return the successful response, whose body is not read yet."""
        with connection_faults():
            request = self._http.build_request(
                call.method, call.target, headers=headers_of(call, self.options), content=content_of(call),
                timeout=timeouts(silence),
            )  # fmt: skip
            response = self._http.send(request, stream=True)
            if response.is_success:
                return response
            try:
                body = response.read()
            finally:
                response.close()
        raise error_of(response, body)

    def attempts(self, call: Call[Any]) -> Attempts:
        return Attempts(call, self.options.retry)


class Area:
    """The methods for one kind of thing."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport


class Pages(Generic[Item, PageT]):
    """A list. Iterating goes through all pages, and requests each when it is needed; `limit` is the size of a page."""

    def __init__(self, transport: Transport, call: Call[PageT]) -> None:
        self._transport, self._call = transport, call

    def pages(self) -> Generator[PageT, None]:
        call = self._call
        while True:
            page = self._transport.send(call)
            yield page
            if page.next_cursor is None:
                return
            call = call.with_query(cursor=page.next_cursor)

    def __iter__(self) -> Iterator[Item]:
        with closing(self.pages()) as pages:
            for page in pages:
                yield from page.items

    def first_page(self) -> PageT:
        return self._transport.send(self._call)


class EventStream:
    """Server-sent events. After a lost connection it goes on behind the last event: none is missing, none comes twice.

    with client.ai.stream(prompt="Hello") as stream:
        for event in stream:
            ...
    """

    def __init__(self, transport: Transport, call: Call[Event], *, ends: bool) -> None:
        self._transport, self._call = transport, call
        self._progress = Progress(call, ends=ends)
        self._response: httpx2.Response | None = None

    @property
    def text(self) -> str:
        """The text of the answer so far."""
        return self._progress.text

    @property
    def result(self) -> dict[str, Any]:
        """The data of the last event, `done`."""
        if self._progress.result is None:
            raise RuntimeError("the stream has not been read to its end")
        return self._progress.result

    def __enter__(self) -> Self:
        self._connect(self._transport.attempts(self._call))
        return self

    def __exit__(self, *_: object) -> None:
        self._disconnect()

    def __iter__(self) -> Iterator[Event]:
        attempts = self._transport.attempts(self._call)
        while not self._progress.is_over:
            response = self._connect(attempts)
            try:
                with closing(self._events(response)) as events:
                    for event in events:
                        attempts = self._transport.attempts(self._call)
                        yield event
                fault = ConnectionFailed("the stream was cut off", sent=True)
            except ConnectionFailed as lost:
                fault = lost
            self._disconnect()
            if not self._progress.is_over:
                time.sleep(attempts.pause_after(fault))

    def _connect(self, attempts: Attempts) -> httpx2.Response:
        while self._response is None:
            try:
                response = self._transport.open(self._progress.next_call(), STREAM_SECONDS)
                self._response = _checked(response, check_stream)
            except TeamspaceError as fault:
                time.sleep(attempts.pause_after(fault))
        return self._response

    def _events(self, response: httpx2.Response) -> Generator[Event, None]:
        with connection_faults():
            for event in httpx2.EventSource(response, max_event_size=MAX_EVENT_BYTES):
                yield self._progress.add(event.event, event.data, event.id)
                if self._progress.is_over:
                    return

    def _disconnect(self) -> None:
        if self._response is not None:
            self._response.close()
            self._response = None


class Download:
    """Content that is read piece by piece while it arrives. After a lost connection it goes on where that broke.

    with client.repo.content(id) as download:
        download.save(Path("report.pdf"))
    """

    def __init__(self, transport: Transport, call: Call[bytes]) -> None:
        self._transport, self._call = transport, call
        self._received = Received(call)
        self._response: httpx2.Response | None = None

    @property
    def content_type(self) -> str:
        return self._received.content_type

    @property
    def size(self) -> int | None:
        """The number of bytes; None if the server does not say."""
        return self._received.size

    def __enter__(self) -> Self:
        self._connect(self._transport.attempts(self._call))
        return self

    def __exit__(self, *_: object) -> None:
        self._disconnect()

    def __iter__(self) -> Iterator[bytes]:
        attempts = self._transport.attempts(self._call)
        while True:
            response = self._connect(attempts)
            try:
                with closing(self._chunks(response)) as chunks:
                    for chunk in chunks:
                        attempts = self._transport.attempts(self._call)
                        yield chunk
                return
            except ConnectionFailed as fault:
                self._disconnect()
                if not self._received.can_go_on:
                    raise
                time.sleep(attempts.pause_after(fault))

    def read(self) -> bytes:
        """Return everything at once."""
        return b"".join([chunk for chunk in self])

    def save(self, path: Path) -> int:
        """Write everything to a file; return the number of bytes."""
        with path.open("wb") as file:
            return sum([file.write(chunk) for chunk in self])

    def _connect(self, attempts: Attempts) -> httpx2.Response:
        while self._response is None:
            try:
                response = self._transport.open(self._received.next_call(), self._transport.options.timeout)
                self._response = _checked(response, self._received.begin)
            except TeamspaceError as fault:
                time.sleep(attempts.pause_after(fault))
        return self._response

    def _chunks(self, response: httpx2.Response) -> Generator[bytes, None]:
        with connection_faults():
            for chunk in response.iter_raw():
                yield self._received.add(chunk)

    def _disconnect(self) -> None:
        if self._response is not None:
            self._response.close()
            self._response = None


def _checked(response: httpx2.Response, check: Callable[[httpx2.Response], None]) -> httpx2.Response:
    """Return the response, or close it and raise what is wrong with it."""
    try:
        check(response)
    except TeamspaceError:
        response.close()
        raise
    return response
