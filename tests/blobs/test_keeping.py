"""Blobs are kept as long as a row references them, through collections, crashes and races."""

import asyncio
import contextlib
import hashlib
import os
import tracemalloc
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from teamspace import blobs, wiring
from teamspace.blobs import Blob, BlobMissing, DamagedBlob, FolderStore
from teamspace.blobs.domain import storing
from teamspace.blobs.domain.read_ahead import ReadAhead
from teamspace.core import clock
from teamspace.core.db import columns
from teamspace.core.errors import Overloaded, StorageFull
from teamspace.core.principal import system
from tests.identity.help import Hands, run_sql
from tests.support.world import World

DATA = b"some bytes of a company" * 2000
"""Too large for a row: stored in a file."""
SMALL_DATA = b"some bytes of a company"
ORG = "org-one"
SMALL_AND_LARGE = pytest.mark.parametrize("data", [SMALL_DATA, DATA], ids=["small", "large"])
PADDED = pytest.mark.parametrize("padding", [b"", bytes(blobs.SMALL)], ids=["small", "large"])


async def store(world: World, data: bytes, org_id: str = ORG, files: blobs.BlobStore | None = None) -> str:
    return await blobs.store_bytes(world.db, files or world.app.files, system(), org_id, data)


async def read(world: World, digest: str, org_id: str = ORG) -> bytes:
    return await blobs.read(world.db, world.app.files, org_id, digest)


async def collect(world: World, files: blobs.BlobStore | None = None) -> int:
    """Collects with the retention of the server."""
    return await blobs.collect(world.db, files or world.app.files, wiring.BLOB_COLUMNS, retention=300)


async def reference(world: World, digest: str, org_id: str = ORG) -> None:
    """Adds a row that references the blob, as a company's logo."""
    await run_sql(
        world,
        "INSERT INTO branding (org_id, theme, logo, logo_type, updated_at) VALUES (:org_id, '{}', :digest, '', '')",
        org_id=org_id, digest=digest,
    )  # fmt: skip


async def unreference(world: World, digest: str) -> None:
    async with world.db.maintenance(system()) as tx:
        await tx.run("DELETE FROM branding")
        await blobs.release_references(tx, ORG, [digest])


async def rows(world: World) -> list[Blob]:
    return await world.db.all(Blob, f"SELECT {columns(Blob)} FROM blobs ORDER BY org_id, digest")


def stored(world: World) -> set[tuple[str, str]]:
    """The blobs stored in files."""
    return {(file.org_id, file.digest) for file in world.app.files.list_files()}


async def with_bytes(world: World) -> set[tuple[str, str]]:
    """The blobs with bytes, in a file or in the row."""
    in_rows = await world.db.all(Blob, f"SELECT {columns(Blob)} FROM blobs WHERE data IS NOT NULL")
    return stored(world) | {(blob.org_id, blob.digest) for blob in in_rows}


async def overwrite(world: World, digest: str, data: bytes | None, org_id: str = ORG) -> None:
    """Replaces the stored bytes, bypassing all checks; None removes them."""
    if path(world, digest, org_id).exists():
        path(world, digest, org_id).unlink()
        if data is not None:
            path(world, digest, org_id).write_bytes(data)
        return
    await run_sql(
        world, "UPDATE blobs SET data = :data WHERE org_id = :org_id AND digest = :digest",
        data=data, org_id=org_id, digest=digest,
    )  # fmt: skip


def path(world: World, digest: str, org_id: str = ORG) -> Path:
    assert isinstance(world.app.files, FolderStore)
    return world.app.files.path(org_id, digest)


# Storing and reading


@SMALL_AND_LARGE
async def test_a_stored_blob_is_known_by_its_digest(world: World, data: bytes) -> None:
    digest = await store(world, data)
    assert digest == hashlib.sha256(data).hexdigest()
    assert await read(world, digest) == data
    assert await rows(world) == [Blob(ORG, digest, len(data))]
    assert await blobs.is_known(world.db, ORG, digest) and not await blobs.is_known(world.db, "", digest)


