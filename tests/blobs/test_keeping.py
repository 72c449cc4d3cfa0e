"""Keeping bytes for as long as a row names them, whoever collects and whoever dies meanwhile."""

import asyncio
import contextlib
import hashlib
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from teamspace import blobs, wiring
from teamspace.blobs import Blob, BlobMissing, DamagedBlob, FolderStore
from teamspace.blobs.domain import storing
from teamspace.core import clock
from teamspace.core.db import columns
from teamspace.core.errors import Overloaded, StorageFull
from teamspace.core.principal import system
from tests.identity.help import Hands, run_sql
from tests.support.world import World

DATA = b"some bytes of a company" * 2000
"""More than a row holds: it lies in a file."""
FEW = b"some bytes of a company"
ORG = "org-one"
ROUNDS = 20
OF_BOTH_KINDS = pytest.mark.parametrize("data", [FEW, DATA], ids=["small", "large"])
PADDED = pytest.mark.parametrize("padding", [b"", bytes(blobs.SMALL)], ids=["small", "large"])


async def keep(world: World, data: bytes, org_id: str = ORG, files: blobs.BlobStore | None = None) -> str:
    return await blobs.store_bytes(world.db, files or world.app.files, system(), org_id, data)


async def read(world: World, digest: str, org_id: str = ORG) -> bytes:
    return await blobs.read(world.db, world.app.files, org_id, digest)


async def collect(world: World, files: blobs.BlobStore | None = None) -> int:
    """As the server does by itself."""
    return await blobs.collect(world.db, files or world.app.files, wiring.BLOB_COLUMNS, retention=300)


async def name(world: World, digest: str, org_id: str = ORG) -> None:
    """Let a row name the blob, as a company's logo."""
    await run_sql(
        world,
        "INSERT INTO branding (org_id, theme, logo, logo_type, updated_at) VALUES (:org_id, '{}', :digest, '', '')",
        org_id=org_id, digest=digest,
    )  # fmt: skip


async def unname(world: World, digest: str) -> None:
    async with world.db.maintenance(system()) as tx:
        await tx.run("DELETE FROM branding")
        await blobs.release_references(tx, ORG, [digest])


async def rows(world: World) -> list[Blob]:
    return await world.db.all(Blob, f"SELECT {columns(Blob)} FROM blobs ORDER BY org_id, digest")


def stored(world: World) -> set[tuple[str, str]]:
    """What lies in files."""
    return {(file.org_id, file.digest) for file in world.app.files.list_files()}


async def there(world: World) -> set[tuple[str, str]]:
    """Whatever has its bytes, in a file or in its row."""
    in_rows = await world.db.all(Blob, f"SELECT {columns(Blob)} FROM blobs WHERE data IS NOT NULL")
    return stored(world) | {(blob.org_id, blob.digest) for blob in in_rows}


async def overwrite(world: World, digest: str, data: bytes | None, org_id: str = ORG) -> None:
    """Past everything that would prevent it, where the bytes lie; None takes them away."""
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


# Keeping and reading


@OF_BOTH_KINDS
async def test_what_is_kept_is_known_by_its_digest(world: World, data: bytes) -> None:
    digest = await keep(world, data)
    assert digest == hashlib.sha256(data).hexdigest()
    assert await read(world, digest) == data
    assert await rows(world) == [Blob(ORG, digest, len(data))]
    assert await blobs.is_known(world.db, ORG, digest) and not await blobs.is_known(world.db, "", digest)


@pytest.mark.parametrize("size", [0, 1, blobs.SMALL - 1, blobs.SMALL, blobs.SMALL + 1, blobs.BLOCK, blobs.BLOCK + 1])
async def test_a_small_blob_lies_in_its_row_and_any_other_in_a_file(world: World, size: int) -> None:
    data = os.urandom(size)
    digest = await keep(world, data)
    assert stored(world) == ({(ORG, digest)} if size > blobs.SMALL else set())
    assert await there(world) == {(ORG, digest)}
    assert await read(world, digest) == await part(world, digest, 0, size) == data
    await blobs.verify(world.db, world.app.files, ORG, digest)
    for invariant in blobs.invariants(wiring.BLOB_COLUMNS):
        assert not await world.db.exists(invariant.sql)


