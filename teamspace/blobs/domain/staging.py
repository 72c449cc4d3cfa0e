"""Stage incoming bytes: hash them while they arrive, and write all but small ones to a temporary file.

The digest is known only after the last byte, so the file gets its final name later. A staged blob that is not moved
into the store is deleted when its block ends, even on errors.
"""

import asyncio
import errno
import hashlib
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

from teamspace.blobs.domain.block_checksums import BlockChecksums
from teamspace.blobs.schemas import STRIDE, BlobStore, StagedBlob
from teamspace.core import pools
from teamspace.core.errors import StorageFull, TooLarge

_MAX_SMALL_CHUNKS = 256
"""Tiny chunks are joined, since each one costs more time than its bytes."""


class _Hasher:
    """Computes size, SHA-256, MD5 and block checksums of a stream."""

    def __init__(self) -> None:
        self._sha256, self._md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
        self._blocks = BlockChecksums()

    def count(self, data: bytes) -> None:
        self._write_and_hash([data])
        self._md5.update(data)

    async def write(self, chunks: Sequence[bytes], file: IO[bytes]) -> None:
        # MD5 is four times slower than the rest together, so it runs in parallel.
        await asyncio.gather(
            pools.FILES.run(self._write_and_hash, chunks, file), pools.HASHING.run(self._update_md5, chunks)
        )

    def _write_and_hash(self, chunks: Sequence[bytes], file: IO[bytes] | None = None) -> None:
        for chunk in chunks:
            if file:
                _write_all(file, chunk)
            self._sha256.update(chunk)
            self._blocks.update(chunk)

    def _update_md5(self, chunks: Sequence[bytes]) -> None:
        for chunk in chunks:
            self._md5.update(chunk)

    def results(self) -> tuple[int, str, str, bytes]:
        return self._blocks.size, self._sha256.hexdigest(), self._md5.hexdigest(), self._blocks.digest()


@asynccontextmanager
async def stage(files: BlobStore, chunks: AsyncIterator[bytes]) -> AsyncIterator[StagedBlob]:
    """Stage a stream: in memory if it is small enough for a row, otherwise in a file.

    Raises StorageFull while the disk is nearly full, and TooLarge if it is more than the store takes.
    """
    files.check_space()
    async with stage_copy(files, _checking_size(files, chunks), small=files.small) as staged:
        yield staged


@asynccontextmanager
async def stage_copy(files: BlobStore, chunks: AsyncIterator[bytes], *, small: int) -> AsyncIterator[StagedBlob]:
    """Stage a temporary copy, without a file up to `small` bytes. It is not stored, so its size is not checked."""
    stream = _batches(chunks)
    first = await anext(stream, list[bytes]())
    if sum(map(len, first)) <= small:
        yield stage_bytes(b"".join(first))
        return
    path, hasher = files.staging_folder / secrets.token_hex(16), _Hasher()
    try:
        await _write_file(path, hasher, first, stream)
        yield StagedBlob(path, None, *hasher.results())
    finally:
        path.unlink(missing_ok=True)


def stage_bytes(data: bytes) -> StagedBlob:
    """Stage a few bytes in memory."""
    hasher = _Hasher()
    hasher.count(data)
    return StagedBlob(None, data, *hasher.results())


async def _write_file(
    path: Path, hasher: _Hasher, first: Sequence[bytes], rest: AsyncIterator[Sequence[bytes]]
) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb", buffering=0) as file:
            await hasher.write(first, file)
            async for batch in rest:
                await hasher.write(batch, file)
    except OSError as fault:
        if fault.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG):
            raise
        raise StorageFull("storage.disk_failed") from fault


def _write_all(file: IO[bytes], chunk: bytes) -> None:
    """Write the whole chunk: a nearly full disk writes a part and only fails at the next write."""
    rest = memoryview(chunk)
    while rest:
        rest = rest[file.write(rest) :]


async def _checking_size(files: BlobStore, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        files.check_space(len(chunk))
        if files.max_size is not None and size > files.max_size:
            raise TooLarge("storage.too_large", limit=files.max_size)
        yield chunk


async def _batches(chunks: AsyncIterator[bytes]) -> AsyncIterator[list[bytes]]:
    """Group chunks into batches of about STRIDE bytes."""
    batch, small_chunks, size = list[bytes](), list[bytes](), 0
    async for chunk in chunks:
        small_chunks.append(chunk)
        size += len(chunk)
        if len(small_chunks) == _MAX_SMALL_CHUNKS:
            batch.append(b"".join(small_chunks))
            small_chunks = []
        if size >= STRIDE:
            yield batch + small_chunks
            batch, small_chunks, size = [], [], 0
    if size:
        yield batch + small_chunks


async def as_stream(data: bytes) -> AsyncIterator[bytes]:
    """Return the bytes as a stream."""
    yield data