@pytest.mark.parametrize("size", [0, 1, blobs.SMALL - 1, blobs.SMALL, blobs.SMALL + 1, blobs.BLOCK, blobs.BLOCK + 1])
async def test_small_blobs_are_stored_in_rows_and_others_in_files(world: World, size: int) -> None:
    data = os.urandom(size)
    digest = await store(world, data)
    assert stored(world) == ({(ORG, digest)} if size > blobs.SMALL else set())
    assert await with_bytes(world) == {(ORG, digest)}
    assert await read(world, digest) == await read_range(world, digest, 0, size) == data
    await blobs.verify(world.db, world.app.files, ORG, digest)
    for invariant in blobs.invariants(wiring.BLOB_COLUMNS):
        assert not await world.db.exists(invariant.sql)


@SMALL_AND_LARGE
async def test_equal_bytes_are_stored_once_per_company(world: World, data: bytes) -> None:
    digests = {await store(world, data, org_id) for org_id in (ORG, ORG, "org-two", "")}
    assert len(digests) == 1
    assert [blob.org_id for blob in await rows(world)] == ["", ORG, "org-two"]
    assert len(await with_bytes(world)) == len(await rows(world)) == 3


@SMALL_AND_LARGE
async def test_a_company_cannot_read_the_blobs_of_another(world: World, data: bytes) -> None:
    digest = await store(world, data)
    for org_id in ("org-two", ""):
        with pytest.raises(BlobMissing):
            await read(world, digest, org_id)


@SMALL_AND_LARGE
@pytest.mark.parametrize(
    "damage",
    [lambda data: b"", lambda data: data[:-1], lambda data: data + b"x", lambda data: b"x" * len(data), bytes.upper],
    ids=["empty", "shorter", "longer", "others", "some"],
)
async def test_a_damaged_blob_is_refused_and_repaired_by_storing_it_again(
    world: World, data: bytes, damage: Callable[[bytes], bytes]
) -> None:
    digest = await store(world, data)
    await overwrite(world, digest, damage(data))
    for reading in (read(world, digest), blobs.verify(world.db, world.app.files, ORG, digest)):
        with pytest.raises(DamagedBlob, match=digest):
            await reading
    for start in (0, len(data) - 1):
        with contextlib.suppress(DamagedBlob):  # a file that has grown still has these bytes
            assert await read_range(world, digest, start, len(data) - start) == data[start:]
    assert await store(world, data) == digest
    assert await read(world, digest) == await read_range(world, digest, 0, len(data)) == data


@SMALL_AND_LARGE
async def test_a_blob_without_bytes_is_missing_until_stored_again(world: World, data: bytes) -> None:
    digest = await store(world, data)
    await overwrite(world, digest, None)
    for reading in (read(world, digest), read_range(world, digest, 0, len(data))):
        with pytest.raises(BlobMissing, match=digest):
            await reading
    await store(world, data)
    assert await read(world, digest) == data


async def test_a_small_blob_is_committed_with_the_transaction_that_references_it(world: World) -> None:
    async with blobs.stage(world.app.files, blobs.as_stream(SMALL_DATA)) as staged:
        await blobs.store_staged(world.db, world.app.files, system(), ORG, staged)
        assert (await rows(world), staged.file) == ([], None)
        with pytest.raises(PowerCut):
            async with world.db.maintenance(system()) as tx:
                await blobs.reference_staged(tx, ORG, staged)
                raise PowerCut
        assert await rows(world) == []
        async with world.db.maintenance(system()) as tx:
            await blobs.reference_staged(tx, ORG, staged)
    assert await read(world, staged.digest) == SMALL_DATA
    assert not world.app.files.staging_folder.exists(), "no file was created"


