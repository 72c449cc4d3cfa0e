"""What a handler can return besides a plain struct: a status, a version, a page, bytes, a stream."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

T = TypeVar("T")
Payer = tuple[str, str]
"""The company and the team whose traffic a response is, if the request has no credential."""


class Reply(Generic[T]):
    """A body with a version: the gate adds the ETag and handles If-None-Match."""

    status: ClassVar[int] = 200

    def __init__(
        self, body: T, *, version: int | None = None, headers: Mapping[str, str] | None = None,
        on_undelivered: Callable[[], Awaitable[None]] | None = None,
    ) -> None:  # fmt: skip
        self.body = body
        self.version = version
        self.headers = headers or {}
        self.on_undelivered = on_undelivered
        """Undoes what the response hands out; called if the client disconnects before it is sent."""


class Created(Reply[T]):
    status = 201


class Accepted(Reply[T]):
    status = 202


class NoContent(Reply[T]):
    """Headers without a body."""

    status = 204


class Page(msgspec.Struct, Generic[T], frozen=True):
    """One page of a list; `next_cursor` is null on the last page."""

    items: list[T]
    next_cursor: str | None


class Content(msgspec.Struct, frozen=True):
    """Bytes in memory. If the headers have an `etag`, the gate handles If-None-Match."""

    body: bytes
    content_type: str
    headers: dict[str, str] = {}
    status: int = 200
    """Another one for a page that says why there is nothing else."""
    payer: Payer | None = None


class SeeOther(msgspec.Struct, frozen=True):
    """Sends a browser to another page after a form."""

    location: str
    headers: dict[str, str] = {}
    payer: Payer | None = None


class Download(msgspec.Struct, frozen=True):
    """Bytes that are streamed in constant memory, at the reader's speed."""

    chunks: AsyncGenerator[bytes, None]
    content_type: str
    size: int | None = None
    headers: dict[str, str] = {}
    payer: Payer | None = None


class Feed(Download, frozen=True):
    """A stream that stays open. It is not counted as a download: whoever offers it limits their number."""


class StoredContent(msgspec.Struct, frozen=True):
    """Bytes with random access: the gate handles conditional and range requests."""

    size: int
    read: Callable[[int, int], AsyncGenerator[bytes, None]]
    """Called with the offset and the number of bytes."""
    content_type: str
    tag: str
    modified: float
    """Seconds since the epoch."""
    headers: dict[str, str] = {}
    span: tuple[int, int] | None = None
    """Start and end offset, to send only this part, whatever range is requested."""
    payer: Payer | None = None


class Archive(Download, frozen=True):
    """A zip."""


class JsonLines(Download, frozen=True):
    """A list that is streamed as JSON lines."""


class CsvLines(Download, frozen=True):
    """A list that is streamed as CSV."""


class ServerSentEvent(msgspec.Struct, frozen=True):
    """One server-sent event; the data is sent as JSON, or as it is if it is `msgspec.Raw`."""

    name: str
    """Empty in protocols whose events have only data."""
    data: Any
    id: str = ""


class EventStream(msgspec.Struct, frozen=True):
    """Server-sent events, with a comment when idle, so that proxies keep the connection open.

    It is not counted as a download: whoever offers it limits their number.
    """

    batches: AsyncGenerator[Sequence[ServerSentEvent], None]
    """Events that are ready together, to be sent together; none from time to time while nothing happens."""
