"""What a blob store is, and what can be wrong with one blob."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol

import msgspec


class Blob(msgspec.Struct, frozen=True):
    """A blob as the database knows it; `org_id` is its namespace, empty for the instance's own."""

    org_id: str
    digest: str
    size: int


class StoredFile(msgspec.Struct, frozen=True):
    """A blob as the store knows it."""

    org_id: str
    digest: str
    written_at: float


class BlobMissing(Exception):
    """The store has no such bytes."""


class DamagedBlob(Exception):
    """The bytes are not the ones that were stored."""


class BlobStore(Protocol):
    """Where bytes lie. It knows a namespace and a digest, never who is asking."""

    async def put(self, namespace: str, digest: str, data: bytes) -> None:
        """When this returns, the bytes survive a power cut."""
        ...

    async def get(self, namespace: str, digest: str) -> bytes: ...

    async def delete(self, namespace: str, digest: str) -> None:
        """Gone afterwards, whether or not it was there."""
        ...

    async def stat(self, namespace: str, digest: str) -> int | None:
        """The size, or None when there is no such blob."""
        ...

    def held(self) -> AbstractContextManager[None]:
        """Inside the block nothing is collected."""
        ...

    def collecting(self) -> AbstractContextManager[bool]:
        """Whether the collector may work now; nobody begins to hold the store until the block ends."""
        ...

    def stored(self) -> Iterator[StoredFile]:
        """All there is, in no order."""
        ...

    def stale(self, written_before: float) -> Iterator[str]:
        """What was being written then, and never became a blob."""
        ...

    def discard_stale(self, written_before: float) -> None: ...