async def test_a_failed_store_leaves_no_blob(world: World) -> None:
    class Full(FolderStore):
        async def put(self, namespace: str, digest: str, staged: Path) -> None:
            raise OSError("no room")

    assert isinstance(world.app.files, FolderStore)
    with pytest.raises(OSError, match="no room"):
        await store(world, DATA, files=Full(world.app.files.root))
    assert stored(world) == set()
    digest = await store(world, DATA)
    assert await read(world, digest) == DATA


# Collecting


@SMALL_AND_LARGE
async def test_an_unreferenced_blob_is_collected_after_a_day(world: World, hands: Hands, data: bytes) -> None:
    digest = await store(world, data)
    hands.forward(clock.DAY + 299)
    assert await collect(world) == 0
    assert await read(world, digest) == data
    hands.forward(2)
    assert await collect(world) == 1
    assert (await rows(world), await with_bytes(world)) == ([], set())
    assert await collect(world) == 0


@SMALL_AND_LARGE
async def test_storing_a_blob_again_extends_its_day(world: World, hands: Hands, data: bytes) -> None:
    digest = await store(world, data)
    hands.forward(clock.DAY)
    await store(world, data)
    hands.forward(clock.DAY + 299)
    assert await collect(world) == 0
    assert await read(world, digest) == data


@SMALL_AND_LARGE
async def test_a_referenced_blob_is_never_collected(world: World, hands: Hands, data: bytes) -> None:
    digest = await store(world, data)
    await reference(world, digest)
    hands.forward(3650 * clock.DAY)
    assert await collect(world) == 0
    assert await read(world, digest) == data
    assert await blobs.is_referenced(world.db, wiring.BLOB_COLUMNS, ORG, digest)

    await unreference(world, digest)
    assert not await blobs.is_referenced(world.db, wiring.BLOB_COLUMNS, ORG, digest)
    hands.forward(301)
    assert await collect(world) == 1
    assert (await rows(world), await with_bytes(world)) == ([], set())


@SMALL_AND_LARGE
async def test_a_reference_keeps_only_the_copy_of_its_own_company(world: World, hands: Hands, data: bytes) -> None:
    digest = await store(world, data)
    await store(world, data, org_id="org-two")
    await reference(world, digest, "org-two")
    hands.forward(2 * clock.DAY)
    assert await collect(world) == 1
    assert await with_bytes(world) == {("org-two", digest)}


@PADDED
async def test_any_number_of_blobs_is_collected(world: World, hands: Hands, padding: bytes) -> None:
    for number in range(120):
        await store(world, b"%d" % number + padding)
    referenced = await store(world, b"named" + padding)
    await reference(world, referenced)
    hands.forward(2 * clock.DAY)
    fresh = await store(world, b"fresh" + padding)
    assert await collect(world) == 120
    assert await with_bytes(world) == {(ORG, referenced), (ORG, fresh)}


@SMALL_AND_LARGE
async def test_nothing_is_collected_during_a_backup(world: World, hands: Hands, data: bytes) -> None:
    digest = await store(world, data)
    hands.forward(2 * clock.DAY)
    with world.app.files.collection_paused():
        assert await collect(world) == 0
        assert await read(world, digest) == data
    assert await collect(world) == 1


async def test_the_table_can_be_read_in_pages(world: World) -> None:
    for number in range(5):
        await store(world, b"%d" % number * 10_000, f"org-{number % 2}")
    seen: list[Blob] = []
    after = ("", "")
    while page := await blobs.select(world.db, after, 2):
        seen += page
        after = (page[-1].org_id, page[-1].digest)
    assert seen == await rows(world) and len(seen) == 5


async def test_a_reference_without_a_blob_is_found(world: World) -> None:
    digest = await store(world, DATA)
    await reference(world, digest)
    row = next(row for row in wiring.BLOB_COLUMNS if row.table == "branding")
    assert await blobs.select_unknown(world.db, row, 10) == []
    await run_sql(world, "DELETE FROM blobs")
    assert await blobs.select_unknown(world.db, row, 10) == [Blob(ORG, digest, 0)]


