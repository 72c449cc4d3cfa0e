"""Staging: the same checksums and the same staged blob however the bytes are split."""

import hashlib
import os
import zlib
from collections.abc import AsyncIterator, Iterable
from itertools import chain, repeat
from pathlib import Path

import pytest

from teamspace.blobs import BLOCK, SMALL, FolderStore, stage

DATA = os.urandom(5 * BLOCK + 77)
SPLITS: dict[str, Iterable[int]] = {
    "at once": (),
    "in blocks": repeat(BLOCK),
    "off by one": repeat(BLOCK + 1),
    "tiny": repeat(7),
    "tiny after large": chain([3 * BLOCK], repeat(3)),
    "with empty chunks": chain.from_iterable(repeat((0, 70_000))),
}


async def split(data: bytes, sizes: Iterable[int]) -> AsyncIterator[bytes]:
    view = memoryview(data)
    for size in sizes:
        if not view:
            return
        yield bytes(view[:size])
        view = view[size:]
    yield bytes(view)


def checksums(data: bytes) -> bytes:
    return b"".join(zlib.crc32(data[start : start + BLOCK]).to_bytes(4) for start in range(0, len(data), BLOCK))


@pytest.mark.sampled(3)
@pytest.mark.about("core")
@pytest.mark.parametrize("in_rows", [True, False], ids=["small in rows", "all in files"])
@pytest.mark.parametrize("size", [0, 1, SMALL, SMALL + 1, BLOCK, 4 * BLOCK, len(DATA)])
@pytest.mark.parametrize("sizes", SPLITS.values(), ids=SPLITS.keys())
async def test_a_staged_blob_is_the_same_however_its_bytes_are_split(
    tmp_path: Path, sizes: Iterable[int], size: int, in_rows: bool
) -> None:
    data = DATA[:size]
    async with stage(FolderStore(tmp_path / "blobs", small_in_rows=in_rows), split(data, sizes)) as staged:
        assert (staged.size, staged.digest) == (size, hashlib.sha256(data).hexdigest())
        assert staged.md5 == hashlib.md5(data, usedforsecurity=False).hexdigest()
        assert staged.blocks == checksums(data)
        assert (staged.data is None) is (size > SMALL or not in_rows)
        assert (staged.path.read_bytes() if staged.data is None else staged.data) == data
    assert staged.file is None or not staged.file.exists()
