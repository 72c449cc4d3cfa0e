"""What every blob store must do, tried on a store that was just opened."""

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Callable
from functools import partial

from teamspace import blobs
from teamspace.authoring.schemas import Run, Unmet, name_store
from teamspace.blobs import BlobMissing, BlobStore

ORG, OTHER = "01a1dd94-b5f4-7000-864e-c7fd39e2472c", "01a1dd94-b5f4-7000-864e-c7fd39e2472d"
_SIZES = {"an empty blob": 0, "a blob of a byte": 1, "a blob of 1 MiB": 1024 * 1024}
_AT_ONCE = 16


def check(run: Run, name: str, open_store: Callable[[], BlobStore]) -> None:
    """Do all checks of a store, each of which opens it anew."""
    subject = name_store(name)
    if run(subject, "can be opened", partial(_opened, open_store)):
        for what, work in _CHECKS.items():
            run(subject, what, partial(work, open_store))


async def _opened(open_store: Callable[[], BlobStore]) -> None:
    open_store()


async def _knows_what_is_missing(open_store: Callable[[], BlobStore]) -> None:
    files, name = open_store(), _digest(os.urandom(32))
    await _expect_missing(files, ORG, name)
    await files.delete(ORG, name)


async def _returns_what_was_put(open_store: Callable[[], BlobStore]) -> None:
    for what, size in _SIZES.items():
        data = os.urandom(size)
        await _expect(open_store(), ORG, await _put(open_store(), ORG, data), data, what)


async def _reads_ranges(open_store: Callable[[], BlobStore]) -> None:
    data, files = os.urandom(300_000), open_store()
    name = await _put(files, ORG, data)
    for start, length in ((0, 1), (0, 300_000), (1, 100), (299_999, 1), (150_000, 150_000), (300_000, 10), (0, 0)):
        found = b"".join([chunk async for chunk in files.get(ORG, name, start, length)])
        if found != data[start : start + length]:
            raise Unmet(f"of {len(data)} bytes, {length} from {start} on are not the right ones")


async def _replaces(open_store: Callable[[], BlobStore]) -> None:
    data, files = os.urandom(1000), open_store()
    name = await _put(files, ORG, data)
    await _put(files, ORG, data)
    await _expect(files, ORG, name, data, "a blob that was put twice")


async def _separates(open_store: Callable[[], BlobStore]) -> None:
    data, files = os.urandom(1000), open_store()
    name = await _put(files, ORG, data)
    await _expect_missing(files, OTHER, name)
    await _put(files, OTHER, data)
    await files.delete(OTHER, name)
    await _expect(files, ORG, name, data, "a blob that another company deleted")
    await _put(files, "", data)
    await _expect(files, "", name, data, "a blob of the instance itself")


async def _deletes(open_store: Callable[[], BlobStore]) -> None:
    data, files = os.urandom(1000), open_store()
    name = await _put(files, ORG, data)
    for _ in range(2):
        await files.delete(ORG, name)
        await _expect_missing(open_store(), ORG, name)
    await _put(files, ORG, data)
    await _expect(files, ORG, name, data, "a blob that was deleted and put again")


async def _works_at_once(open_store: Callable[[], BlobStore]) -> None:
    files, shared = open_store(), os.urandom(100_000)

    async def work(number: int) -> None:
        own = b"%d" % number + os.urandom(50_000)
        for data in (own, shared):
            await _expect(files, ORG, await _put(files, ORG, data), data, f"one of {_AT_ONCE} blobs put at once")
        await files.delete(ORG, _digest(own))

    await asyncio.gather(*(work(number) for number in range(_AT_ONCE)))
    await _expect(files, ORG, _digest(shared), shared, f"a blob that was put {_AT_ONCE} times at once")


_CHECKS: dict[str, Callable[[Callable[[], BlobStore]], Awaitable[str | None]]] = {
    "knows what is missing": _knows_what_is_missing,
    "returns what was put, also when it is opened again": _returns_what_was_put,
    "reads any range": _reads_ranges,
    "can put the same blob again": _replaces,
    "keeps the blobs of companies apart": _separates,
    "deletes": _deletes,
    "can do several things at once": _works_at_once,
}


async def _put(files: BlobStore, org_id: str, data: bytes) -> str:
    """Put a blob into the store, also a small one that rs3 would have in its row."""
    async with blobs.stage_copy(files, blobs.as_stream(data), small=blobs.NONE_IN_ROWS) as staged:
        await files.put(org_id, staged.digest, staged.path)
    return staged.digest


async def _expect(files: BlobStore, org_id: str, name: str, data: bytes, what: str) -> None:
    size = await files.stat(org_id, name)
    if size != len(data):
        raise Unmet(f"{what} has {len(data)} bytes, but stat returns {size}")
    if b"".join([chunk async for chunk in files.get(org_id, name)]) != data:
        raise Unmet(f"{what} is not returned as it was put")


async def _expect_missing(files: BlobStore, org_id: str, name: str) -> None:
    if (size := await files.stat(org_id, name)) is not None:
        raise Unmet(f"stat returns {size} for a blob that is not there, instead of None")
    try:
        found = b"".join([chunk async for chunk in files.get(org_id, name)])
    except BlobMissing:
        return
    raise Unmet(f"get returns {len(found)} bytes for a blob that is not there, instead of None")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
