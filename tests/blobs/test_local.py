"""The blob folder: files are complete or absent, durable once stored, and all listed."""

import errno
import hashlib
import os
import resource
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import pytest

from teamspace.blobs import BLOCK, BlobMissing, FolderStore, as_stream, stage
from teamspace.blobs.domain import staging
from teamspace.core.errors import StorageFull

DATA = b"some bytes of a company"
ORG = "01a1dd94-b5f4-7000-864e-c7fd39e2472c"


@pytest.fixture
def folder(tmp_path: Path) -> FolderStore:
    return FolderStore(tmp_path / "blobs")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def files_below(folder: FolderStore) -> list[str]:
    return sorted(str(path.relative_to(folder.root)) for path in folder.root.rglob("*") if path.is_file())


async def put_blob(folder: FolderStore, data: bytes = DATA, namespace: str = ORG) -> Path:
    async with stage(folder, as_stream(data)) as staged:
        assert staged.digest == digest(data)
        await folder.put(namespace, staged.digest, staged.path)
    return folder.path(namespace, digest(data))


async def get_blob(
    folder: FolderStore, name: str, namespace: str = ORG, start: int = 0, length: int | None = None
) -> bytes:
    return b"".join([chunk async for chunk in folder.get(namespace, name, start, length)])


# Storing


async def test_a_blob_is_stored_in_its_namespace_by_its_digest(folder: FolderStore) -> None:
    name = digest(DATA)
    await put_blob(folder)
    await put_blob(folder, namespace="")
    below = f"{name[:2]}/{name[2:4]}/{name}"
    assert files_below(folder) == sorted([f"{ORG}/{below}", f"instance/{below}"])
    assert await get_blob(folder, name) == await get_blob(folder, name, "") == DATA
    assert (await folder.stat(ORG, name), await folder.stat("other", name)) == (len(DATA), None)


@pytest.mark.parametrize("data", [b"", b"\0", os.urandom(3_000_000)], ids=["empty", "a NUL", "megabytes"])
async def test_any_bytes_are_stored_unchanged(folder: FolderStore, data: bytes) -> None:
    await put_blob(folder, data)
    assert await get_blob(folder, digest(data)) == data
    assert await get_blob(folder, digest(data), ORG, 1, 100) == data[1:101]


async def test_an_unknown_blob_is_missing(folder: FolderStore) -> None:
    with pytest.raises(BlobMissing, match=digest(DATA)):
        await get_blob(folder, digest(DATA))
    await put_blob(folder)
    with pytest.raises(BlobMissing):
        await get_blob(folder, digest(DATA), "")


async def test_deleting_is_idempotent(folder: FolderStore) -> None:
    await put_blob(folder)
    await put_blob(folder, namespace="")
    for _ in range(2):
        await folder.delete(ORG, digest(DATA))
        assert await folder.stat(ORG, digest(DATA)) is None
    assert await get_blob(folder, digest(DATA), "") == DATA


@pytest.mark.parametrize("damage", [b"", DATA[:-1], DATA + b"x", b"x" * len(DATA)])
async def test_storing_the_bytes_again_repairs_damage(folder: FolderStore, damage: bytes) -> None:
    path = await put_blob(folder)
    path.write_bytes(damage)
    await put_blob(folder)
    assert await get_blob(folder, digest(DATA)) == DATA
    assert len(files_below(folder)) == 1


# Atomic writes