# Crashes and races


class PowerCut(Exception):
    """Ends the work at once."""


class Paused(FolderStore):
    """The same folder, paused at one step until released."""

    def __init__(self, root: Path, step: str) -> None:
        super().__init__(root)
        self.reached, self.resumed = asyncio.Event(), asyncio.Event()
        self._step = step

    async def put(self, namespace: str, digest: str, staged: Path) -> None:
        await self._pause_at("put")
        await super().put(namespace, digest, staged)

    async def delete(self, namespace: str, digest: str) -> None:
        await self._pause_at("delete")
        await super().delete(namespace, digest)

    async def _pause_at(self, step: str) -> None:
        if step == self._step:
            self.reached.set()
            await self.resumed.wait()


def paused(world: World, step: str) -> Paused:
    assert isinstance(world.app.files, FolderStore)
    return Paused(world.app.files.root, step)


async def start_task(work: Awaitable[object]) -> "asyncio.Future[object]":
    """Starts the work and gives it a moment to run."""
    task = asyncio.ensure_future(work)
    await asyncio.wait([task], timeout=0.3)
    return task


async def test_a_blob_can_be_stored_again_after_a_failed_collection(world: World, hands: Hands) -> None:
    class Fails(FolderStore):
        async def delete(self, namespace: str, digest: str) -> None:
            await super().delete(namespace, digest)
            raise PowerCut

    digest = await store(world, DATA)
    hands.forward(2 * clock.DAY)
    with pytest.raises(PowerCut):
        await collect(world, Fails(paused(world, "").root))
    with pytest.raises(StorageFull):
        async with world.db.maintenance(system()) as tx:
            await blobs.add_reference(tx, ORG, digest)
    assert await store(world, DATA) == digest
    assert await read(world, digest) == DATA


async def test_a_cancelled_collection_is_finished_by_the_next(
    world: World, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = await store(world, DATA)
    hands.forward(2 * clock.DAY)
    files = paused(world, "delete")
    collector = asyncio.ensure_future(collect(world, files))
    await files.reached.wait()
    collector.cancel()
    await asyncio.wait([collector])
    monkeypatch.setattr(storing, "_WAIT_FOR_REMOVAL", 0.2)
    with pytest.raises(Overloaded):
        await store(world, DATA)
    assert await collect(world) == 0
    hands.forward(301)
    assert await store(world, DATA) == digest
    assert await read(world, digest) == DATA
    hands.forward(2 * clock.DAY)
    assert await collect(world) == 1


async def test_storing_a_blob_that_is_being_collected_waits_and_succeeds(world: World, hands: Hands) -> None:
    digest = await store(world, DATA)
    hands.forward(2 * clock.DAY)
    files = paused(world, "delete")
    collector = asyncio.ensure_future(collect(world, files))
    await files.reached.wait()
    storing_again = await start_task(store(world, DATA))
    assert not storing_again.done(), "it waits until the deletion is done"
    files.resumed.set()
    assert (await collector, await storing_again) == (1, digest)
    assert await read(world, digest) == DATA
    assert await blobs.is_known(world.db, ORG, digest)


async def test_a_slow_delete_in_the_store_blocks_no_other_write(world: World, hands: Hands) -> None:
    """A bucket can be slow, and SQLite has one writer."""
    await store(world, DATA)
    hands.forward(2 * clock.DAY)
    files = paused(world, "delete")
    collector = asyncio.ensure_future(collect(world, files))
    await files.reached.wait()
    async with asyncio.timeout(10):
        await store(world, SMALL_DATA)
    files.resumed.set()
    assert await collector == 1


@SMALL_AND_LARGE
async def test_a_released_blob_is_collected_within_ten_minutes_or_at_once_on_request(
    world: World, hands: Hands, data: bytes
) -> None:
    for at_once in (False, True):
        digest = await store(world, data)
        await reference(world, digest)
        await unreference(world, digest)
        assert await collect(world) == 0
        if at_once:
            assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=0) == 1
        else:
            hands.forward(9 * 60)
            assert await collect(world) == 1
        assert (await rows(world), await with_bytes(world)) == ([], set())


