"""Bytes on their way in: the same sums and the same draft however they are cut."""

import hashlib
import os
import zlib
from collections.abc import AsyncIterator, Iterable
from itertools import chain, repeat
from pathlib import Path

import pytest

from teamspace.blobs import BLOCK, SMALL, FolderStore, stage

DATA = os.urandom(5 * BLOCK + 77)
CUTS: dict[str, Iterable[int]] = {
    "at once": (),
    "in blocks": repeat(BLOCK),
    "beside blocks": repeat(BLOCK + 1),
    "tiny": repeat(7),
    "tiny after large": chain([3 * BLOCK], repeat(3)),
    "with nothing between": chain.from_iterable(repeat((0, 70_000))),
}


async def cut(data: bytes, sizes: Iterable[int]) -> AsyncIterator[bytes]:
    view = memoryview(data)
    for size in sizes:
        if not view:
            return
        yield bytes(view[:size])
        view = view[size:]
    yield bytes(view)


def sums(data: bytes) -> bytes:
    return b"".join(zlib.crc32(data[at : at + BLOCK]).to_bytes(4) for at in range(0, len(data), BLOCK))


@pytest.mark.parametrize("size", [0, 1, SMALL, SMALL + 1, BLOCK, 4 * BLOCK, len(DATA)])
@pytest.mark.parametrize("sizes", CUTS.values(), ids=CUTS.keys())
async def test_a_draft_is_the_same_however_its_bytes_are_cut(tmp_path: Path, sizes: Iterable[int], size: int) -> None:
    data = DATA[:size]
    async with stage(FolderStore(tmp_path / "blobs"), cut(data, sizes)) as draft:
        assert (draft.size, draft.digest) == (size, hashlib.sha256(data).hexdigest())
        assert draft.md5 == hashlib.md5(data, usedforsecurity=False).hexdigest()
        assert draft.blocks == sums(data)
        assert (draft.data is None) is (size > SMALL)
        assert (draft.path.read_bytes() if draft.data is None else draft.data) == data
    assert draft.file is None or not draft.file.exists()
