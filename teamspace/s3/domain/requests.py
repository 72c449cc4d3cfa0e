"""A verified S3 request, and its possible responses."""

from collections.abc import AsyncIterator, Callable, Mapping

import msgspec

from teamspace.blobs import BlobStore
from teamspace.core.db import Db
from teamspace.core.principal import Principal
from teamspace.core.replies import StoredContent
from teamspace.jobs import Queue
from teamspace.repository import UploadLimit
from teamspace.s3.domain import payload
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.payload import Payload

MAX_XML = 4 * 1024 * 1024
MAX_PUT = 5 * 1024**3


class Services(msgspec.Struct, frozen=True):
    """The services that operations use."""

    db: Db
    files: BlobStore
    queue: Queue
    uploads: UploadLimit
    address: str


class S3Request(msgspec.Struct, frozen=True):
    services: Services
    who: Principal
    bucket: str
    """The bucket of the access key."""
    key: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    payload: Payload
    chunks: Callable[[int], AsyncIterator[bytes]]
    """Read the raw body, limited to this many bytes."""

    @property
    def db(self) -> Db:
        return self.services.db

    @property
    def length(self) -> int | None:
        """The size of the decoded body; None if the client does not announce it."""
        return payload.parse_length(self.payload, self.headers)

    def body(self, trailers: dict[str, str]) -> AsyncIterator[bytes]:
        """Return the decoded body. Do not store it unless the iterator ends without an error and `payload.check`
        passes."""
        length = self.length
        if length is None and self.headers.get("transfer-encoding", "").lower() != "chunked":
            raise S3Error("MissingContentLength", "You must provide the Content-Length HTTP header.")
        if length is not None and length > MAX_PUT:
            raise S3Error("EntityTooLarge", f"The maximum size is {MAX_PUT} bytes: use a multipart upload.")
        limit = MAX_PUT if not self.payload.is_chunked else MAX_PUT + MAX_PUT // 8
        return payload.decode(self.chunks(limit), self.payload, length, trailers)


def parse_number(values: Mapping[str, str], name: str, default: int, *, minimum: int = 0) -> int:
    """Read a number from the query or the headers."""
    text = values.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) >= minimum):
        raise S3Error("InvalidArgument", f"{name} must be a number of at least {minimum}.")
    return int(text)


class S3Response(msgspec.Struct, frozen=True):
    """A response without a body or with XML."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = {}


Reply = S3Response | StoredContent
