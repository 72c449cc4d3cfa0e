"""The contract of a blob store, tested on both: a folder, and a bucket of a real S3 server."""

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from teamspace import blobs, wiring
from teamspace.blobs import BlobMissing, BlobStore, BucketStore, DamagedBlob, FolderStore
from teamspace.blobs.domain.remote import BucketAddress
from teamspace.core import clock
from teamspace.core.errors import StorageFull
from teamspace.core.principal import system
from tests.identity.help import Hands
from tests.support.bucket import KEY_ID, SECRET, objects
from tests.support.world import World

DATA = b"some bytes of a company"
ORG, OTHER = "01a1dd94-b5f4-7000-864e-c7fd39e2472c", "01a1dd94-b5f4-7000-864e-c7fd39e2472d"
LARGE = 40 * 1024 * 1024
IN_FILES = -1
"""As the limit for small blobs: every blob goes to the store."""


class StoreCase:
    """A store, and direct access to its bytes."""

    def __init__(self, files: BlobStore, bucket: tuple[str, str] | None = None) -> None:
        self.files = files
        self._bucket = bucket

    def overwrite(self, digest: str, data: bytes, namespace: str = ORG) -> None:
        name = f"{namespace}/{digest[:2]}/{digest[2:4]}/{digest}"
        if self._bucket:
            objects(*self._bucket).put(name, data)
        else:
            (self.files.staging_folder.parent / name).write_bytes(data)


@pytest.fixture(params=["rs3", "s3"])
def store_case(request: pytest.FixtureRequest, tmp_path: Path) -> StoreCase:
    root = tmp_path / "blobs"
    if request.param == "rs3":
        return StoreCase(FolderStore(root))
    bucket: tuple[str, str] = request.getfixturevalue("bucket")
    return StoreCase(BucketStore(BucketAddress(*bucket, "us-east-1", KEY_ID, SECRET), root), bucket)


@pytest.fixture
def files(store_case: StoreCase) -> BlobStore:
    return store_case.files


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def put_blob(files: BlobStore, data: bytes = DATA, namespace: str = ORG) -> str:
    async with blobs.stage(files, blobs.as_stream(data), small=IN_FILES) as staged:
        await files.put(namespace, staged.digest, staged.path)
        assert not staged.path.exists(), "the store has moved it"
    return staged.digest


async def get_blob(
    files: BlobStore, name: str, namespace: str = ORG, start: int = 0, length: int | None = None
) -> bytes:
    return b"".join([chunk async for chunk in files.get(namespace, name, start, length)])


async def verify(files: BlobStore, name: str) -> None:
    async with blobs.fetch_to_file(files, ORG, name):
        pass


def stored(files: BlobStore) -> set[tuple[str, str]]:
    return {(file.org_id, file.digest) for file in files.list_files()}


# Putting and getting


@pytest.mark.parametrize("data", [b"", b"\0", DATA, os.urandom(3_000_001)], ids=["empty", "a NUL", "few", "megabytes"])
async def test_any_bytes_are_returned_unchanged(files: BlobStore, data: bytes) -> None:
    name = await put_blob(files, data)
    assert await get_blob(files, name) == data
    assert await files.stat(ORG, name) == len(data)
    await verify(files, name)


async def test_any_range_can_be_read(files: BlobStore) -> None:
    data = os.urandom(600_000)
    name = await put_blob(files, data)
    for start in (0, 1, 256 * 1024, len(data) - 1, len(data), len(data) + 5):
        for length in (None, 0, 1, 300_000, len(data), 2 * len(data)):
            expected = data[start:] if length is None else data[start : start + length]
            assert await get_blob(files, name, ORG, start, length) == expected, (start, length)


async def test_any_range_of_an_empty_blob_is_empty(files: BlobStore) -> None:
    name = await put_blob(files, b"")
    for start, length in ((0, None), (0, 0), (0, 10), (3, None), (3, 3)):
        assert await get_blob(files, name, ORG, start, length) == b""


