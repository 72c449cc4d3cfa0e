"""The folder of blobs: a file is whole or not there, is sure to stay once it is, and hides from nobody."""

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
IN_FILES = -1
"""So large may what is kept elsewhere be: a folder takes all else, and knows no sizes."""


@pytest.fixture
def folder(tmp_path: Path) -> FolderStore:
    return FolderStore(tmp_path / "blobs")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def files_below(folder: FolderStore) -> list[str]:
    return sorted(str(path.relative_to(folder.root)) for path in folder.root.rglob("*") if path.is_file())


async def kept(folder: FolderStore, data: bytes = DATA, namespace: str = ORG) -> Path:
    async with stage(folder, as_stream(data), small=IN_FILES) as draft:
        assert draft.digest == digest(data)
        await folder.put(namespace, draft.digest, draft.path)
    return folder.path(namespace, digest(data))


async def got(folder: FolderStore, name: str, namespace: str = ORG, start: int = 0, length: int | None = None) -> bytes:
    return b"".join([chunk async for chunk in folder.get(namespace, name, start, length)])


# Keeping


async def test_a_blob_lies_in_its_namespace_under_its_digest(folder: FolderStore) -> None:
    name = digest(DATA)
    await kept(folder)
    await kept(folder, namespace="")
    below = f"{name[:2]}/{name[2:4]}/{name}"
    assert files_below(folder) == sorted([f"{ORG}/{below}", f"instance/{below}"])
    assert await got(folder, name) == await got(folder, name, "") == DATA
    assert (await folder.stat(ORG, name), await folder.stat("other", name)) == (len(DATA), None)


@pytest.mark.parametrize("data", [b"", b"\0", os.urandom(3_000_000)], ids=["empty", "a NUL", "megabytes"])
async def test_any_bytes_are_kept_as_they_are(folder: FolderStore, data: bytes) -> None:
    await kept(folder, data)
    assert await got(folder, digest(data)) == data
    assert await got(folder, digest(data), ORG, 1, 100) == data[1:101]


async def test_what_is_not_there_is_missing(folder: FolderStore) -> None:
    with pytest.raises(BlobMissing, match=digest(DATA)):
        await got(folder, digest(DATA))
    await kept(folder)
    with pytest.raises(BlobMissing):
        await got(folder, digest(DATA), "")


async def test_a_deleted_blob_is_gone_and_can_be_deleted_again(folder: FolderStore) -> None:
    await kept(folder)
    await kept(folder, namespace="")
    for _ in range(2):
        await folder.delete(ORG, digest(DATA))
        assert await folder.stat(ORG, digest(DATA)) is None
    assert await got(folder, digest(DATA), "") == DATA


@pytest.mark.parametrize("damage", [b"", DATA[:-1], DATA + b"x", b"x" * len(DATA)])
async def test_whoever_brings_the_bytes_again_mends_the_damage(folder: FolderStore, damage: bytes) -> None:
    path = await kept(folder)
    path.write_bytes(damage)
    await kept(folder)
    assert await got(folder, digest(DATA)) == DATA
    assert len(files_below(folder)) == 1


# Whole or not at all


