"""One S3 request whose signature is right, and what it may be answered with."""

from collections.abc import AsyncIterator, Callable, Mapping

import msgspec

from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.core.replies import Stored
from teamspace.jobs import Queue
from teamspace.repository import Uploads
from teamspace.s3.domain import payload
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.payload import Payload

LARGEST_XML = 4 * 1024 * 1024
LARGEST_PUT = 5 * 1024**3


class House(msgspec.Struct, frozen=True):
    """What every operation works on."""

    db: Db
    files: BlobStore
    queue: Queue
    uploads: Uploads
    address: str


class Visit(msgspec.Struct, frozen=True):
    house: House
    who: Principal
    bucket: str
    """The one that the access key opens."""
    key: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    payload: Payload
    chunks: Callable[[int], AsyncIterator[bytes]]
    """The body as it was sent, of at most so many bytes."""

    @property
    def db(self) -> Db:
        return self.house.db

    @property
    def length(self) -> int | None:
        """How many real bytes the body is to have; None when nobody says."""
        return payload.length_of(self.payload, self.headers)

    def body(self, trailers: dict[str, str]) -> AsyncIterator[bytes]:
        """The real bytes; nothing may be kept of them unless the iterator ends well, and `payload.check` after it."""
        length = self.length
        if length is None and self.headers.get("transfer-encoding", "").lower() != "chunked":
            raise Fault("MissingContentLength", "You must provide the Content-Length HTTP header.")
        if length is not None and length > LARGEST_PUT:
            raise Fault("EntityTooLarge", f"One upload may hold {LARGEST_PUT} bytes: send more in parts.")
        sent = LARGEST_PUT if not self.payload.framed else LARGEST_PUT + LARGEST_PUT // 8
        return payload.decoded(self.chunks(sent), self.payload, length, trailers)


def number(given: Mapping[str, str], name: str, default: int, *, least: int = 0) -> int:
    """A number of the query or of the headers."""
    text = given.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) >= least):
        raise Fault("InvalidArgument", f"{name} must be a number from {least} on.")
    return int(text)


class Answer(msgspec.Struct, frozen=True):
    """Without a body, or with XML."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = {}


Reply = Answer | Stored
