"""What a handler may answer with besides a plain struct: a status, a tag, a page, bytes, a stream."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

T = TypeVar("T")


class Reply(Generic[T]):
    """A body with a version: the gate adds the ETag and honours If-None-Match."""

    status: ClassVar[int] = 200

    def __init__(
        self, body: T, *, version: int | None = None, headers: Mapping[str, str] | None = None,
        undelivered: Callable[[], Awaitable[None]] | None = None,
    ) -> None:  # fmt: skip
        self.body = body
        self.version = version
        self.headers = headers or {}
        self.undelivered = undelivered
        """Takes back what the answer gives away; called when the client has gone before it."""


class Created(Reply[T]):
    status = 201


class Accepted(Reply[T]):
    status = 202


class Page(msgspec.Struct, Generic[T], frozen=True):
    """One page of a list; `next_cursor` is null on the last."""

    items: list[T]
    next_cursor: str | None


class Content(msgspec.Struct, frozen=True):
    """Bytes that are all there."""

    body: bytes
    content_type: str
    headers: dict[str, str] = {}


class Download(msgspec.Struct, frozen=True):
    """Bytes that flow in constant memory, as fast as the reader takes them."""

    chunks: AsyncIterator[bytes]
    content_type: str
    size: int | None = None
    headers: dict[str, str] = {}


class Stored(msgspec.Struct, frozen=True):
    """Bytes that can be read from anywhere: the gate answers conditions and ranges."""

    size: int
    read: Callable[[int, int], AsyncIterator[bytes]]
    """From the first byte that is wanted, and how many."""
    content_type: str
    tag: str
    modified: float
    """Seconds since the epoch."""
    headers: dict[str, str] = {}
    only: tuple[int, int] | None = None
    """From and up to where, when no more than this is meant, whatever range is asked for."""


class JsonLines(Download, frozen=True):
    """A list that flows as JSON, one item a line."""


class Event(msgspec.Struct, frozen=True):
    """One server-sent event; the data is JSON."""

    name: str
    data: Any
    id: int | None = None


class Events(msgspec.Struct, frozen=True):
    """Server-sent events, with a comment when nothing was said for a while, so that proxies keep the line."""

    events: AsyncIterator[Event]
