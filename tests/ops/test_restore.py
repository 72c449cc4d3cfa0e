"""A restore refuses a damaged or mismatching backup in one line, and leaves the target unchanged."""

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from teamspace import ops
from teamspace.app import StartError, restore_marker, run_migrations
from teamspace.core.crypto import new_key
from teamspace.ops import OpsError
from teamspace.settings import Settings
from tests.ops.help import (
    LATER,
    LOGO,
    ODDITIES,
    Instances,
    add_oddities,
    at,
    content,
    environment,
    files,
    fill,
    fill_instance,
    findings,
    is_untouched,
    members,
    read_manifest,
    ship_migrations,
    with_manifest,
    with_table,
    write,
)
from tests.support.served import Served, teamspace
from tests.support.world import world as open_world

KINDS = pytest.mark.parametrize("kind", ["sqlite", "postgres"])


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An instance to restore from; tests do not change it."""
    settings = at(tmp_path_factory.mktemp("source") / "data")
    asyncio.run(fill_instance(settings))
    asyncio.run(ops.backup(settings, settings.data / "backup.tar"))
    return settings


@pytest.fixture
def backup_file(source: Settings, tmp_path: Path) -> Path:
    """A copy of the backup that a test can change."""
    return Path(shutil.copy(source.data / "backup.tar", tmp_path))


async def refusal(target: Settings, backup_file: Path) -> str:
    """The message of a refused restore; the target is unchanged."""
    with pytest.raises(OpsError) as refused:
        await ops.restore(target, backup_file)
    assert await is_untouched(target)
    return str(refused.value)


# The target


@KINDS
async def test_an_instance_with_an_interrupted_restore_does_not_start(
    kind: str, source: Settings, instances: Instances
) -> None:
    target, backup_file = instances.new(kind, key_of=source), str(source.data / "backup.tar")
    killed = (
        "import os, signal, sys; from teamspace import cli, ops;"
        "sys.modules['teamspace.ops.restore']._put_blobs = lambda *_: os.kill(os.getpid(), signal.SIGKILL); cli.main()"
    )
    command = [sys.executable, "-c", killed, "restore", backup_file]
    result = await asyncio.to_thread(subprocess.run, command, env={**os.environ, **environment(target)}, check=False)
    assert result.returncode == -signal.SIGKILL
    with pytest.raises(StartError, match="interrupted"):
        await run_migrations(target)
    refused = await asyncio.to_thread(teamspace, "serve", settings=environment(target))
    assert "run `teamspace restore` again, or remove" in refused.stderr
    await ops.restore(target, Path(backup_file))
    assert await content(target) == await content(source)
    await run_migrations(target)


async def test_a_marker_left_by_a_complete_restore_is_removed_at_the_start(
    source: Settings, instances: Instances
) -> None:
    target = instances.new("postgres", key_of=source)
    await ops.restore(target, source.data / "backup.tar")
    restore_marker(target).touch()
    await run_migrations(target)
    assert not restore_marker(target).exists()


@KINDS
async def test_a_target_with_data_is_refused(
    kind: str, source: Settings, instances: Instances, backup_file: Path
) -> None:
    target = instances.new(kind, key_of=source)
    await ops.restore(target, backup_file)
    before = await content(target)
    with pytest.raises(OpsError, match="is not empty"):
        await ops.restore(target, backup_file)
    assert await content(target) == before


@KINDS
async def test_a_target_with_an_empty_schema_is_refused(
    kind: str, source: Settings, instances: Instances, backup_file: Path
) -> None:
    target = instances.new(kind, key_of=source)
    await run_migrations(target)
    before = await content(target)
    with pytest.raises(OpsError, match="is not empty"):
        await ops.restore(target, backup_file)
    assert await content(target) == before


async def test_a_write_ahead_log_without_its_database_is_refused(
    source: Settings, instances: Instances, backup_file: Path
) -> None:
    target = instances.new("sqlite", key_of=source)
    log = target.data / "teamspace.sqlite-wal"
    log.write_bytes(b"pages of a database that is gone")
    with pytest.raises(OpsError, match=r"teamspace\.sqlite-wal is not empty"):
        await ops.restore(target, backup_file)
    assert log.stat().st_size


@KINDS
def test_a_target_in_use_by_a_server_is_refused(
    kind: str, source: Settings, instances: Instances, backup_file: Path
) -> None:
    target = instances.new(kind, key_of=source)
    with Served(environment(target)):
        result = teamspace("restore", str(backup_file), settings=environment(target))
    assert (result.returncode, result.stdout) == (1, "")
    assert "another server" in result.stderr or "a server or another command" in result.stderr
    assert result.stderr.count("\n") == 1


@KINDS
async def test_leftovers_of_an_interrupted_restore_are_removed(
    kind: str, source: Settings, instances: Instances, backup_file: Path
) -> None:
    target = instances.new(kind, key_of=source)
    for name in ("", "-wal", "-shm", "-journal"):
        (target.data / f"teamspace.sqlite.restoring{name}").write_bytes(b"half a database" * 1000)
    (target.data / "blobs" / "tmp").mkdir(parents=True)
    await ops.restore(target, backup_file)
    assert await content(target) == await content(source)
    left = {path.name for path in target.data.glob("teamspace.sqlite*")}
    assert left == {"teamspace.sqlite"} if kind == "sqlite" else left


async def test_a_damaged_blob_in_the_target_is_repaired(
    source: Settings, instances: Instances, backup_file: Path
) -> None:
    target = instances.new("sqlite", key_of=source)
    shutil.copytree(source.data / "blobs", target.data / "blobs")
    (victim,) = [path for path in (target.data / "blobs").rglob("*") if path.is_file() and path.read_bytes() == LOGO]
    victim.write_bytes(b"?" * len(LOGO))
    await ops.restore(target, backup_file)
    assert files(target) == files(source)


# The key


@KINDS
async def test_a_missing_key_is_refused(kind: str, instances: Instances, backup_file: Path) -> None:
    target = instances.new(kind)
    message = await refusal(target, backup_file)
    assert f"put secret.key in {target.data}, or set SERVICE_SECRET_KEY; the key is not in the backup" in message
    assert not target.data.exists()


@KINDS
async def test_a_wrong_key_is_refused(kind: str, instances: Instances, backup_file: Path) -> None:
    target = instances.new(kind)
    target.data.mkdir()
    (target.data / "secret.key").write_text(new_key().hex())
    assert "does not belong to the backup" in await refusal(target, backup_file)
    target = msgspec.structs.replace(target, secret_key=new_key().hex())
    assert "does not belong to the backup" in await refusal(target, backup_file)


# The file


async def test_a_missing_file_is_refused(source: Settings, instances: Instances, tmp_path: Path) -> None:
    target = instances.new("sqlite", key_of=source)
    with pytest.raises(FileNotFoundError):
        await ops.restore(target, tmp_path / "none.tar")
    assert await is_untouched(target)


@pytest.mark.parametrize("data", [b"", b"no tar at all" * 200, b"\x00" * 10_240])
async def test_a_file_that_is_not_a_backup_is_refused(
    source: Settings, instances: Instances, tmp_path: Path, data: bytes
) -> None:
    (tmp_path / "odd.tar").write_bytes(data)
    assert "is not a backup" in await refusal(instances.new("sqlite", key_of=source), tmp_path / "odd.tar")


async def test_a_tar_without_a_manifest_is_refused(source: Settings, instances: Instances, tmp_path: Path) -> None:
    backup = write(tmp_path / "odd.tar", [("holiday.jpg", b"...")])
    assert "manifest.json is missing" in await refusal(instances.new("sqlite", key_of=source), backup)


async def test_a_manifest_too_large_for_memory_is_refused_unread(
    source: Settings, instances: Instances, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("teamspace.ops.archive._MAX_MANIFEST_BYTES", 1000)
    backup = write(tmp_path / "odd.tar", [("manifest.json", b" " * 1001)])
    assert "manifest.json is too large" in await refusal(instances.new("sqlite", key_of=source), backup)


async def test_an_unknown_format_is_refused(source: Settings, instances: Instances, backup_file: Path) -> None:
    with_manifest(backup_file, source, format=2)
    message = await refusal(instances.new("sqlite", key_of=source), backup_file)
    assert message == "the backup has format 2, this server knows 1"


async def test_a_changed_manifest_is_refused(source: Settings, instances: Instances, backup_file: Path) -> None:
    changed = [
        (name, data.replace(b'"sqlite"', b'"sqlito"') if name == "manifest.json" else data)
        for name, data in members(backup_file)
    ]
    assert "manifest is damaged" in await refusal(instances.new("sqlite", key_of=source), write(backup_file, changed))


async def test_an_edited_archive_with_matching_digests_is_refused(
    source: Settings, instances: Instances, backup_file: Path, tmp_path: Path
) -> None:
    stranger = at(tmp_path / "stranger")
    stranger.data.mkdir()
    with_table(backup_file, stranger, "users", lambda lines: lines[:1])
    message = await refusal(instances.new("sqlite", key_of=source), backup_file)
    assert message == "the backup was modified: its manifest is not signed with the secret key"
    unsigned = [
        (name, msgspec.json.encode(msgspec.json.decode(data) | {"mac": ""}) if name == "manifest.json" else data)
        for name, data in members(backup_file)
    ]
    assert "not signed" in await refusal(instances.new("sqlite", key_of=source), write(backup_file, unsigned))


OUTSIDE = ("../../..", "..", "/tmp/outside", "a/b", "a\\b", ".", "a\n", "x" * 65)


@KINDS
@pytest.mark.parametrize("escaping", ["org_id", "digest"])
async def test_a_signed_blob_row_that_escapes_the_folder_is_refused(
    kind: str, escaping: str, source: Settings, instances: Instances, backup_file: Path
) -> None:
    target = instances.new(kind, key_of=source)
    columns = read_manifest(backup_file).table("blobs").columns
    whole = list(members(backup_file))
    for name in OUTSIDE:

        def changed(lines: list[bytes], name: str = name) -> list[bytes]:
            row = msgspec.json.decode(lines[-1])
            row[columns.index(escaping)] = name
            return [*lines[:-1], msgspec.json.encode(row) + b"\n"]

        with_table(write(backup_file, whole), source, "blobs", changed)
        assert "a row of blobs has an invalid company or digest" in await refusal(target, backup_file)
    assert not [path for path in target.data.parent.iterdir() if path.name not in (target.data.name, backup_file.name)]


def without(name: str) -> Callable[[list[tuple[str, bytes]]], list[tuple[str, bytes]]]:
    return lambda content: [pair for pair in content if name not in pair[0]]


def doubled(content: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    return [*content, content[-1]]


def swapped(content: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    return [*content[:-2], content[-1], content[-2]]


def altered(content: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    return [*content[:-1], (content[-1][0], content[-1][1][:-1] + b"?")]


def shortened(content: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    return content[:-1]


MISSING = [without("tables/notes."), without("tables/blobs."), without("blobs/instance/"), shortened]


@pytest.mark.parametrize("change", [*MISSING, doubled, swapped, altered])
async def test_changed_members_are_refused(
    source: Settings, instances: Instances, backup_file: Path, change: Callable[..., list[tuple[str, bytes]]]
) -> None:
    write(backup_file, change(list(members(backup_file))))
    message = await refusal(instances.new("sqlite", key_of=source), backup_file)
    assert "damaged" in message


def truncations(backup_file: Path) -> Iterator[int]:
    whole = backup_file.read_bytes()
    end = len(whole.rstrip(b"\x00"))  # the rest is padding of the tar
    for length in (*range(0, end, 4999), end - 1):
        backup_file.write_bytes(whole[:length])
        yield length


async def test_a_truncated_file_is_refused(source: Settings, instances: Instances, backup_file: Path) -> None:
    target = instances.new("sqlite", key_of=source)
    for _ in truncations(backup_file):
        await refusal(target, backup_file)


def bit_flips(backup_file: Path, count: int) -> Iterator[int]:
    whole, rng = backup_file.read_bytes(), random.Random(7)
    for _ in range(count):
        damaged, where = bytearray(whole), rng.randrange(len(whole))
        damaged[where] ^= 1 << rng.randrange(8)
        backup_file.write_bytes(damaged)
        yield where


async def test_a_flipped_bit_is_refused_or_harmless(source: Settings, instances: Instances, backup_file: Path) -> None:
    expected, refused = (await content(source), files(source)), 0
    target = instances.new("sqlite", key_of=source)
    for _ in bit_flips(backup_file, 250):
        try:
            await ops.restore(target, backup_file)
        except OpsError:
            refused += 1
            assert await is_untouched(target)
            continue
        # The bit was in padding, or in an unused part of a header.
        assert (await content(target), files(target)) == expected
        target = instances.new("sqlite", key_of=source)
    assert refused > 50


# The content


@KINDS
async def test_a_reference_without_a_blob_row_is_refused(
    kind: str, source: Settings, instances: Instances, backup_file: Path
) -> None:
    with_table(backup_file, source, "blobs", lambda lines: [line for line in lines if not line.startswith(b'["",')])
    write(backup_file, without("blobs/instance/")(list(members(backup_file))))
    message = await refusal(instances.new(kind, key_of=source), backup_file)
    assert "branding.logo references instance/" in message


@KINDS
async def test_a_foreign_key_violation_is_refused(
    kind: str, source: Settings, instances: Instances, backup_file: Path
) -> None:
    with_table(backup_file, source, "orgs", lambda lines: [])
    target = instances.new(kind, key_of=source)
    result = await asyncio.to_thread(teamspace, "restore", str(backup_file), settings=environment(target))
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert "orgs" in result.stderr
    assert await is_untouched(target)


@KINDS
async def test_a_violated_invariant_is_restored_only_without_checks(
    kind: str, source: Settings, instances: Instances, backup_file: Path
) -> None:
    with_table(backup_file, source, "audit", lambda lines: lines[:1] + lines[2:])
    target = instances.new(kind, key_of=source)
    assert "audit.chain is violated" in await refusal(target, backup_file)
    await ops.restore(target, backup_file, check=False)
    assert list(await findings(target)) == ["audit.chain"]


async def test_a_truncated_audit_log_is_refused(source: Settings, instances: Instances, backup_file: Path) -> None:
    heads = {head.org_id: head.seq for head in read_manifest(backup_file).heads}

    def cut(lines: list[bytes]) -> list[bytes]:
        columns = next(entry for entry in read_manifest(backup_file).tables if entry.name == "audit").columns
        rows = [(msgspec.json.decode(line), line) for line in lines]
        seq, org = columns.index("seq"), columns.index("org_id")
        return [line for row, line in rows if row[seq] != heads[row[org]]]

    with_table(backup_file, source, "audit", cut)
    assert "the chain was truncated" in await refusal(instances.new("sqlite", key_of=source), backup_file)


# The schema


@KINDS
async def test_an_older_schema_is_migrated_with_its_rows(
    kind: str, instances: Instances, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship_migrations(monkeypatch, ODDITIES)
    old = instances.new("sqlite")
    async with open_world(old) as world:
        await fill(world)
        await add_oddities(world)
    await ops.backup(old, tmp_path / "old.tar")
    ship_migrations(monkeypatch, ODDITIES, LATER)
    target = instances.new(kind, key_of=old)
    await ops.restore(target, tmp_path / "old.tar")
    async with open_world(target) as world:
        assert await world.db.one(int, "SELECT doubled FROM oddities WHERE number = 21") == 42
        assert await world.db.one(int, "SELECT COUNT(*) FROM oddities") == 5
    assert await findings(target) == {}


@KINDS
async def test_a_newer_schema_is_refused(
    kind: str, instances: Instances, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = instances.new("sqlite")
    with monkeypatch.context() as patched:
        ship_migrations(patched, ODDITIES)
        await fill_instance(newer)
        await ops.backup(newer, tmp_path / "new.tar")
    message = await refusal(instances.new(kind, key_of=newer), tmp_path / "new.tar")
    assert message.startswith("the backup has schema 9001, this server knows ")


@KINDS
async def test_a_foreign_table_is_skipped_and_named(kind: str, instances: Instances, tmp_path: Path) -> None:
    origin = instances.new("sqlite")
    async with open_world(origin) as world:
        await fill(world)
        await world.db.engine.script("CREATE TABLE reports (id INTEGER PRIMARY KEY, at TEXT)")
        await world.db.engine.script("INSERT INTO reports VALUES (1, 'today')")
    await ops.backup(origin, tmp_path / "b.tar")
    target = instances.new(kind, key_of=origin)
    assert (await ops.restore(target, tmp_path / "b.tar")).endswith("skipped reports: not part of the schema")
    assert "reports" not in await content(target)


async def test_a_different_migration_history_is_refused(
    source: Settings, instances: Instances, backup_file: Path
) -> None:
    first, *rest = read_manifest(backup_file).migrations
    with_manifest(backup_file, source, migrations=(msgspec.structs.replace(first, digest="0" * 64), *rest))
    message = await refusal(instances.new("sqlite", key_of=source), backup_file)
    assert message == "0001_core.sql differs from the migration in the backup"


# The command


@KINDS
def test_the_commands_print_one_line(kind: str, source: Settings, instances: Instances, tmp_path: Path) -> None:
    backup = tmp_path / "b.tar"
    backed_up = teamspace("backup", str(backup), settings=environment(source))
    assert backed_up.returncode == 0
    assert backed_up.stdout.startswith(f"backed up to {backup}: ") and backed_up.stdout.count("\n") == 1
    target = instances.new(kind, key_of=source)
    restored = teamspace("restore", str(backup), settings=environment(target))
    assert (restored.returncode, restored.stderr) == (0, "")
    assert restored.stdout.startswith(f"restored {backup} of ") and restored.stdout.count("\n") == 1
    assert not [path for path in target.data.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    checked = teamspace("doctor", "--deep", settings=environment(target))
    assert checked.returncode == 0
    again = teamspace("restore", str(backup), settings=environment(target))
    assert (again.returncode, again.stdout, again.stderr.count("\n")) == (1, "", 1)
    assert os.listdir(tmp_path) == ["b.tar"]