async def test_collecting_at_once_spares_blobs_about_to_be_referenced(world: World) -> None:
    digest = await store(world, DATA)
    assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=0) == 0
    assert await read(world, digest) == DATA


async def test_the_collector_checks_a_referenced_blob_only_once(world: World, hands: Hands) -> None:
    digest = await store(world, DATA)
    await reference(world, digest)
    hands.forward(2 * clock.DAY)
    await collect(world)
    assert await world.db.exists("SELECT 1 FROM blobs WHERE collect_at IS NULL")


@SMALL_AND_LARGE
async def test_a_blob_that_was_never_released_is_found(world: World, hands: Hands, data: bytes) -> None:
    await reference(world, await store(world, data))
    hands.forward(2 * clock.DAY)
    await collect(world)
    assert await blobs.find_untracked(world.db, wiring.BLOB_COLUMNS) == 0
    await run_sql(world, "DELETE FROM branding")
    assert await collect(world) == 0
    assert await blobs.find_untracked(world.db, wiring.BLOB_COLUMNS) == 1
    hands.forward(301)
    assert await collect(world) == 1


async def test_a_blob_being_referenced_is_spared_however_old(world: World, hands: Hands) -> None:
    digest = await store(world, DATA)
    hands.forward(2 * clock.DAY)
    async with world.db.maintenance(system()) as tx:
        await blobs.add_reference(tx, ORG, digest)
        collector = await start_task(collect(world))
        await tx.run(
            "INSERT INTO branding (org_id, theme, logo, logo_type, updated_at) VALUES (:org_id, '{}', :digest, '', '')",
            org_id=ORG, digest=digest,
        )  # fmt: skip
    assert await collector == 0
    assert await read(world, digest) == DATA


async def test_a_pinned_blob_is_spared_before_it_is_written(world: World, hands: Hands) -> None:
    digest = await store(world, DATA)
    hands.forward(2 * clock.DAY)
    files = paused(world, "put")
    storing_again = asyncio.ensure_future(store(world, DATA, files=files))
    await files.reached.wait()
    assert await collect(world) == 0
    files.resumed.set()
    assert await storing_again == digest
    assert await read(world, digest) == DATA


async def upload(world: World, data: bytes) -> None:
    """Stores the bytes and references them from a row, as an upload does."""
    async with blobs.stage(world.app.files, blobs.as_stream(data)) as staged:
        await blobs.store_staged(world.db, world.app.files, system(), ORG, staged)
        async with world.db.maintenance(system()) as tx:
            await blobs.reference_staged(tx, ORG, staged)
            await tx.run(
                "INSERT INTO branding (org_id, theme, logo, logo_type, updated_at) VALUES (:org_id, '{}', :logo, '', '')",
                org_id=ORG, logo=staged.digest,
            )  # fmt: skip


@pytest.mark.both_databases
@PADDED
async def test_a_blob_referenced_during_a_collection_is_kept(
    world: World, hands: Hands, padding: bytes, rounds: int
) -> None:
    for number in range(rounds):
        data = b"round %d" % number + padding
        await store(world, data)
        hands.forward(2 * clock.DAY)
        await asyncio.gather(collect(world), upload(world, data), collect(world))
        hands.forward(2 * clock.DAY)
        await collect(world)
        assert await read(world, hashlib.sha256(data).hexdigest()) == data
        await unreference(world, hashlib.sha256(data).hexdigest())


