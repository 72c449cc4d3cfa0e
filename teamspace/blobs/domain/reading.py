"""Read blobs. Bytes that do not match their checksum are never returned."""

import hashlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import IO

from teamspace.blobs import store
from teamspace.blobs.domain.block_checksums import block_checksums
from teamspace.blobs.domain.staging import as_stream
from teamspace.blobs.schemas import BLOCK, STRIDE, BlobMissing, BlobStore, DamagedBlob
from teamspace.core.db import Reads

_IN_MEMORY = 1024 * 1024


async def read(db: Reads, files: BlobStore, org_id: str, digest: str) -> bytes:
    """Return a small blob, verified against its digest."""
    return b"".join([chunk async for chunk in _read_verified(db, files, org_id, digest)])


async def is_present(db: Reads, files: BlobStore, org_id: str, digest: str) -> bool:
    """Return whether there are bytes, in the row or in the store; it does not verify them."""
    checksums = await store.get_checksums(db, org_id, digest)
    in_row = checksums is not None and checksums.data is not None
    return in_row or await files.stat(org_id, digest) is not None


async def verify(db: Reads, files: BlobStore, org_id: str, digest: str) -> None:
    """Read the blob; raise BlobMissing or DamagedBlob if it is missing or damaged."""
    async for _ in _read_verified(db, files, org_id, digest):
        pass


@asynccontextmanager
async def fetch_to_file(files: BlobStore, org_id: str, digest: str) -> AsyncIterator[IO[bytes]]:
    """Read a blob into an anonymous temporary file, verified against its digest."""
    files.staging_folder.parent.mkdir(parents=True, exist_ok=True)  # may not exist yet on this machine
    with tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(files.staging_folder.parent)) as file:
        async for chunk in _verify_digest(files.get(org_id, digest), digest):
            file.write(chunk)
        file.seek(0)
        yield file


async def _read_verified(db: Reads, files: BlobStore, org_id: str, digest: str) -> AsyncIterator[bytes]:
    checksums = await store.get_checksums(db, org_id, digest)
    if checksums is not None and checksums.data is not None:
        chunks = as_stream(checksums.data)
    else:
        chunks = files.get(org_id, digest, size=checksums.size if checksums else None)
    async for chunk in _verify_digest(chunks, digest):
        yield chunk


async def _verify_digest(chunks: AsyncIterator[bytes], digest: str) -> AsyncIterator[bytes]:
    """Yield the chunks, and raise DamagedBlob at the end if they do not match. Only for callers that read it all."""
    sha256 = hashlib.sha256()
    async for chunk in chunks:
        sha256.update(chunk)
        yield chunk
    if sha256.hexdigest() != digest:
        raise DamagedBlob(f"blob {digest} is damaged")


async def read_range(
    db: Reads, files: BlobStore, org_id: str, digest: str, start: int, length: int
) -> AsyncIterator[bytes]:  # fmt: skip
    """Read a range of a blob; every block is verified before any of its bytes is yielded."""
    checksums = await store.get_checksums(db, org_id, digest)
    if checksums is None:
        raise BlobMissing(f"blob {digest} is missing")
    if checksums.data is not None:
        if block_checksums(checksums.data) != checksums.blocks:
            raise DamagedBlob(f"blob {digest} is damaged")
        yield checksums.data[start : start + length]
        return
    position, left = start - start % BLOCK, length
    size = checksums.size
    chunks = files.get(org_id, digest, position, _round_up(start + length, size) - position, size=size)
    async for stride in _in_strides(chunks):
        number, found = position // BLOCK, block_checksums(stride)
        if found != checksums.blocks[4 * number : 4 * number + len(found)]:
            raise DamagedBlob(f"blob {digest} is damaged")
        requested = stride[max(0, start - position) :][:left]
        left -= len(requested)
        position += len(stride)
        yield bytes(requested)
    if left:
        raise DamagedBlob(f"blob {digest} is cut short")


def _round_up(end: int, size: int) -> int:
    """Round up to the end of the block or of the blob."""
    return min(-(-end // BLOCK) * BLOCK, size)


async def _in_strides(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes | memoryview]:
    """Group chunks into whole blocks of about STRIDE bytes; the remainder comes last."""
    pending, size = list[bytes](), 0
    async for chunk in chunks:
        pending.append(chunk)
        size += len(chunk)
        if size >= STRIDE:
            stride, size = b"".join(pending), size % BLOCK
            pending = [stride[-size:]] if size else []
            yield memoryview(stride)[:-size] if size else stride
    if size:
        yield b"".join(pending)