async def test_a_large_blob_can_be_stored_and_read_in_ranges(files: BlobStore) -> None:
    block = os.urandom(1024 * 1024)

    async def chunks() -> AsyncIterator[bytes]:
        for number in range(LARGE // len(block)):
            yield number.to_bytes(4) + block[4:]

    async with blobs.stage(files, chunks()) as staged:
        await files.put(ORG, staged.digest, staged.path)
    assert await files.stat(ORG, staged.digest) == LARGE
    await verify(files, staged.digest)
    middle = 20 * len(block)
    assert await get_blob(files, staged.digest, ORG, middle, 4) == (20).to_bytes(4)


@pytest.mark.both_databases
async def test_equal_bytes_are_stored_once(files: BlobStore) -> None:
    names = {await put_blob(files), await put_blob(files)}
    names |= set(await asyncio.gather(*(put_blob(files) for _ in range(8))))
    assert stored(files) == {(ORG, name) for name in names} and len(names) == 1
    assert await get_blob(files, digest(DATA)) == DATA


async def test_a_missing_staged_file_is_refused_and_leaves_nothing(files: BlobStore) -> None:
    with pytest.raises(StorageFull):
        await files.put(ORG, digest(DATA), files.staging_folder / "nowhere")
    assert await files.stat(ORG, digest(DATA)) is None
    await put_blob(files)
    assert await get_blob(files, digest(DATA)) == DATA


async def test_an_unknown_blob_is_missing(files: BlobStore) -> None:
    for start, length in ((0, None), (0, 0), (5, 5)):
        with pytest.raises(BlobMissing, match=digest(DATA)):
            await get_blob(files, digest(DATA), ORG, start, length)
    assert await files.stat(ORG, digest(DATA)) is None


async def test_namespaces_are_separate(files: BlobStore) -> None:
    name = await put_blob(files)
    await put_blob(files, namespace="")
    with pytest.raises(BlobMissing):
        await get_blob(files, name, OTHER)
    assert stored(files) == {(ORG, name), ("", name)}
    await files.delete(ORG, name)
    assert (await files.stat(ORG, name), await files.stat("", name)) == (None, len(DATA))


# Deleting, listing, staged files


async def test_deleting_is_idempotent_and_a_deleted_blob_can_be_stored_again(files: BlobStore) -> None:
    name = await put_blob(files)
    for _ in range(2):
        await files.delete(ORG, name)
        assert await files.stat(ORG, name) is None
        assert stored(files) == set()
    await put_blob(files)
    assert await get_blob(files, name) == DATA


async def test_every_blob_is_listed_with_its_time(files: BlobStore) -> None:
    began = time.time() - 2
    names = {await put_blob(files, b"%d" % number, org) for number in range(20) for org in (ORG, OTHER, "")}
    assert stored(files) == {(org, name) for name in names for org in (ORG, OTHER, "")}
    assert all(began < file.written_at < time.time() + 2 for file in files.list_files())


async def test_stale_staged_files_are_found_and_discarded(files: BlobStore) -> None:
    await put_blob(files)
    (files.staging_folder / "half").write_bytes(b"cut off")
    assert list(files.list_stale(time.time() - 60)) == []
    assert list(files.list_stale(time.time() + 60)) == ["tmp/half"]
    files.discard_stale(time.time() + 60)
    assert list(files.list_stale(time.time() + 60)) == []
    assert stored(files) == {(ORG, digest(DATA))}


def test_one_collector_runs_at_a_time_and_none_during_a_backup(files: BlobStore) -> None:
    files.check()
    with files.collection_paused(), files.collection_paused(), files.collecting() as free:
        assert free is False
    with files.collecting() as free, files.collecting() as second:
        assert (free, second) == (True, False)


# Damage


@pytest.mark.parametrize("damage", [b"", DATA[:-1], DATA + b"x", DATA.upper()])
async def test_damage_is_detected_and_repaired_by_storing_the_bytes_again(store_case: StoreCase, damage: bytes) -> None:
    name = await put_blob(store_case.files)
    store_case.overwrite(name, damage)
    with pytest.raises(DamagedBlob, match=name):
        await verify(store_case.files, name)
    await put_blob(store_case.files)
    await verify(store_case.files, name)


async def test_no_byte_of_a_damaged_block_is_returned(store_case: StoreCase, world: World) -> None:
    data = os.urandom(3 * blobs.BLOCK + 1234)
    name = await blobs.store_bytes(world.db, store_case.files, system(), ORG, data)

    async def part(start: int, length: int) -> bytes:
        return b"".join(
            [chunk async for chunk in blobs.read_range(world.db, store_case.files, ORG, name, start, length)]
        )

    assert await part(5, len(data) - 5) == data[5:]
    damaged = bytearray(data)
    damaged[blobs.BLOCK + 7] ^= 1
    store_case.overwrite(name, bytes(damaged))
    assert await part(0, blobs.BLOCK) == data[: blobs.BLOCK]
    with pytest.raises(DamagedBlob):
        await part(2 * blobs.BLOCK - 1, 1)
    store_case.overwrite(name, data[: 2 * blobs.BLOCK])
    with pytest.raises(DamagedBlob):
        await part(0, len(data))


# Collecting


async def test_unreferenced_blobs_are_collected(files: BlobStore, world: World, hands: Hands) -> None:
    for number in range(60):
        await blobs.store_bytes(world.db, files, system(), ORG, b"%d" % number + bytes(blobs.SMALL))
    hands.forward(clock.DAY + 1)
    fresh = await blobs.store_bytes(world.db, files, system(), ORG, b"fresh" + bytes(blobs.SMALL))
    with files.collection_paused():
        assert await blobs.collect(world.db, files, wiring.BLOB_COLUMNS, retention=0) == 0
    assert await blobs.collect(world.db, files, wiring.BLOB_COLUMNS, retention=0) == 60
    assert stored(files) == {(ORG, fresh)}


async def test_small_blobs_are_not_put_in_the_store(files: BlobStore, world: World, hands: Hands) -> None:
    small, large = os.urandom(blobs.SMALL), os.urandom(blobs.SMALL + 1)
    for data in (small, large):
        assert (
            await blobs.read(world.db, files, ORG, await blobs.store_bytes(world.db, files, system(), ORG, data))
            == data
        )
    assert stored(files) == {(ORG, digest(large))}
    hands.forward(clock.DAY + 1)
    assert await blobs.collect(world.db, files, wiring.BLOB_COLUMNS, retention=0) == 2
    assert stored(files) == set()
