"""Drafts: bytes on their way in, counted and hashed as they come; what is not small is written to a file meanwhile.

The digest is known only when the last byte is there, so nothing can be put under its name before. A draft
that is not taken by the store is gone when its block ends, whatever ended it.
"""

import asyncio
import errno
import hashlib
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

from teamspace.blobs.domain.sums import BlockSums
from teamspace.blobs.schemas import SMALL, STRIDE, BlobStore, Draft
from teamspace.core import pools
from teamspace.core.errors import StorageFull

_MOST_LOOSE = 256
"""Chunks that a client cuts tiny would each cost more than they hold."""


class _Tally:
    """Counts and hashes bytes that may be cut anywhere."""

    def __init__(self) -> None:
        self._sha256, self._md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
        self._blocks = BlockSums()

    def count(self, data: bytes) -> None:
        self._tell([data])
        self._md5.update(data)

    async def write(self, chunks: Sequence[bytes], file: IO[bytes]) -> None:
        # MD5 is four times slower than all the rest: side by side they cost what it costs alone.
        await asyncio.gather(pools.FILES.run(self._tell, chunks, file), pools.HASHING.run(self._digest, chunks))

    def _tell(self, chunks: Sequence[bytes], file: IO[bytes] | None = None) -> None:
        for chunk in chunks:
            if file:
                _write_all(file, chunk)
            self._sha256.update(chunk)
            self._blocks.update(chunk)

    def _digest(self, chunks: Sequence[bytes]) -> None:
        for chunk in chunks:
            self._md5.update(chunk)

    def sums(self) -> tuple[int, str, str, bytes]:
        return self._blocks.size, self._sha256.hexdigest(), self._md5.hexdigest(), self._blocks.digest()


@asynccontextmanager
async def drafted(files: BlobStore, chunks: AsyncIterator[bytes], *, small: int = SMALL) -> AsyncIterator[Draft]:
    """What is no larger than `small` needs no file. Refused while the disk has too little room."""
    files.check_space()
    async with copied(files, _while_room(files, chunks), small=small) as draft:
        yield draft


@asynccontextmanager
async def copied(files: BlobStore, chunks: AsyncIterator[bytes], *, small: int = SMALL) -> AsyncIterator[Draft]:
    """The same for what will not stay, however little room there is."""
    stream = _handfuls(chunks)
    first = await anext(stream, list[bytes]())
    if sum(map(len, first)) <= small:
        yield in_hand(b"".join(first))
        return
    path, tally = files.drafts / secrets.token_hex(16), _Tally()
    try:
        await _written(path, tally, first, stream)
        yield Draft(path, None, *tally.sums())
    finally:
        path.unlink(missing_ok=True)


def in_hand(data: bytes) -> Draft:
    """Of few bytes that are all there."""
    tally = _Tally()
    tally.count(data)
    return Draft(None, data, *tally.sums())


async def _written(path: Path, tally: _Tally, first: Sequence[bytes], rest: AsyncIterator[Sequence[bytes]]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb", buffering=0) as file:
            await tally.write(first, file)
            async for handful in rest:
                await tally.write(handful, file)
    except OSError as fault:
        if fault.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG):
            raise
        raise StorageFull("The disk is full or failed; nothing of this request was written.") from fault


def _write_all(file: IO[bytes], chunk: bytes) -> None:
    """A disk that is nearly full takes a part, and is a fault only to whoever brings the rest."""
    rest = memoryview(chunk)
    while rest:
        rest = rest[file.write(rest) :]


async def _while_room(files: BlobStore, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    async for chunk in chunks:
        files.check_space(len(chunk))
        yield chunk


async def _handfuls(chunks: AsyncIterator[bytes]) -> AsyncIterator[list[bytes]]:
    """The same bytes, about a stride of them at a time."""
    held, loose, size = list[bytes](), list[bytes](), 0
    async for chunk in chunks:
        loose.append(chunk)
        size += len(chunk)
        if len(loose) == _MOST_LOOSE:
            held.append(b"".join(loose))
            loose = []
        if size >= STRIDE:
            yield held + loose
            held, loose, size = [], [], 0
    if size:
        yield held + loose


async def once(data: bytes) -> AsyncIterator[bytes]:
    """Bytes that are all there, as a stream."""
    yield data