@OF_BOTH_KINDS
async def test_the_same_bytes_are_kept_once_a_company(world: World, data: bytes) -> None:
    digests = {await keep(world, data, org_id) for org_id in (ORG, ORG, "org-two", "")}
    assert len(digests) == 1
    assert [blob.org_id for blob in await rows(world)] == ["", ORG, "org-two"]
    assert len(await there(world)) == len(await rows(world)) == 3


@OF_BOTH_KINDS
async def test_one_companys_bytes_are_not_anothers(world: World, data: bytes) -> None:
    digest = await keep(world, data)
    for org_id in ("org-two", ""):
        with pytest.raises(BlobMissing):
            await read(world, digest, org_id)


@OF_BOTH_KINDS
@pytest.mark.parametrize(
    "spoil",
    [lambda data: b"", lambda data: data[:-1], lambda data: data + b"x", lambda data: b"x" * len(data), bytes.upper],
    ids=["empty", "shorter", "longer", "others", "some"],
)
async def test_a_damaged_blob_is_refused_and_mended_by_whoever_brings_it_again(
    world: World, data: bytes, spoil: Callable[[bytes], bytes]
) -> None:
    digest = await keep(world, data)
    await overwrite(world, digest, spoil(data))
    for reading in (read(world, digest), blobs.verify(world.db, world.app.files, ORG, digest)):
        with pytest.raises(DamagedBlob, match=digest):
            await reading
    for start in (0, len(data) - 1):
        with contextlib.suppress(DamagedBlob):  # a file that has grown still has these bytes
            assert await part(world, digest, start, len(data) - start) == data[start:]
    assert await keep(world, data) == digest
    assert await read(world, digest) == await part(world, digest, 0, len(data)) == data


@OF_BOTH_KINDS
async def test_a_blob_whose_bytes_are_gone_is_missing_until_they_are_brought_again(world: World, data: bytes) -> None:
    digest = await keep(world, data)
    await overwrite(world, digest, None)
    for reading in (read(world, digest), part(world, digest, 0, len(data))):
        with pytest.raises(BlobMissing, match=digest):
            await reading
    await keep(world, data)
    assert await read(world, digest) == data


async def test_a_small_blob_comes_with_the_transaction_that_names_it_or_not_at_all(world: World) -> None:
    async with blobs.stage(world.app.files, blobs.as_stream(FEW)) as draft:
        await blobs.store_staged(world.db, world.app.files, system(), ORG, draft)
        assert (await rows(world), draft.file) == ([], None)
        with pytest.raises(PowerCut):
            async with world.db.maintenance(system()) as tx:
                await blobs.reference_staged(tx, ORG, draft)
                raise PowerCut
        assert await rows(world) == []
        async with world.db.maintenance(system()) as tx:
            await blobs.reference_staged(tx, ORG, draft)
    assert await read(world, draft.digest) == FEW
    assert not world.app.files.staging_folder.exists(), "there was never a file"


async def test_a_blob_that_could_not_be_stored_is_no_blob(world: World) -> None:
    class Full(FolderStore):
        async def put(self, namespace: str, digest: str, draft: Path) -> None:
            raise OSError("no room")

    assert isinstance(world.app.files, FolderStore)
    with pytest.raises(OSError, match="no room"):
        await keep(world, DATA, files=Full(world.app.files.root))
    assert stored(world) == set()
    digest = await keep(world, DATA)
    assert await read(world, digest) == DATA


# Collecting


@OF_BOTH_KINDS
async def test_what_nothing_names_is_collected_after_a_day(world: World, hands: Hands, data: bytes) -> None:
    digest = await keep(world, data)
    hands.forward(clock.DAY + 299)
    assert await collect(world) == 0
    assert await read(world, digest) == data
    hands.forward(2)
    assert await collect(world) == 1
    assert (await rows(world), await there(world)) == ([], set())
    assert await collect(world) == 0


@OF_BOTH_KINDS
async def test_a_blob_that_is_kept_again_has_another_day(world: World, hands: Hands, data: bytes) -> None:
    digest = await keep(world, data)
    hands.forward(clock.DAY)
    await keep(world, data)
    hands.forward(clock.DAY + 299)
    assert await collect(world) == 0
    assert await read(world, digest) == data