async def test_the_final_name_holds_nothing_until_all_is_synced(
    folder: FolderStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder.path(ORG, digest(DATA))
    order: list[str] = []
    sync = os.fsync

    def watched(descriptor: int) -> None:
        where = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
        is_draft = where.is_file() and where.read_bytes() == DATA
        order.append("draft" if is_draft else str(where.relative_to(folder.root.parent)))
        assert path.exists() is (not is_draft)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    await kept(folder)
    name = digest(DATA)
    assert order == [
        "draft",
        f"blobs/{ORG}/{name[:2]}/{name[2:4]}",
        f"blobs/{ORG}/{name[:2]}",
        f"blobs/{ORG}",
        "blobs",
        ".",
    ]

    order.clear()
    path.unlink()
    await kept(folder)
    assert order == ["draft", f"blobs/{ORG}/{name[:2]}/{name[2:4]}"], "folders that are sure to stay need no more"
    order.clear()
    path.unlink()
    await kept(FolderStore(folder.root))
    assert len(order) == 6, "whoever made them may have died before"


@pytest.mark.parametrize("step", ["write", "sync", "rename"])
async def test_a_disk_that_is_full_leaves_nothing_behind_and_may_recover(
    folder: FolderStore, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with monkeypatch.context() as patch:
        _fail(patch, step, errno.ENOSPC)
        with pytest.raises(StorageFull):
            await kept(folder)
    assert files_below(folder) == []
    await kept(folder)
    assert await got(folder, digest(DATA)) == DATA


async def test_a_block_of_which_the_disk_takes_only_a_part_is_not_kept(folder: FolderStore) -> None:
    data = os.urandom(BLOCK + 2000)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (BLOCK + 1000, before[1]))
    try:
        with pytest.raises(StorageFull):
            await kept(folder, data)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert files_below(folder) == []
    await kept(folder, data)
    assert await got(folder, digest(data)) == data


@pytest.mark.parametrize("step", ["sync", "rename"])
async def test_a_disk_that_failed_is_not_trusted_until_a_restart(
    folder: FolderStore, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    there = b"kept before"
    await kept(folder, there)
    with monkeypatch.context() as patch:
        _fail(patch, step, errno.EIO)
        with pytest.raises(StorageFull):
            await kept(folder)
    for data in (DATA, there, b"something else"):
        with pytest.raises(StorageFull):
            await kept(folder, data)
    assert await got(folder, digest(there)) == there, "what is there can still be read"
    assert len(files_below(folder)) == 1
    restarted = FolderStore(folder.root)
    await kept(restarted)
    assert await got(restarted, digest(DATA)) == DATA


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


async def test_a_reader_sees_the_old_bytes_or_the_new_and_never_a_part(folder: FolderStore) -> None:
    data, old = os.urandom(2_000_000), b"x" * 2_000_000
    path = await kept(folder, data)
    seen: set[bytes] = set()
    over = threading.Event()

    def read() -> None:
        while not over.is_set():
            seen.add(hashlib.sha256(path.read_bytes()).digest())

    path.write_bytes(old)
    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(20):
            await kept(folder, data)
            spoilt = path.with_suffix(".spoilt")
            spoilt.write_bytes(old)
            spoilt.rename(path)
    finally:
        over.set()
        reader.join()
    assert seen <= {hashlib.sha256(each).digest() for each in (data, old)}


# Looking through it


async def test_everything_is_listed_but_what_is_being_written(folder: FolderStore) -> None:
    assert (list(folder.list_files()), list(folder.list_stale(time.time()))) == ([], [])
    began = time.time() - 1
    for namespace, data in ((ORG, DATA), ("", DATA), (ORG, b"more")):
        await kept(folder, data, namespace)
    draft = folder.root / "tmp" / "half"
    draft.write_bytes(b"cut off")
    stored = list(folder.list_files())
    assert {(file.org_id, file.digest) for file in stored} == {
        (ORG, digest(DATA)), ("", digest(DATA)), (ORG, digest(b"more")),
    }  # fmt: skip
    assert all(began < file.written_at < time.time() + 1 for file in stored)
    assert list(folder.list_stale(time.time() + 1)) == ["tmp/half"]
    assert list(folder.list_stale(began)) == []


# Backups and the collector


def test_one_collector_works_and_none_beside_a_backup(folder: FolderStore) -> None:
    beside = FolderStore(folder.root)
    with folder.collection_paused(), beside.collection_paused(), beside.collecting() as free:
        assert free is False
    with folder.collecting() as free, beside.collecting() as second:
        assert (free, second) == (True, False)
    with beside.collecting() as free:
        assert free is True


def test_a_backup_waits_for_the_collector_to_end(folder: FolderStore) -> None:
    order: list[str] = []

    def hold() -> None:
        with FolderStore(folder.root).collection_paused():
            order.append("held")

    with folder.collecting() as free:
        assert free
        backup = threading.Thread(target=hold)
        backup.start()
        backup.join(0.2)
        order.append("collected")
    backup.join(10)
    assert order == ["collected", "held"]


def test_a_lock_ends_with_whoever_fails_under_it(folder: FolderStore) -> None:
    with pytest.raises(ZeroDivisionError), folder.collection_paused():
        _ = 1 / 0
    with folder.collecting() as free:
        assert free is True


@pytest.mark.parametrize(
    ("namespace", "digest"),
    [("../../..", "0" * 64), ("..", "0" * 64), ("/etc", "0" * 64), ("a/b", "0" * 64), ("", "../" * 22), ("", "0" * 63), ("", "")],
)  # fmt: skip
async def test_no_name_leads_out_of_the_folder(tmp_path: Path, namespace: str, digest: str) -> None:
    store = FolderStore(tmp_path / "inside" / "blobs")
    draft = tmp_path / "draft"
    draft.write_bytes(b"bytes")
    with pytest.raises(ValueError, match="not a company id, or not a digest"):
        await store.put(namespace, digest, draft)
    with pytest.raises(ValueError, match="not a company id, or not a digest"):
        store.path(namespace, digest)
    assert os.listdir(tmp_path) == ["draft"]
