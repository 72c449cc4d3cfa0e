"""Read blobs. Bytes that do not match their checksum are never returned."""

import hashlib
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import IO

from teamspace.blobs import store
from teamspace.blobs.domain.block_checksums import block_checksums
from teamspace.blobs.domain.read_ahead import ReadAhead
from teamspace.blobs.domain.staging import as_stream
from teamspace.blobs.schemas import BLOCK, STRIDE, BlobMissing, BlobStore, DamagedBlob
from teamspace.core.db import Reads

_IN_MEMORY = 1024 * 1024
_PIECE = 64 * 1024
"""What is yielded at a time. A client that stalls keeps two of them."""
_read_ahead = ReadAhead(16 * STRIDE)


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
) -> AsyncGenerator[bytes, None]:  # fmt: skip
    """Read a range of a blob; every block is verified before any of its bytes is yielded."""
    checksums = await store.get_checksums(db, org_id, digest)
    if checksums is None:
        raise BlobMissing(f"blob {digest} is missing")
    if checksums.data is not None:
        if block_checksums(checksums.data) != checksums.blocks:
            raise DamagedBlob(f"blob {digest} is damaged")
        yield checksums.data[start : start + length]
        return
    reader, ahead = object(), length + BLOCK
    try:
        position, end = start, start + length
        while position < end:  # once, unless the client is slow
            begin = position - position % BLOCK
            until = _round_up(min(end, begin + ahead), checksums.size)
            chunks = files.get(org_id, digest, begin, until - begin, size=checksums.size)
            ahead *= 2
            async with aclosing(_keep_verified(chunks, begin, digest, checksums.blocks, reader)) as strides:
                async for first, last in strides:
                    stop = min(last, end)
                    while position < stop and (kept := _read_ahead.get(reader)) is not None:
                        piece = [bytes(kept[position - first : min(position + _PIECE, stop) - first])]
                        del kept
                        position += len(piece[0])
                        yield piece.pop()
                    if position < stop:  # it is read again, but only as much as such a client takes
                        ahead = BLOCK
                        break
                else:
                    if position < min(until, end):
                        raise DamagedBlob(f"blob {digest} is cut short")
    finally:
        _read_ahead.forget(reader)


async def _keep_verified(
    chunks: AsyncIterator[bytes], position: int, digest: str, checksums: bytes, reader: object
) -> AsyncGenerator[tuple[int, int], None]:
    """Verify strides and keep each for the reader; yield where it begins and ends. Nothing else refers to it."""
    async for stride in _in_strides(chunks):
        size, number, found = len(stride), position // BLOCK, block_checksums(stride)
        if found != checksums[4 * number : 4 * number + len(found)]:
            raise DamagedBlob(f"blob {digest} is damaged")
        _read_ahead.keep(reader, stride)
        del stride
        yield position, position + size
        position += size


def _round_up(end: int, size: int) -> int:
    """Round up to the end of the block or of the blob."""
    return min(-(-end // BLOCK) * BLOCK, size)


async def _in_strides(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes | memoryview]:
    """Group chunks into whole blocks of about STRIDE bytes; the remainder comes last. What was yielded is not kept."""
    pending = list[bytes]()
    async for chunk in chunks:
        pending.append(chunk)
        del chunk
        size = sum(map(len, pending))
        if size >= STRIDE:
            joined = b"".join(pending)
            whole = size - size % BLOCK
            pending = [joined[whole:]] if whole < size else []
            strides: list[bytes | memoryview] = [memoryview(joined)[:whole] if pending else joined]
            del joined
            yield strides.pop()
    if pending:
        yield b"".join(pending)