@OF_BOTH_KINDS
async def test_what_a_row_names_is_never_collected(world: World, hands: Hands, data: bytes) -> None:
    digest = await keep(world, data)
    await name(world, digest)
    hands.forward(3650 * clock.DAY)
    assert await collect(world) == 0
    assert await read(world, digest) == data
    assert await blobs.is_referenced(world.db, wiring.BLOB_COLUMNS, ORG, digest)

    await unname(world, digest)
    assert not await blobs.is_referenced(world.db, wiring.BLOB_COLUMNS, ORG, digest)
    hands.forward(301)
    assert await collect(world) == 1
    assert (await rows(world), await there(world)) == ([], set())


@OF_BOTH_KINDS
async def test_another_companys_row_keeps_its_own_copy_alone(world: World, hands: Hands, data: bytes) -> None:
    digest = await keep(world, data)
    await keep(world, data, org_id="org-two")
    await name(world, digest, "org-two")
    hands.forward(2 * clock.DAY)
    assert await collect(world) == 1
    assert await there(world) == {("org-two", digest)}


@PADDED
async def test_however_many_there_are_all_are_collected(world: World, hands: Hands, padding: bytes) -> None:
    for number in range(120):
        await keep(world, b"%d" % number + padding)
    kept = await keep(world, b"named" + padding)
    await name(world, kept)
    hands.forward(2 * clock.DAY)
    fresh = await keep(world, b"fresh" + padding)
    assert await collect(world) == 120
    assert await there(world) == {(ORG, kept), (ORG, fresh)}


@OF_BOTH_KINDS
async def test_nothing_is_collected_while_a_backup_reads(world: World, hands: Hands, data: bytes) -> None:
    digest = await keep(world, data)
    hands.forward(2 * clock.DAY)
    with world.app.files.collection_paused():
        assert await collect(world) == 0
        assert await read(world, digest) == data
    assert await collect(world) == 1


async def test_the_table_can_be_walked_in_pages(world: World) -> None:
    for number in range(5):
        await keep(world, b"%d" % number * 10_000, f"org-{number % 2}")
    seen: list[Blob] = []
    after = ("", "")
    while page := await blobs.select(world.db, after, 2):
        seen += page
        after = (page[-1].org_id, page[-1].digest)
    assert seen == await rows(world) and len(seen) == 5


async def test_a_name_without_a_blob_is_found(world: World) -> None:
    digest = await keep(world, DATA)
    await name(world, digest)
    row = next(row for row in wiring.BLOB_COLUMNS if row.table == "branding")
    assert await blobs.select_unknown(world.db, row, 10) == []
    await run_sql(world, "DELETE FROM blobs")
    assert await blobs.select_unknown(world.db, row, 10) == [Blob(ORG, digest, 0)]


# Crashes and races


class PowerCut(Exception):
    """Nothing more is done."""


class Paused(FolderStore):
    """The same folder, held at one of its steps until told to go on."""

    def __init__(self, root: Path, step: str) -> None:
        super().__init__(root)
        self.reached, self.over = asyncio.Event(), asyncio.Event()
        self._step = step

    async def put(self, namespace: str, digest: str, draft: Path) -> None:
        await self._held("put")
        await super().put(namespace, digest, draft)

    async def delete(self, namespace: str, digest: str) -> None:
        await self._held("delete")
        await super().delete(namespace, digest)

    async def _held(self, step: str) -> None:
        if step == self._step:
            self.reached.set()
            await self.over.wait()


def paused(world: World, step: str) -> Paused:
    assert isinstance(world.app.files, FolderStore)
    return Paused(world.app.files.root, step)


async def waiting(work: Awaitable[object]) -> "asyncio.Future[object]":
    """The work begun, and as far as it gets by itself within a moment."""
    task = asyncio.ensure_future(work)
    await asyncio.wait([task], timeout=0.3)
    return task


async def test_a_collector_that_fails_half_way_loses_nothing_that_is_brought_again(world: World, hands: Hands) -> None:
    class Fails(FolderStore):
        async def delete(self, namespace: str, digest: str) -> None:
            await super().delete(namespace, digest)
            raise PowerCut

    digest = await keep(world, DATA)
    hands.forward(2 * clock.DAY)
    with pytest.raises(PowerCut):
        await collect(world, Fails(paused(world, "").root))
    with pytest.raises(StorageFull):
        async with world.db.maintenance(system()) as tx:
            await blobs.add_reference(tx, ORG, digest)
    assert await keep(world, DATA) == digest
    assert await read(world, digest) == DATA


