"""What a blob store is, and what can be wrong with one blob."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import msgspec

BLOCK = 256 * 1024
"""So many bytes have a sum of their own."""
STRIDE = 4 * BLOCK
"""As much is read and written at a time: more blocks at once are fewer ways to a thread and back."""
SMALL = 32 * 1024
"""What is no larger lies in the database, and comes and goes with its row."""
INSTANCE = "instance"
"""What the namespace without a company is called where names are needed."""


_ID, _DIGEST = re.compile(r"[0-9A-Za-z_-]{0,64}"), re.compile(r"[0-9a-f]{64}")


def is_well_named(namespace: str, digest: str) -> bool:
    return bool(_ID.fullmatch(namespace) and _DIGEST.fullmatch(digest))


def name_of(namespace: str, digest: str) -> str:
    """Where a store keeps a blob, below whatever it keeps blobs in: folders by digest, so that none has too many.

    Anything that is no id and no digest is a ValueError: a name never leads out of the store.
    """
    if not is_well_named(namespace, digest):
        raise ValueError("this is no company's id, or no digest")
    return f"{namespace or INSTANCE}/{digest[:2]}/{digest[2:4]}/{digest}"


class Blob(msgspec.Struct, frozen=True):
    """A blob as the database knows it; `org_id` is its namespace, empty for the instance's own."""

    org_id: str
    digest: str
    size: int

    @property
    def is_well_named(self) -> bool:
        return is_well_named(self.org_id, self.digest)

    @property
    def in_row(self) -> bool:
        return self.size <= SMALL


class Sums(msgspec.Struct, frozen=True):
    """What is needed to read any part of a blob and know that it is right."""

    size: int
    blocks: bytes
    """The sum of each block."""
    data: bytes | None


class Draft(msgspec.Struct, frozen=True):
    """Bytes that were read through once, and belong to nobody yet: small ones here, others in a file of their own."""

    file: Path | None
    data: bytes | None
    size: int
    digest: str
    """SHA-256, by which they will be known."""
    md5: str
    """What S3 clients compare."""
    blocks: bytes

    @property
    def path(self) -> Path:
        if self.file is None:
            raise ValueError("a draft this small has no file")
        return self.file


class StoredFile(msgspec.Struct, frozen=True):
    """A blob as the store knows it."""

    org_id: str
    digest: str
    written_at: float


class WrongFolder(Exception):
    """The blobs of the database lie elsewhere."""


class BlobMissing(Exception):
    """The store has no such bytes."""


class DamagedBlob(Exception):
    """The bytes are not the ones that were stored."""


class BlobStore(Protocol):
    """Where bytes lie. It knows a namespace and a digest, never who is asking."""

    @property
    def drafts(self) -> Path:
        """A folder for what is being written; `put` takes files from it."""
        ...

    def check(self) -> None:
        """Nothing, unless the store cannot be used as it is set up."""
        ...

    def check_space(self, coming: int = 0) -> None:
        """Nothing, unless the disk has too little room for so many bytes more; cheap enough for every piece of a body."""
        ...

    async def put(self, namespace: str, digest: str, draft: Path) -> None:
        """Takes the file away. When this returns, the bytes survive a power cut."""
        ...

    def get(self, namespace: str, digest: str, start: int = 0, length: int | None = None) -> AsyncIterator[bytes]:
        """In pieces of any size."""
        ...

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
