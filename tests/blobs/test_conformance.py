"""The contract of a blob store, tested on all: a folder, a bucket of a real S3 server, and stores of plugins."""

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from teamspace import blobs, wiring
from teamspace.blobs import BlobMissing, BlobStore, BucketStore, DamagedBlob, FolderStore, PluginStore
from teamspace.blobs.domain.remote import BucketAddress
from teamspace.core import clock
from teamspace.core.errors import StorageFull
from teamspace.core.principal import system
from teamspace.settings import Settings
from tests.blobs.plugin_stores import AsyncBlobs, FileBlobs, adapt, finish, open_example
from tests.identity.help import Hands
from tests.support.bucket import KEY_ID, SECRET, objects
from tests.support.world import World

DATA = b"some bytes of a company"
ORG, OTHER = "01a1dd94-b5f4-7000-864e-c7fd39e2472c", "01a1dd94-b5f4-7000-864e-c7fd39e2472d"
LARGE = 40 * 1024 * 1024
LISTING = ["rs3", "s3"]
"""Stores that can list their blobs."""


class StoreCase:
    """A store, and direct access to its bytes."""

    def __init__(self, files: BlobStore, bucket: tuple[str, str] | None = None, plain: Any = None) -> None:
        self.files, self._bucket, self._plain = files, bucket, plain

    async def overwrite(self, digest: str, data: bytes, namespace: str = ORG) -> None:
        name = f"{namespace}/{digest[:2]}/{digest[2:4]}/{digest}"
        if self._bucket:
            objects(*self._bucket).put(name, data)
        elif self._plain:
            await finish(self._plain.put(namespace, digest, data))
        else:
            (self.files.staging_folder.parent / name).write_bytes(data)


@pytest.fixture(params=[*LISTING, "plain functions", "async functions", "functions for files"])
def store_case(request: pytest.FixtureRequest, tmp_path: Path) -> StoreCase:
    root = tmp_path / "blobs"
    if request.param == "rs3":
        return StoreCase(FolderStore(root))
    if request.param == "s3":
        bucket: tuple[str, str] = request.getfixturevalue("bucket")
        return StoreCase(BucketStore(BucketAddress(*bucket, "us-east-1", KEY_ID, SECRET), root), bucket)
    stores: dict[str, Callable[[], Any]] = {
        "plain functions": partial(open_example, tmp_path),
        "async functions": AsyncBlobs,
        "functions for files": partial(FileBlobs, tmp_path / "stored"),
    }
    plain = stores[request.param]()
    return StoreCase(adapt(plain, root), plain=plain)


@pytest.fixture
def files(store_case: StoreCase) -> BlobStore:
    return store_case.files


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def put_blob(files: BlobStore, data: bytes = DATA, namespace: str = ORG) -> str:
    async with blobs.stage(files, blobs.as_stream(data)) as staged:
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


async def stored(files: BlobStore, *names: str) -> set[tuple[str, str]]:
    """Those of the named blobs that are in the store, which must list no others if it can list."""
    found = {
        (org_id, name) for org_id in (ORG, OTHER, "") for name in names if await files.stat(org_id, name) is not None
    }
    assert isinstance(files, PluginStore) or {(file.org_id, file.digest) for file in files.list_files()} == found
    return found


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
    assert await stored(files, *names) == {(ORG, name) for name in names} and len(names) == 1
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
    assert await stored(files, name) == {(ORG, name), ("", name)}
    await files.delete(ORG, name)
    assert (await files.stat(ORG, name), await files.stat("", name)) == (None, len(DATA))


# Deleting, listing, staged files


async def test_deleting_is_idempotent_and_a_deleted_blob_can_be_stored_again(files: BlobStore) -> None:
    name = await put_blob(files)
    for _ in range(2):
        await files.delete(ORG, name)
        assert await files.stat(ORG, name) is None
        assert await stored(files, name) == set()
    await put_blob(files)
    assert await get_blob(files, name) == DATA


@pytest.mark.parametrize("store_case", LISTING, indirect=True)
async def test_every_blob_is_listed_with_its_time(files: BlobStore) -> None:
    began = time.time() - 2
    names = {await put_blob(files, b"%d" % number, org) for number in range(20) for org in (ORG, OTHER, "")}
    assert await stored(files, *names) == {(org, name) for name in names for org in (ORG, OTHER, "")}
    assert all(began < file.written_at < time.time() + 2 for file in files.list_files())


async def test_stale_staged_files_are_found_and_discarded(files: BlobStore) -> None:
    await put_blob(files)
    (files.staging_folder / "half").write_bytes(b"cut off")
    assert list(files.list_stale(time.time() - 60)) == []
    assert list(files.list_stale(time.time() + 60)) == ["tmp/half"]
    files.discard_stale(time.time() + 60)
    assert list(files.list_stale(time.time() + 60)) == []
    assert await stored(files, digest(DATA)) == {(ORG, digest(DATA))}


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
    await store_case.overwrite(name, damage)
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
    await store_case.overwrite(name, bytes(damaged))
    assert await part(0, blobs.BLOCK) == data[: blobs.BLOCK]
    with pytest.raises(DamagedBlob):
        await part(2 * blobs.BLOCK - 1, 1)
    await store_case.overwrite(name, data[: 2 * blobs.BLOCK])
    with pytest.raises(DamagedBlob):
        await part(0, len(data))


# Collecting


@pytest.mark.parametrize("size", [10, blobs.SMALL + 1], ids=["small", "large"])
async def test_unreferenced_blobs_are_collected(files: BlobStore, world: World, hands: Hands, size: int) -> None:
    async def add(data: bytes) -> str:
        return await blobs.store_bytes(world.db, files, system(), ORG, data.rjust(size))

    names = [await add(b"%d" % number) for number in range(60)]
    hands.forward(clock.DAY + 1)
    fresh = await add(b"fresh")
    with files.collection_paused():
        assert await blobs.collect(world.db, files, wiring.BLOB_COLUMNS, retention=0) == 0
    assert await stored(files, *names, fresh) == {(ORG, name) for name in [*names, fresh]}
    assert await blobs.collect(world.db, files, wiring.BLOB_COLUMNS, retention=0) == 60
    assert await stored(files, *names, fresh) == {(ORG, fresh)}
    assert await blobs.read(world.db, files, ORG, fresh) == b"fresh".rjust(size)


@pytest.mark.parametrize("size", [0, 1, blobs.SMALL])
async def test_a_small_blob_passes_the_store_too(files: BlobStore, world: World, hands: Hands, size: int) -> None:
    data = os.urandom(size)
    name = await blobs.store_bytes(world.db, files, system(), ORG, data)
    assert await blobs.read(world.db, files, ORG, name) == data
    assert b"".join([chunk async for chunk in blobs.read_range(world.db, files, ORG, name, 0, size)]) == data
    assert await stored(files, name) == {(ORG, name)}
    assert not await world.db.exists("SELECT 1 FROM blobs WHERE data IS NOT NULL")
    assert [each.name for each in blobs.invariants(wiring.BLOB_COLUMNS) if await world.db.exists(each.sql)] == []


async def test_only_rs3_stores_small_blobs_in_rows(settings: Settings, bucket: tuple[str, str], tmp_path: Path) -> None:
    assert wiring.open_store(settings).small == blobs.SMALL
    others: list[BlobStore] = [
        FolderStore(tmp_path),
        BucketStore(BucketAddress(*bucket, "us-east-1", KEY_ID, SECRET), tmp_path),
        adapt(AsyncBlobs(), tmp_path),
    ]
    assert {files.small for files in others} == {-1}