async def test_a_collector_that_dies_half_way_leaves_the_rest_to_the_next(
    world: World, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = await keep(world, DATA)
    hands.forward(2 * clock.DAY)
    files = paused(world, "delete")
    collector = asyncio.ensure_future(collect(world, files))
    await files.reached.wait()
    collector.cancel()
    await asyncio.wait([collector])
    monkeypatch.setattr(storing, "_WAIT_FOR_REMOVAL", 0.2)
    with pytest.raises(Overloaded):
        await keep(world, DATA)
    assert await collect(world) == 0
    hands.forward(301)
    assert await keep(world, DATA) == digest
    assert await read(world, digest) == DATA
    hands.forward(2 * clock.DAY)
    assert await collect(world) == 1


async def test_who_keeps_the_bytes_that_are_being_collected_has_them(world: World, hands: Hands) -> None:
    digest = await keep(world, DATA)
    hands.forward(2 * clock.DAY)
    files = paused(world, "delete")
    collector = asyncio.ensure_future(collect(world, files))
    await files.reached.wait()
    keeper = await waiting(keep(world, DATA))
    assert not keeper.done(), "it waits until they are gone"
    files.over.set()
    assert (await collector, await keeper) == (1, digest)
    assert await read(world, digest) == DATA
    assert await blobs.is_known(world.db, ORG, digest)


async def test_nobody_else_waits_for_the_store_while_something_is_deleted_there(world: World, hands: Hands) -> None:
    """A bucket may be far away, and SQLite has one writer."""
    await keep(world, DATA)
    hands.forward(2 * clock.DAY)
    files = paused(world, "delete")
    collector = asyncio.ensure_future(collect(world, files))
    await files.reached.wait()
    async with asyncio.timeout(10):
        await keep(world, FEW)
    files.over.set()
    assert await collector == 1


@OF_BOTH_KINDS
async def test_what_is_released_is_gone_within_ten_minutes_and_at_once_if_asked(
    world: World, hands: Hands, data: bytes
) -> None:
    for at_once in (False, True):
        digest = await keep(world, data)
        await name(world, digest)
        await unname(world, digest)
        assert await collect(world) == 0
        if at_once:
            assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=0) == 1
        else:
            hands.forward(9 * 60)
            assert await collect(world) == 1
        assert (await rows(world), await there(world)) == ([], set())


async def test_asked_to_collect_at_once_it_spares_what_is_about_to_be_named(world: World) -> None:
    digest = await keep(world, DATA)
    assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=0) == 0
    assert await read(world, digest) == DATA


async def test_what_is_named_is_looked_at_once(world: World, hands: Hands) -> None:
    digest = await keep(world, DATA)
    await name(world, digest)
    hands.forward(2 * clock.DAY)
    await collect(world)
    assert await world.db.exists("SELECT 1 FROM blobs WHERE collect_at IS NULL")


@OF_BOTH_KINDS
async def test_what_nobody_has_told_of_is_found(world: World, hands: Hands, data: bytes) -> None:
    await name(world, await keep(world, data))
    hands.forward(2 * clock.DAY)
    await collect(world)
    assert await blobs.find_untracked(world.db, wiring.BLOB_COLUMNS) == 0
    await run_sql(world, "DELETE FROM branding")
    assert await collect(world) == 0
    assert await blobs.find_untracked(world.db, wiring.BLOB_COLUMNS) == 1
    hands.forward(301)
    assert await collect(world) == 1


async def test_what_somebody_is_just_naming_is_spared_however_old_it_is(world: World, hands: Hands) -> None:
    digest = await keep(world, DATA)
    hands.forward(2 * clock.DAY)
    async with world.db.maintenance(system()) as tx:
        await blobs.add_reference(tx, ORG, digest)
        collector = await waiting(collect(world))
        await tx.run(
            "INSERT INTO branding (org_id, theme, logo, logo_type, updated_at) VALUES (:org_id, '{}', :digest, '', '')",
            org_id=ORG, digest=digest,
        )  # fmt: skip
    assert await collector == 0
    assert await read(world, digest) == DATA


async def test_what_is_pinned_is_spared_before_it_is_written(world: World, hands: Hands) -> None:
    digest = await keep(world, DATA)
    hands.forward(2 * clock.DAY)
    files = paused(world, "put")
    keeper = asyncio.ensure_future(keep(world, DATA, files=files))
    await files.reached.wait()
    assert await collect(world) == 0
    files.over.set()
    assert await keeper == digest
    assert await read(world, digest) == DATA


