"""Structs of blobs, the BlobStore protocol, and its errors."""

import re
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import msgspec

BLOCK = 256 * 1024
"""The bytes covered by one CRC."""
STRIDE = 4 * BLOCK
"""The bytes read or written at a time: several blocks, to save thread switches."""
SMALL = 32 * 1024
"""The largest blob that can be stored in its database row, if the store wants that."""
NONE_IN_ROWS = -1
"""As the largest blob in a row: every blob is in the store."""
INSTANCE = "instance"
"""The folder name of the namespace without a company."""


_ID, _DIGEST = re.compile(r"[0-9A-Za-z_-]{0,64}"), re.compile(r"[0-9a-f]{64}")


def has_valid_name(namespace: str, digest: str) -> bool:
    return bool(_ID.fullmatch(namespace) and _DIGEST.fullmatch(digest))


def blob_path(namespace: str, digest: str) -> str:
    """Return the path of a blob inside the store, with folders by digest, so that none gets too large.

    Raises ValueError for anything but an id and a digest, so that a path never leads out of the store.
    """
    if not has_valid_name(namespace, digest):
        raise ValueError("not a company id, or not a digest")
    return f"{namespace or INSTANCE}/{digest[:2]}/{digest[2:4]}/{digest}"


class Blob(msgspec.Struct, frozen=True):
    """A blob in the database. `org_id` is its namespace, empty for the instance's own."""

    org_id: str
    digest: str
    size: int

    @property
    def has_valid_name(self) -> bool:
        return has_valid_name(self.org_id, self.digest)


class BlobChecksums(msgspec.Struct, frozen=True):
    """What is needed to read and verify any part of a blob."""

    size: int
    blocks: bytes
    """The CRC-32 of each block."""
    data: bytes | None


class StagedBlob(msgspec.Struct, frozen=True):
    """Received and hashed bytes that no row references yet: small ones in memory, others in a temporary file."""

    file: Path | None
    data: bytes | None
    size: int
    digest: str
    """The SHA-256, which addresses the blob."""
    md5: str
    """The ETag for S3 clients."""
    blocks: bytes

    @property
    def path(self) -> Path:
        if self.file is None:
            raise ValueError("a small staged blob has no file")
        return self.file


class StoredFile(msgspec.Struct, frozen=True):
    """A blob in the store."""

    org_id: str
    digest: str
    written_at: float


class WrongFolder(Exception):
    """The folder does not belong to this database."""


class BlobMissing(Exception):
    """The store does not have the blob."""


class DamagedBlob(Exception):
    """The bytes do not match their checksum."""


class BlobStore(Protocol):
    """Stores bytes by namespace and digest. It does not check access."""

    @property
    def small(self) -> int:
        """Blobs up to this size are stored in their database rows, and never reach the store."""
        ...

    @property
    def max_size(self) -> int | None:
        """The largest blob that it takes, if there is a limit."""
        ...

    @property
    def staging_folder(self) -> Path:
        """A folder for incomplete files; `put` moves files from it."""
        ...

    def check(self) -> None:
        """Raise Overloaded if the store cannot be used as configured."""
        ...

    def check_space(self, size: int = 0) -> None:
        """Raise StorageFull if the disk has too little space for `size` more bytes. Cheap enough for every chunk."""
        ...

    async def put(self, namespace: str, digest: str, file: Path) -> None:
        """Move the file into the store. When this returns, the bytes survive a power cut."""
        ...

    def get(
        self, namespace: str, digest: str, start: int = 0, length: int | None = None, *, size: int | None = None
    ) -> AsyncIterator[bytes]:
        """Read bytes in chunks of any size. `size` is that of the blob, if it is known."""
        ...

    async def delete(self, namespace: str, digest: str) -> None:
        """Delete the blob if it exists."""
        ...

    async def stat(self, namespace: str, digest: str) -> int | None:
        """Return the size, or None if there is no such blob."""
        ...

    def collection_paused(self) -> AbstractContextManager[None]:
        """Nothing is collected inside the block."""
        ...

    def collecting(self) -> AbstractContextManager[bool]:
        """Yields whether the collector may run now; if so, `collection_paused` waits until the block ends."""
        ...

    def list_files(self) -> Iterator[StoredFile]:
        """Iterate over all blobs, unordered."""
        ...

    def list_stale(self, written_before: float) -> Iterator[str]:
        """Return temporary files older than this time, left by interrupted uploads."""
        ...

    def discard_stale(self, written_before: float) -> None: ...


class PlainBlobStore(Protocol):
    """A blob store as a plugin writes it: four functions, each of them plain or async.

    Plain ones are called in a thread, several at a time. `org_id` and `digest` are safe as names of files.
    """

    def put(self, org_id: str, digest: str, data: bytes) -> Awaitable[None] | None:
        """Store the bytes, or replace equal ones. When this returns, they survive a crash."""
        ...

    def get(self, org_id: str, digest: str) -> Awaitable[bytes | None] | bytes | None:
        """Return the bytes, or None if there is no such blob."""
        ...

    def delete(self, org_id: str, digest: str) -> Awaitable[None] | None:
        """Delete the blob if it exists."""
        ...

    def stat(self, org_id: str, digest: str) -> Awaitable[int | None] | int | None:
        """Return the size, or None if there is no such blob."""
        ...


class LargeBlobStore(PlainBlobStore, Protocol):
    """A store with these two also takes blobs that should not be in memory as a whole; `put` and `get` are not called."""

    def put_file(self, org_id: str, digest: str, file: Path) -> Awaitable[None] | None:
        """Store the content of the file, as `put` does. The file can be moved."""
        ...

    def get_range(self, org_id: str, digest: str, start: int, length: int) -> Awaitable[bytes | None] | bytes | None:
        """Return these bytes, fewer if the blob ends before; None if there is no such blob."""
        ...
