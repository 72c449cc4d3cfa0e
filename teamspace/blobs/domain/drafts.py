"""Drafts: bytes on their way in, counted and hashed as they come; what is not small is written to a file meanwhile.

The digest is known only when the last byte is there, so nothing can be put under its name before. A draft
that is not taken by the store is gone when its block ends, whatever ended it.
"""

import asyncio
import errno
import hashlib
import secrets
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

from teamspace.blobs.schemas import BLOCK, SMALL, BlobStore, Draft
from teamspace.core.errors import StorageFull


class _Tally:
    """Counts block by block; every block but the last is a whole one."""

    def __init__(self) -> None:
        self._sha256, self._md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
        self._blocks = bytearray()
        self._size = 0

    def count(self, block: bytes) -> None:
        self._tell(block)
        self._md5.update(block)

    async def write(self, block: bytes, file: IO[bytes]) -> None:
        # MD5 is four times slower than all the rest: side by side they cost what it costs alone.
        await asyncio.gather(asyncio.to_thread(self._tell, block, file), asyncio.to_thread(self._md5.update, block))

    def _tell(self, block: bytes, file: IO[bytes] | None = None) -> None:
        if file:
            _write_all(file, block)
        self._sha256.update(block)
        self._blocks += zlib.crc32(block).to_bytes(4)
        self._size += len(block)

    def sums(self) -> tuple[int, str, str, bytes]:
        return self._size, self._sha256.hexdigest(), self._md5.hexdigest(), bytes(self._blocks)


@asynccontextmanager
async def drafted(files: BlobStore, chunks: AsyncIterator[bytes], *, small: int = SMALL) -> AsyncIterator[Draft]:
    """What is no larger than `small` needs no file."""
    path, stream, tally = files.drafts / secrets.token_hex(16), blocks(chunks), _Tally()
    first = await anext(stream, b"")
    if len(first) <= small:
        if first:
            tally.count(first)
        yield Draft(path, first, *tally.sums())
        return
    try:
        await _written(path, tally, first, stream)
        yield Draft(path, None, *tally.sums())
    finally:
        path.unlink(missing_ok=True)


async def _written(path: Path, tally: _Tally, first: bytes, rest: AsyncIterator[bytes]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb", buffering=0) as file:
            await tally.write(first, file)
            async for block in rest:
                await tally.write(block, file)
    except OSError as fault:
        if fault.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG):
            raise
        raise StorageFull("The disk is full or failed; nothing of this request was written.") from fault


def _write_all(file: IO[bytes], block: bytes) -> None:
    """A disk that is nearly full takes a part, and is a fault only to whoever brings the rest."""
    rest = memoryview(block)
    while rest:
        rest = rest[file.write(rest) :]


async def blocks(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same bytes, in blocks of which only the last may be shorter."""
    rest = bytearray()
    async for chunk in chunks:
        if not rest and len(chunk) == BLOCK:
            yield chunk
            continue
        rest += chunk
        while len(rest) >= BLOCK:
            yield bytes(rest[:BLOCK])
            del rest[:BLOCK]
    if rest:
        yield bytes(rest)


async def once(data: bytes) -> AsyncIterator[bytes]:
    """Bytes that are all there, as a stream."""
    yield data
