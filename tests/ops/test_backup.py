"""A backup is complete or absent; it has everything but the key, and does not block the server."""

import fcntl
import os
import stat
from pathlib import Path

import pytest

from teamspace import __version__, blobs, ops, wiring
from teamspace.app import run_migrations
from teamspace.core import clock
from teamspace.core.db import SchemaError, audit
from teamspace.core.db.migrate import bundled_migrations
from teamspace.core.principal import system
from teamspace.ops import OpsError
from teamspace.settings import Settings
from tests.identity.help import Hands, hands, run_sql
from tests.ops.help import (
    LOGO,
    ODDITIES,
    PLAN,
    SCRAP,
    UNUSED,
    Instances,
    brand,
    content,
    files,
    fill,
    fill_instance,
    kind_of,
    members,
    overwrite,
    read_manifest,
    ship_migrations,
)
from tests.support.world import World
from tests.support.world import world as open_world

__all__ = ["hands"]


def backup_files(folder: Path) -> list[str]:
    """Every file of the folder with "backup" in its name."""
    return [name for name in os.listdir(folder) if "backup" in name]


async def test_the_manifest_describes_the_content(settings: Settings, backup_file: Path) -> None:
    await fill_instance(settings)
    line = await ops.backup(settings, backup_file)
    manifest = read_manifest(backup_file)
    rows = await content(settings)
    assert (manifest.format, manifest.version, manifest.database) == (1, __version__, kind_of(settings))
    assert {entry.name: entry.rows for entry in manifest.tables} == {name: len(lines) for name, lines in rows.items()}
    assert manifest.schema == bundled_migrations()[-1].number
    assert [entry.digest for entry in manifest.migrations] == [migration.digest for migration in bundled_migrations()]
    in_rows = len(PLAN.encode()) + len(SCRAP)
    assert (manifest.blobs, manifest.blob_bytes) == (5, sum(map(len, files(settings).values())) + in_rows)
    assert f'["canary","{manifest.canary}"]\n'.encode() in rows["instance"]
    async with open_world(settings) as world:
        assert sorted(manifest.heads, key=str) == sorted([head async for head in audit.chain_heads(world.db)], key=str)
    size = os.stat(backup_file).st_size
    assert f"{manifest.rows} rows of {len(rows)} tables, 5 blobs, {size:,} bytes" in line


async def test_tables_come_after_those_they_reference(settings: Settings, backup_file: Path) -> None:
    await fill_instance(settings)
    await ops.backup(settings, backup_file)
    order = [entry.name for entry in read_manifest(backup_file).tables]
    for referenced, referencing in [
        ("orgs", "teams"),
        ("orgs", "users"),
        ("users", "memberships"),
        ("notes", "note_tags"),
    ]:
        assert order.index(referenced) < order.index(referencing)


async def test_the_key_is_not_in_the_backup(settings: Settings, backup_file: Path) -> None:
    await fill_instance(settings)
    await ops.backup(settings, backup_file)
    key = (settings.data / "secret.key").read_text().strip()
    for _, data in members(backup_file):
        assert key.encode() not in data and bytes.fromhex(key) not in data
    assert not any("key" in name for name, _ in members(backup_file))


async def test_the_file_is_private_and_replaced_only_with_force(settings: Settings, backup_file: Path) -> None:
    await fill_instance(settings)
    await ops.backup(settings, backup_file)
    first = os.stat(backup_file)
    assert stat.S_IMODE(first.st_mode) == 0o600
    with pytest.raises(OpsError, match="use --force to replace it"):
        await ops.backup(settings, backup_file)
    assert os.stat(backup_file) == first
    await ops.backup(settings, backup_file, force=True)
    assert os.stat(backup_file).st_ino != first.st_ino
    assert backup_files(backup_file.parent) == ["backup.tar"]


async def test_a_partial_file_of_a_killed_backup_is_overwritten(settings: Settings, backup_file: Path) -> None:
    await fill_instance(settings)
    part = backup_file.with_name("backup.tar.part")
    part.write_bytes(b"the first half, and longer than the whole" * 10_000)
    await ops.backup(settings, backup_file)
    assert read_manifest(backup_file).rows > 0
    assert not part.exists()


async def test_two_backups_do_not_write_to_one_file(settings: Settings, backup_file: Path) -> None:
    await fill_instance(settings)
    with backup_file.with_name("backup.tar.part").open("w") as another:
        fcntl.flock(another, fcntl.LOCK_EX)
        with pytest.raises(OpsError, match="another backup"):
            await ops.backup(settings, backup_file)
    assert backup_files(backup_file.parent) == ["backup.tar.part"]


async def test_a_backup_needs_an_instance(instances: Instances, settings: Settings, backup_file: Path) -> None:
    target = instances.new(kind_of(settings))
    with pytest.raises((OpsError, OSError), match=r"no database|No such file"):
        await ops.backup(target, backup_file)
    assert not target.data.exists()
    await run_migrations(target)
    with pytest.raises(OpsError, match="no server has started"):
        await ops.backup(target, backup_file)
    assert backup_files(backup_file.parent) == []


async def test_a_database_without_the_schema_is_refused(instances: Instances, backup_file: Path) -> None:
    target = instances.new("postgres")
    target.data.mkdir()
    with pytest.raises(SchemaError, match="has no Teamspace schema"):
        await ops.backup(target, backup_file)