@pytest.mark.both_databases
@PADDED
async def test_concurrent_stores_of_the_same_bytes_survive_a_collection(
    world: World, hands: Hands, padding: bytes, rounds: int
) -> None:
    for number in range(rounds):
        data = b"%d" % number * 1000 + padding
        await store(world, data)
        hands.forward(2 * clock.DAY)
        digests, _ = await asyncio.gather(asyncio.gather(*(store(world, data) for _ in range(10))), collect(world))
        assert set(digests) == {hashlib.sha256(data).hexdigest()}
        assert await read(world, digests[0]) == data
        assert [blob.digest for blob in await rows(world)] == [digests[0]]
        hands.forward(2 * clock.DAY)
        assert await collect(world) == 1


# Reading a range


def long_data() -> bytes:
    return os.urandom(3 * blobs.BLOCK + 1234)


async def read_range(world: World, digest: str, start: int, length: int) -> bytes:
    chunks = blobs.read_range(world.db, world.app.files, ORG, digest, start, length)
    return b"".join([chunk async for chunk in chunks])


async def test_any_range_can_be_read(world: World) -> None:
    data = long_data()
    digest = await store(world, data)
    edges = [0, 1, blobs.SMALL, blobs.BLOCK - 1, blobs.BLOCK, blobs.BLOCK + 1, 3 * blobs.BLOCK, len(data) - 1]
    for start in edges:
        for length in (1, 2, blobs.BLOCK, len(data)):
            expected = data[start : start + length]
            assert await read_range(world, digest, start, len(expected)) == expected


async def test_any_range_of_a_small_blob_can_be_read(world: World) -> None:
    data = os.urandom(blobs.SMALL)
    digest = await store(world, data)
    for start in (0, 1, 1000, len(data) - 1, len(data)):
        for length in (0, 1, 2, len(data)):
            expected = data[start : start + length]
            assert await read_range(world, digest, start, len(expected)) == expected


async def test_readers_that_stall_keep_little_and_go_on_where_they_were(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_for_all = ReadAhead(4 * blobs.STRIDE)
    monkeypatch.setattr("teamspace.blobs.domain.reading._read_ahead", kept_for_all)
    data = os.urandom(8 * blobs.STRIDE + 1000)
    digest = await store(world, data)
    readers = [blobs.read_range(world.db, world.app.files, ORG, digest, 1, len(data) - 1) for _ in range(40)]
    tracemalloc.start()
    begun = [await anext(reader) for reader in readers]
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 5 * blobs.STRIDE + len(readers) * 128 * 1024
    for reader, first in [*zip(readers, begun, strict=True)][::13]:
        assert first + b"".join([chunk async for chunk in reader]) == data[1:]
    for reader in readers:
        await reader.aclose()
    assert kept_for_all._size == 0


async def test_damaged_blocks_are_refused_and_others_are_returned(world: World) -> None:
    data = long_data()
    digest = await store(world, data)
    file = path(world, digest)
    damaged = bytearray(data)
    damaged[blobs.BLOCK + 7] ^= 1
    file.write_bytes(damaged)
    assert await read_range(world, digest, 0, blobs.BLOCK) == data[: blobs.BLOCK]
    assert await read_range(world, digest, 2 * blobs.BLOCK, 10) == data[2 * blobs.BLOCK :][:10]
    with pytest.raises(DamagedBlob):
        await read_range(world, digest, 2 * blobs.BLOCK - 1, 1)
    file.write_bytes(data[: 2 * blobs.BLOCK])
    with pytest.raises(DamagedBlob):
        await read_range(world, digest, 0, len(data))


async def test_referencing_a_collected_blob_is_refused(world: World) -> None:
    digest = await store(world, DATA)
    async with world.db.maintenance(system()) as tx:
        await blobs.add_reference(tx, ORG, digest)
    await run_sql(world, "DELETE FROM blobs")
    with pytest.raises(StorageFull, match="send it again"):
        async with world.db.maintenance(system()) as tx:
            await blobs.add_reference(tx, ORG, digest)