async def test_the_final_path_does_not_exist_until_the_file_is_synced(
    folder: FolderStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder.path(ORG, digest(DATA))
    order: list[str] = []
    sync = os.fsync

    def recording(descriptor: int) -> None:
        synced = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        is_staged = synced.is_file() and synced.read_bytes() == DATA
        order.append("staged" if is_staged else str(synced.relative_to(folder.root.parent)))
        assert path.exists() is (not is_staged)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", recording)
    await put_blob(folder)
    name = digest(DATA)
    assert order == [
        "staged",
        f"blobs/{ORG}/{name[:2]}/{name[2:4]}",
        f"blobs/{ORG}/{name[:2]}",
        f"blobs/{ORG}",
        "blobs",
        ".",
    ]

    order.clear()
    path.unlink()
    await put_blob(folder)
    assert order == ["staged", f"blobs/{ORG}/{name[:2]}/{name[2:4]}"], "folders already synced are not synced again"
    order.clear()
    path.unlink()
    await put_blob(FolderStore(folder.root))
    assert len(order) == 6, "a new process syncs them all, since the old one may have died"


@pytest.mark.parametrize("step", ["write", "sync", "rename"])
async def test_a_full_disk_leaves_nothing_behind_and_can_recover(
    folder: FolderStore, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with monkeypatch.context() as patch:
        _fail(patch, step, errno.ENOSPC)
        with pytest.raises(StorageFull):
            await put_blob(folder)
    assert files_below(folder) == []
    await put_blob(folder)
    assert await get_blob(folder, digest(DATA)) == DATA


async def test_a_partial_write_is_not_stored(folder: FolderStore) -> None:
    data = os.urandom(BLOCK + 2000)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (BLOCK + 1000, before[1]))
    try:
        with pytest.raises(StorageFull):
            await put_blob(folder, data)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert files_below(folder) == []
    await put_blob(folder, data)
    assert await get_blob(folder, digest(data)) == data


@pytest.mark.parametrize("step", ["sync", "rename"])
async def test_a_failed_disk_is_not_used_until_a_restart(
    folder: FolderStore, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    existing = b"stored before"
    await put_blob(folder, existing)
    with monkeypatch.context() as patch:
        _fail(patch, step, errno.EIO)
        with pytest.raises(StorageFull):
            await put_blob(folder)
    for data in (DATA, existing, b"something else"):
        with pytest.raises(StorageFull):
            await put_blob(folder, data)
    assert await get_blob(folder, digest(existing)) == existing, "existing blobs can still be read"
    assert len(files_below(folder)) == 1
    restarted = FolderStore(folder.root)
    await put_blob(restarted)
    assert await get_blob(restarted, digest(DATA)) == DATA


def _fail(patch: pytest.MonkeyPatch, step: str, number: int) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    def write_half(_: staging._Hasher, chunks: Sequence[bytes], file: IO[bytes]) -> None:
        file.write(chunks[0][: len(chunks[0]) // 2])
        fail()

    if step == "write":
        patch.setattr(staging._Hasher, "_write_and_hash", write_half)
    elif step == "sync":
        patch.setattr(os, "fsync", fail)
    else:
        patch.setattr(Path, "rename", fail)


async def test_a_reader_sees_the_old_bytes_or_the_new_and_never_a_mix(folder: FolderStore) -> None:
    data, old = os.urandom(2_000_000), b"x" * 2_000_000
    path = await put_blob(folder, data)
    seen: set[bytes] = set()
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            seen.add(hashlib.sha256(path.read_bytes()).digest())

    path.write_bytes(old)
    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(20):
            await put_blob(folder, data)
            damaged = path.with_suffix(".damaged")
            damaged.write_bytes(old)
            damaged.rename(path)
    finally:
        stop.set()
        reader.join()
    assert seen <= {hashlib.sha256(each).digest() for each in (data, old)}


# Listing


async def test_every_blob_is_listed_except_staged_files(folder: FolderStore) -> None:
    assert (list(folder.list_files()), list(folder.list_stale(time.time()))) == ([], [])
    began = time.time() - 1
    for namespace, data in ((ORG, DATA), ("", DATA), (ORG, b"more")):
        await put_blob(folder, data, namespace)
    staged = folder.root / "tmp" / "half"
    staged.write_bytes(b"cut off")
    stored = list(folder.list_files())
    assert {(file.org_id, file.digest) for file in stored} == {
        (ORG, digest(DATA)), ("", digest(DATA)), (ORG, digest(b"more")),
    }  # fmt: skip
    assert all(began < file.written_at < time.time() + 1 for file in stored)
    assert list(folder.list_stale(time.time() + 1)) == ["tmp/half"]
    assert list(folder.list_stale(began)) == []


# Backups and the collector


def test_one_collector_runs_at_a_time_and_none_during_a_backup(folder: FolderStore) -> None:
    second_store = FolderStore(folder.root)
    with folder.collection_paused(), second_store.collection_paused(), second_store.collecting() as free:
        assert free is False
    with folder.collecting() as free, second_store.collecting() as second:
        assert (free, second) == (True, False)
    with second_store.collecting() as free:
        assert free is True


def test_a_backup_waits_for_the_collector_to_end(folder: FolderStore) -> None:
    order: list[str] = []

    def pause_collection() -> None:
        with FolderStore(folder.root).collection_paused():
            order.append("paused")

    with folder.collecting() as free:
        assert free
        backup = threading.Thread(target=pause_collection)
        backup.start()
        backup.join(0.2)
        order.append("collected")
    backup.join(10)
    assert order == ["collected", "paused"]


def test_a_lock_is_released_after_an_exception(folder: FolderStore) -> None:
    with pytest.raises(ZeroDivisionError), folder.collection_paused():
        _ = 1 / 0
    with folder.collecting() as free:
        assert free is True


@pytest.mark.parametrize(
    ("namespace", "digest"),
    [("../../..", "0" * 64), ("..", "0" * 64), ("/etc", "0" * 64), ("a/b", "0" * 64), ("", "../" * 22), ("", "0" * 63), ("", "")],
)  # fmt: skip
async def test_no_name_escapes_the_folder(tmp_path: Path, namespace: str, digest: str) -> None:
    store = FolderStore(tmp_path / "inside" / "blobs")
    draft = tmp_path / "draft"
    draft.write_bytes(b"bytes")
    with pytest.raises(ValueError, match="not a company id, or not a digest"):
        await store.put(namespace, digest, draft)
    with pytest.raises(ValueError, match="not a company id, or not a digest"):
        store.path(namespace, digest)
    assert os.listdir(tmp_path) == ["draft"]