async def use(world: World, data: bytes) -> None:
    """Bring the bytes and let a row name them, as an upload does."""
    async with blobs.stage(world.app.files, blobs.as_stream(data)) as draft:
        await blobs.store_staged(world.db, world.app.files, system(), ORG, draft)
        async with world.db.maintenance(system()) as tx:
            await blobs.reference_staged(tx, ORG, draft)
            await tx.run(
                "INSERT INTO branding (org_id, theme, logo, logo_type, updated_at) VALUES (:org_id, '{}', :logo, '', '')",
                org_id=ORG, logo=draft.digest,
            )  # fmt: skip


@pytest.mark.both_databases
@PADDED
async def test_who_names_the_blob_in_time_keeps_it(world: World, hands: Hands, padding: bytes) -> None:
    for number in range(ROUNDS):
        data = b"round %d" % number + padding
        await keep(world, data)
        hands.forward(2 * clock.DAY)
        await asyncio.gather(collect(world), use(world, data), collect(world))
        hands.forward(2 * clock.DAY)
        await collect(world)
        assert await read(world, hashlib.sha256(data).hexdigest()) == data
        await unname(world, hashlib.sha256(data).hexdigest())


@pytest.mark.both_databases
@PADDED
async def test_many_who_keep_the_same_bytes_at_once_have_them(world: World, hands: Hands, padding: bytes) -> None:
    for number in range(ROUNDS):
        data = b"%d" % number * 1000 + padding
        await keep(world, data)
        hands.forward(2 * clock.DAY)
        digests, _ = await asyncio.gather(asyncio.gather(*(keep(world, data) for _ in range(10))), collect(world))
        assert set(digests) == {hashlib.sha256(data).hexdigest()}
        assert await read(world, digests[0]) == data
        assert [blob.digest for blob in await rows(world)] == [digests[0]]
        hands.forward(2 * clock.DAY)
        assert await collect(world) == 1


# Reading a part


def long_data() -> bytes:
    return os.urandom(3 * blobs.BLOCK + 1234)


async def part(world: World, digest: str, start: int, length: int) -> bytes:
    chunks = blobs.read_range(world.db, world.app.files, ORG, digest, start, length)
    return b"".join([chunk async for chunk in chunks])


async def test_any_part_can_be_read(world: World) -> None:
    data = long_data()
    digest = await keep(world, data)
    edges = [0, 1, blobs.SMALL, blobs.BLOCK - 1, blobs.BLOCK, blobs.BLOCK + 1, 3 * blobs.BLOCK, len(data) - 1]
    for start in edges:
        for length in (1, 2, blobs.BLOCK, len(data)):
            wanted = data[start : start + length]
            assert await part(world, digest, start, len(wanted)) == wanted


async def test_any_part_of_a_small_one_can_be_read(world: World) -> None:
    data = os.urandom(blobs.SMALL)
    digest = await keep(world, data)
    for start in (0, 1, 1000, len(data) - 1, len(data)):
        for length in (0, 1, 2, len(data)):
            wanted = data[start : start + length]
            assert await part(world, digest, start, len(wanted)) == wanted


async def test_no_byte_of_a_damaged_block_goes_out_and_the_others_do(world: World) -> None:
    data = long_data()
    digest = await keep(world, data)
    file = path(world, digest)
    spoilt = bytearray(data)
    spoilt[blobs.BLOCK + 7] ^= 1
    file.write_bytes(spoilt)
    assert await part(world, digest, 0, blobs.BLOCK) == data[: blobs.BLOCK]
    assert await part(world, digest, 2 * blobs.BLOCK, 10) == data[2 * blobs.BLOCK :][:10]
    with pytest.raises(DamagedBlob):
        await part(world, digest, 2 * blobs.BLOCK - 1, 1)
    file.write_bytes(data[: 2 * blobs.BLOCK])
    with pytest.raises(DamagedBlob):
        await part(world, digest, 0, len(data))


async def test_who_names_a_blob_that_was_collected_is_told(world: World) -> None:
    digest = await keep(world, DATA)
    async with world.db.maintenance(system()) as tx:
        await blobs.add_reference(tx, ORG, digest)
    await run_sql(world, "DELETE FROM blobs")
    with pytest.raises(StorageFull, match="send it again"):
        async with world.db.maintenance(system()) as tx:
            await blobs.add_reference(tx, ORG, digest)