# Blobs


def blob_file(settings: Settings, data: bytes) -> Path:
    (found,) = [path for path in (settings.data / "blobs").rglob("*") if path.is_file() and path.read_bytes() == data]
    return found


async def test_a_damaged_blob_fails_the_backup(settings: Settings, backup_file: Path) -> None:
    await fill_instance(settings)
    damaged = blob_file(settings, LOGO)
    damaged.write_bytes(LOGO[:-1] + b"?")
    with pytest.raises(OpsError, match=f"blob {damaged.name} is damaged"):
        await ops.backup(settings, backup_file)
    assert backup_files(backup_file.parent) == []


@pytest.mark.parametrize("bytes_", [PLAN.encode().upper(), PLAN.encode()[:-1], b"", None])
async def test_a_damaged_blob_in_its_row_fails_the_backup(
    settings: Settings, backup_file: Path, bytes_: bytes | None
) -> None:
    await fill_instance(settings)
    digest = await overwrite(settings, PLAN.encode(), bytes_)
    with pytest.raises(OpsError, match=f"blob {digest} is (damaged|missing)"):
        await ops.backup(settings, backup_file)
    assert backup_files(backup_file.parent) == []


async def test_a_small_blob_is_stored_only_in_its_row(settings: Settings, backup_file: Path) -> None:
    await fill_instance(settings)
    await ops.backup(settings, backup_file)
    names = [name for name, _ in members(backup_file) if name.startswith("blobs/")]
    assert len(names) == len(files(settings)) == 3


async def test_a_missing_referenced_blob_fails_the_backup(settings: Settings, backup_file: Path) -> None:
    await fill_instance(settings)
    missing = blob_file(settings, LOGO)
    missing.unlink()
    with pytest.raises(OpsError, match=f"blob {missing.name} is missing"):
        await ops.backup(settings, backup_file)
    assert backup_files(backup_file.parent) == []


async def test_a_reference_without_a_blob_row_fails_the_backup(settings: Settings, backup_file: Path) -> None:
    async with open_world(settings) as world:
        await fill(world)
        await run_sql(world, "DELETE FROM blobs WHERE org_id = ''")
    with pytest.raises(OpsError, match=r"branding\.logo references instance/"):
        await ops.backup(settings, backup_file)


async def test_a_blob_not_yet_written_is_left_out(settings: Settings, instances: Instances, backup_file: Path) -> None:
    await fill_instance(settings)
    blob_file(settings, UNUSED).unlink()
    await ops.backup(settings, backup_file)
    assert read_manifest(backup_file).blobs == 4
    target = instances.new("sqlite", key_of=settings)
    await ops.restore(target, backup_file)
    assert sorted(files(target)) == sorted(files(settings))


async def test_the_collector_waits_for_a_backup(world: World, hands: Hands) -> None:
    digest = await blobs.store_bytes(world.db, world.app.files, system(), "", UNUSED)
    await run_sql(world, "UPDATE blobs SET collect_at = '2000'")
    with world.app.files.collection_paused():
        assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=0) == 0
        with world.app.files.collection_paused():
            assert await world.app.files.stat("", digest) == len(UNUSED)
    hands.forward(clock.HOUR)
    assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=0) == 1
    assert await world.app.files.stat("", digest) is None


async def test_the_collector_waits_for_a_backup_with_small_blobs_too(world: World, hands: Hands) -> None:
    digest = await blobs.store_bytes(world.db, world.app.files, system(), "", SCRAP)
    hands.forward(2 * clock.DAY)
    with world.app.files.collection_paused():
        assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=0) == 0
        assert await blobs.read(world.db, world.app.files, "", digest) == SCRAP
    assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=0) == 1
    assert not await blobs.is_known(world.db, "", digest)


async def test_the_collector_removes_old_temporary_files(world: World) -> None:
    await brand(world, "", LOGO)
    store = world.app.files
    assert isinstance(store, blobs.FolderStore)
    old, new = store.root / "tmp" / "old", store.root / "tmp" / "new"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    await blobs.collect(world.db, store, wiring.BLOB_COLUMNS, retention=0)
    assert (old.exists(), new.exists()) == (False, True)


async def test_storing_a_damaged_blob_again_repairs_it(world: World) -> None:
    digest = await brand(world, "", LOGO)
    store = world.app.files
    assert isinstance(store, blobs.FolderStore)
    store.path("", digest).write_bytes(b"?" * len(LOGO))
    await blobs.store_bytes(world.db, store, system(), "", LOGO)
    assert await blobs.read(world.db, store, "", digest) == LOGO


# Schemas


async def test_an_older_schema_is_backed_up_as_it_is(
    settings: Settings, instances: Instances, backup_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill_instance(settings)
    ship_migrations(monkeypatch, ODDITIES)
    await ops.backup(settings, backup_file)
    assert "oddities" not in {entry.name for entry in read_manifest(backup_file).tables}
    target = instances.new(kind_of(settings), key_of=settings)
    await ops.restore(target, backup_file)
    assert "oddities" in await content(target)


async def test_a_newer_schema_is_refused(
    settings: Settings, backup_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as newer:
        ship_migrations(newer, ODDITIES)
        await fill_instance(settings)
    with pytest.raises(SchemaError, match="schema 9001"):
        await ops.backup(settings, backup_file)
