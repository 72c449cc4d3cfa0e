"""Reading bytes back: what does not match its sums is not passed on, not even a part of it."""

import hashlib
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import IO

from teamspace.blobs import store
from teamspace.blobs.domain.drafts import once
from teamspace.blobs.domain.sums import block_sums
from teamspace.blobs.schemas import BLOCK, STRIDE, BlobMissing, BlobStore, DamagedBlob
from teamspace.core.db import Reads

_IN_MEMORY = 1024 * 1024


async def read(db: Reads, files: BlobStore, org_id: str, digest: str) -> bytes:
    """All of a blob that is known to be small, proven to be the one that was kept."""
    return b"".join([chunk async for chunk in _proven(db, files, org_id, digest)])


async def prove(db: Reads, files: BlobStore, org_id: str, digest: str) -> None:
    """Nothing, unless something is wrong with it."""
    async for _ in _proven(db, files, org_id, digest):
        pass


@asynccontextmanager
async def fetched(files: BlobStore, org_id: str, digest: str) -> AsyncIterator[IO[bytes]]:
    """All of a stored blob in a file without a name, proven to be the one that was kept."""
    files.drafts.parent.mkdir(parents=True, exist_ok=True)  # nothing may have been written on this machine yet
    with tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(files.drafts.parent)) as file:
        async for chunk in _checked(files.get(org_id, digest), digest):
            file.write(chunk)
        file.seek(0)
        yield file


async def _proven(db: Reads, files: BlobStore, org_id: str, digest: str) -> AsyncIterator[bytes]:
    sums = await store.get_sums(db, org_id, digest)
    data = None if sums is None else sums.data
    async for chunk in _checked(files.get(org_id, digest) if data is None else once(data), digest):
        yield chunk


async def _checked(chunks: AsyncIterator[bytes], digest: str) -> AsyncIterator[bytes]:
    """For those who need all of it: it ends with a fault unless the bytes are the right ones."""
    sha256 = hashlib.sha256()
    async for chunk in chunks:
        sha256.update(chunk)
        yield chunk
    if sha256.hexdigest() != digest:
        raise DamagedBlob(f"blob {digest} is damaged")


async def span(
    db: Reads, files: BlobStore, org_id: str, digest: str, start: int, length: int
) -> AsyncIterator[bytes]:  # fmt: skip
    """A part of a blob, of which every block is proven before any of its bytes goes on."""
    sums = await store.get_sums(db, org_id, digest)
    if sums is None:
        raise BlobMissing(f"blob {digest} is missing")
    if sums.data is not None:
        if block_sums(sums.data) != sums.blocks:
            raise DamagedBlob(f"blob {digest} is damaged")
        yield sums.data[start : start + length]
        return
    at, left = start - start % BLOCK, length
    chunks = files.get(org_id, digest, at, _rounded(start + length, sums.size) - at)
    async for stride in _strides(chunks):
        number, found = at // BLOCK, block_sums(stride)
        if found != sums.blocks[4 * number : 4 * number + len(found)]:
            raise DamagedBlob(f"blob {digest} is damaged")
        wanted = stride[max(0, start - at) :][:left]
        left -= len(wanted)
        at += len(stride)
        yield bytes(wanted)
    if left:
        raise DamagedBlob(f"blob {digest} is cut short")


def _rounded(end: int, size: int) -> int:
    """To the end of the block, or of the blob."""
    return min(-(-end // BLOCK) * BLOCK, size)


async def _strides(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes | memoryview]:
    """The same bytes, in whole blocks and about a stride at a time; what is left comes at the end."""
    held, size = list[bytes](), 0
    async for chunk in chunks:
        held.append(chunk)
        size += len(chunk)
        if size >= STRIDE:
            stride, size = b"".join(held), size % BLOCK
            held = [stride[-size:]] if size else []
            yield memoryview(stride)[:-size] if size else stride
    if size:
        yield b"".join(held)
