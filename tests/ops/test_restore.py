"""A restore refuses in one line whatever it cannot make whole, and leaves the place as it was."""

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
    Places,
    add_oddities,
    at,
    content,
    environment,
    files,
    fill,
    filled,
    findings,
    is_untouched,
    know,
    members,
    read_manifest,
    with_manifest,
    with_table,
    write,
)
from tests.support.served import Served, teamspace
from tests.support.world import world as opened

KINDS = pytest.mark.parametrize("kind", ["sqlite", "postgres"])


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An instance to restore from; nobody changes it."""
    settings = at(tmp_path_factory.mktemp("source") / "data")
    asyncio.run(filled(settings))
    asyncio.run(ops.backup(settings, settings.data / "backup.tar"))
    return settings


@pytest.fixture
def backup_file(source: Settings, tmp_path: Path) -> Path:
    """A backup to do with as a test likes."""
    return Path(shutil.copy(source.data / "backup.tar", tmp_path))


async def refusal(place: Settings, backup_file: Path) -> str:
    """Why it is not restored; the place is as before."""
    with pytest.raises(OpsError) as refused:
        await ops.restore(place, backup_file)
    assert await is_untouched(place)
    return str(refused.value)


# The place


@KINDS
async def test_an_instance_whose_restore_was_cut_off_does_not_start_as_an_empty_one(
    kind: str, source: Settings, places: Places
) -> None:
    place, backup_file = places.new(kind, key_of=source), str(source.data / "backup.tar")
    killed = (
        "import os, signal, sys; from teamspace import cli, ops;"
        "sys.modules['teamspace.ops.restore']._put_blobs = lambda *_: os.kill(os.getpid(), signal.SIGKILL); cli.main()"
    )
    command = [sys.executable, "-c", killed, "restore", backup_file]
    ended = await asyncio.to_thread(subprocess.run, command, env={**os.environ, **environment(place)}, check=False)
    assert ended.returncode == -signal.SIGKILL
    with pytest.raises(StartError, match="interrupted"):
        await run_migrations(place)
    refused = await asyncio.to_thread(teamspace, "serve", settings=environment(place))
    assert "run `teamspace restore` again, or remove" in refused.stderr
    await ops.restore(place, Path(backup_file))
    assert await content(place) == await content(source)
    await run_migrations(place)


async def test_a_restore_that_was_cut_off_after_its_end_is_a_whole_one(source: Settings, places: Places) -> None:
    place = places.new("postgres", key_of=source)
    await ops.restore(place, source.data / "backup.tar")
    restore_marker(place).touch()
    await run_migrations(place)
    assert not restore_marker(place).exists()


@KINDS
async def test_a_place_that_holds_something(kind: str, source: Settings, places: Places, backup_file: Path) -> None:
    place = places.new(kind, key_of=source)
    await ops.restore(place, backup_file)
    before = await content(place)
    with pytest.raises(OpsError, match="is not empty"):
        await ops.restore(place, backup_file)
    assert await content(place) == before


@KINDS
async def test_even_an_empty_schema_is_something(
    kind: str, source: Settings, places: Places, backup_file: Path
) -> None:
    place = places.new(kind, key_of=source)
    await run_migrations(place)
    before = await content(place)
    with pytest.raises(OpsError, match="is not empty"):
        await ops.restore(place, backup_file)
    assert await content(place) == before


async def test_a_log_without_its_database(source: Settings, places: Places, backup_file: Path) -> None:
    place = places.new("sqlite", key_of=source)
    log = place.data / "teamspace.sqlite-wal"
    log.write_bytes(b"what a database that is gone had still to take over")
    with pytest.raises(OpsError, match=r"teamspace\.sqlite-wal is not empty"):
        await ops.restore(place, backup_file)
    assert log.stat().st_size


@KINDS
def test_a_place_that_a_server_uses(kind: str, source: Settings, places: Places, backup_file: Path) -> None:
    place = places.new(kind, key_of=source)
    with Served(environment(place)):
        ended = teamspace("restore", str(backup_file), settings=environment(place))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "another server" in ended.stderr or "a server or another command" in ended.stderr
    assert ended.stderr.count("\n") == 1


@KINDS
async def test_leftovers_of_one_that_died_are_cleaned(
    kind: str, source: Settings, places: Places, backup_file: Path
) -> None:
    place = places.new(kind, key_of=source)
    for name in ("", "-wal", "-shm", "-journal"):
        (place.data / f"teamspace.sqlite.restoring{name}").write_bytes(b"half a database" * 1000)
    (place.data / "blobs" / "tmp").mkdir(parents=True)
    await ops.restore(place, backup_file)
    assert await content(place) == await content(source)
    left = {path.name for path in place.data.glob("teamspace.sqlite*")}
    assert left == {"teamspace.sqlite"} if kind == "sqlite" else left


async def test_a_damaged_blob_of_before_is_mended(source: Settings, places: Places, backup_file: Path) -> None:
    place = places.new("sqlite", key_of=source)
    shutil.copytree(source.data / "blobs", place.data / "blobs")
    (victim,) = [path for path in (place.data / "blobs").rglob("*") if path.is_file() and path.read_bytes() == LOGO]
    victim.write_bytes(b"?" * len(LOGO))
    await ops.restore(place, backup_file)
    assert files(place) == files(source)


# The key


@KINDS
async def test_a_missing_key(kind: str, places: Places, backup_file: Path) -> None:
    place = places.new(kind)
    said = await refusal(place, backup_file)
    assert f"put secret.key in {place.data}, or set SERVICE_SECRET_KEY; the key is not in the backup" in said
    assert not place.data.exists()


@KINDS
async def test_a_wrong_key(kind: str, places: Places, backup_file: Path) -> None:
    place = places.new(kind)
    place.data.mkdir()
    (place.data / "secret.key").write_text(new_key().hex())
    assert "does not belong to the backup" in await refusal(place, backup_file)
    place = msgspec.structs.replace(place, secret_key=new_key().hex())
    assert "does not belong to the backup" in await refusal(place, backup_file)


# The file


async def test_a_file_that_is_not_there(source: Settings, places: Places, tmp_path: Path) -> None:
    place = places.new("sqlite", key_of=source)
    with pytest.raises(FileNotFoundError):
        await ops.restore(place, tmp_path / "none.tar")
    assert await is_untouched(place)


@pytest.mark.parametrize("data", [b"", b"no tar at all" * 200, b"\x00" * 10_240])
async def test_a_file_that_is_no_backup(source: Settings, places: Places, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "odd.tar").write_bytes(data)
    assert "is not a backup" in await refusal(places.new("sqlite", key_of=source), tmp_path / "odd.tar")


async def test_a_tar_of_something_else(source: Settings, places: Places, tmp_path: Path) -> None:
    backup = write(tmp_path / "odd.tar", [("holiday.jpg", b"...")])
    assert "manifest.json is missing" in await refusal(places.new("sqlite", key_of=source), backup)


async def test_a_manifest_too_large_for_memory_is_refused_unread(
    source: Settings, places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("teamspace.ops.archive._MAX_MANIFEST_BYTES", 1000)
    backup = write(tmp_path / "odd.tar", [("manifest.json", b" " * 1001)])
    assert "manifest.json is too large" in await refusal(places.new("sqlite", key_of=source), backup)


async def test_an_unknown_format(source: Settings, places: Places, backup_file: Path) -> None:
    with_manifest(backup_file, source, format=2)
    said = await refusal(places.new("sqlite", key_of=source), backup_file)
    assert said == "the backup has format 2, this server knows 1"


async def test_a_manifest_that_was_changed(source: Settings, places: Places, backup_file: Path) -> None:
    changed = [
        (name, data.replace(b'"sqlite"', b'"sqlito"') if name == "manifest.json" else data)
        for name, data in members(backup_file)
    ]
    assert "manifest is damaged" in await refusal(places.new("sqlite", key_of=source), write(backup_file, changed))


async def test_an_edited_archive_whose_digests_agree_is_refused(
    source: Settings, places: Places, backup_file: Path, tmp_path: Path
) -> None:
    stranger = at(tmp_path / "stranger")
    stranger.data.mkdir()
    with_table(backup_file, stranger, "users", lambda lines: lines[:1])
    said = await refusal(places.new("sqlite", key_of=source), backup_file)
    assert said == "the backup was modified: its manifest is not signed with the secret key"
    unsigned = [
        (name, msgspec.json.encode(msgspec.json.decode(data) | {"mac": ""}) if name == "manifest.json" else data)
        for name, data in members(backup_file)
    ]
    assert "not signed" in await refusal(places.new("sqlite", key_of=source), write(backup_file, unsigned))


OUTSIDE = ("../../..", "..", "/tmp/outside", "a/b", "a\\b", ".", "a\n", "x" * 65)


@KINDS
@pytest.mark.parametrize("escaping", ["org_id", "digest"])
async def test_a_row_of_blobs_that_leads_out_of_the_folder_is_refused_even_if_it_is_signed(
    kind: str, escaping: str, source: Settings, places: Places, backup_file: Path
) -> None:
    place = places.new(kind, key_of=source)
    columns = read_manifest(backup_file).table("blobs").columns
    whole = list(members(backup_file))
    for name in OUTSIDE:

        def changed(lines: list[bytes], name: str = name) -> list[bytes]:
            row = msgspec.json.decode(lines[-1])
            row[columns.index(escaping)] = name
            return [*lines[:-1], msgspec.json.encode(row) + b"\n"]

        with_table(write(backup_file, whole), source, "blobs", changed)
        assert "a row of blobs has an invalid company or digest" in await refusal(place, backup_file)
    assert not [path for path in place.data.parent.iterdir() if path.name not in (place.data.name, backup_file.name)]


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
async def test_members_that_are_not_as_they_were_written(
    source: Settings, places: Places, backup_file: Path, change: Callable[..., list[tuple[str, bytes]]]
) -> None:
    write(backup_file, change(list(members(backup_file))))
    said = await refusal(places.new("sqlite", key_of=source), backup_file)
    assert "damaged" in said


def cut_short(backup_file: Path) -> Iterator[int]:
    whole = backup_file.read_bytes()
    end = len(whole.rstrip(b"\x00"))  # what follows is what a tar is filled up with
    for length in (*range(0, end, 4999), end - 1):
        backup_file.write_bytes(whole[:length])
        yield length


async def test_a_file_cut_short_anywhere(source: Settings, places: Places, backup_file: Path) -> None:
    place = places.new("sqlite", key_of=source)
    for _ in cut_short(backup_file):
        await refusal(place, backup_file)


def with_a_wrong_bit(backup_file: Path, count: int) -> Iterator[int]:
    whole, dice = backup_file.read_bytes(), random.Random(7)
    for _ in range(count):
        damaged, where = bytearray(whole), dice.randrange(len(whole))
        damaged[where] ^= 1 << dice.randrange(8)
        backup_file.write_bytes(damaged)
        yield where


async def test_a_single_wrong_bit_is_refused_or_does_no_harm(
    source: Settings, places: Places, backup_file: Path
) -> None:
    expected, refused = (await content(source), files(source)), 0
    place = places.new("sqlite", key_of=source)
    for _ in with_a_wrong_bit(backup_file, 250):
        try:
            await ops.restore(place, backup_file)
        except OpsError:
            refused += 1
            assert await is_untouched(place)
            continue
        # It was between two members, or in a part of a header that says nothing.
        assert (await content(place), files(place)) == expected
        place = places.new("sqlite", key_of=source)
    assert refused > 50


# The content


@KINDS
async def test_a_blob_that_a_row_names_and_no_row_lists(
    kind: str, source: Settings, places: Places, backup_file: Path
) -> None:
    with_table(backup_file, source, "blobs", lambda lines: [line for line in lines if not line.startswith(b'["",')])
    write(backup_file, without("blobs/instance/")(list(members(backup_file))))
    said = await refusal(places.new(kind, key_of=source), backup_file)
    assert "branding.logo references instance/" in said


@KINDS
async def test_a_row_that_names_a_missing_one(kind: str, source: Settings, places: Places, backup_file: Path) -> None:
    with_table(backup_file, source, "orgs", lambda lines: [])
    place = places.new(kind, key_of=source)
    ended = await asyncio.to_thread(teamspace, "restore", str(backup_file), settings=environment(place))
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert "orgs" in ended.stderr
    assert await is_untouched(place)


@KINDS
async def test_a_broken_promise_is_restored_only_on_demand(
    kind: str, source: Settings, places: Places, backup_file: Path
) -> None:
    with_table(backup_file, source, "audit", lambda lines: lines[:1] + lines[2:])
    place = places.new(kind, key_of=source)
    assert "audit.chain is violated" in await refusal(place, backup_file)
    await ops.restore(place, backup_file, check=False)
    assert list(await findings(place)) == ["audit.chain"]


async def test_a_trail_whose_end_was_cut_off(source: Settings, places: Places, backup_file: Path) -> None:
    heads = {head.org_id: head.seq for head in read_manifest(backup_file).heads}

    def cut(lines: list[bytes]) -> list[bytes]:
        columns = next(entry for entry in read_manifest(backup_file).tables if entry.name == "audit").columns
        rows = [(msgspec.json.decode(line), line) for line in lines]
        place, org = columns.index("seq"), columns.index("org_id")
        return [line for row, line in rows if row[place] != heads[row[org]]]

    with_table(backup_file, source, "audit", cut)
    assert "the chain was truncated" in await refusal(places.new("sqlite", key_of=source), backup_file)


# The schema


@KINDS
async def test_an_older_schema_is_migrated_with_its_rows(
    kind: str, places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    know(monkeypatch, ODDITIES)
    old = places.new("sqlite")
    async with opened(old) as world:
        await fill(world)
        await add_oddities(world)
    await ops.backup(old, tmp_path / "old.tar")
    know(monkeypatch, ODDITIES, LATER)
    place = places.new(kind, key_of=old)
    await ops.restore(place, tmp_path / "old.tar")
    async with opened(place) as world:
        assert await world.db.one(int, "SELECT doubled FROM oddities WHERE number = 21") == 42
        assert await world.db.one(int, "SELECT COUNT(*) FROM oddities") == 5
    assert await findings(place) == {}


@KINDS
async def test_a_newer_schema(kind: str, places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = places.new("sqlite")
    with monkeypatch.context() as patched:
        know(patched, ODDITIES)
        await filled(newer)
        await ops.backup(newer, tmp_path / "new.tar")
    said = await refusal(places.new(kind, key_of=newer), tmp_path / "new.tar")
    assert said.startswith("the backup has schema 9001, this server knows ")


@KINDS
async def test_a_table_of_somebody_else_is_left_out_and_named(kind: str, places: Places, tmp_path: Path) -> None:
    place = places.new("sqlite")
    async with opened(place) as world:
        await fill(world)
        await world.db.engine.script("CREATE TABLE reports (id INTEGER PRIMARY KEY, at TEXT)")
        await world.db.engine.script("INSERT INTO reports VALUES (1, 'today')")
    await ops.backup(place, tmp_path / "b.tar")
    target = places.new(kind, key_of=place)
    assert (await ops.restore(target, tmp_path / "b.tar")).endswith("skipped reports: not part of the schema")
    assert "reports" not in await content(target)


async def test_another_history_of_the_schema(source: Settings, places: Places, backup_file: Path) -> None:
    first, *rest = read_manifest(backup_file).migrations
    with_manifest(backup_file, source, migrations=(msgspec.structs.replace(first, digest="0" * 64), *rest))
    said = await refusal(places.new("sqlite", key_of=source), backup_file)
    assert said == "0001_core.sql differs from the migration in the backup"


# The command


@KINDS
def test_the_commands_say_one_line(kind: str, source: Settings, places: Places, tmp_path: Path) -> None:
    backup = tmp_path / "b.tar"
    made = teamspace("backup", str(backup), settings=environment(source))
    assert made.returncode == 0
    assert made.stdout.startswith(f"backed up to {backup}: ") and made.stdout.count("\n") == 1
    place = places.new(kind, key_of=source)
    done = teamspace("restore", str(backup), settings=environment(place))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"restored {backup} of ") and done.stdout.count("\n") == 1
    assert not [path for path in place.data.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    examined = teamspace("doctor", "--deep", settings=environment(place))
    assert examined.returncode == 0
    again = teamspace("restore", str(backup), settings=environment(place))
    assert (again.returncode, again.stdout, again.stderr.count("\n")) == (1, "", 1)
    assert os.listdir(tmp_path) == ["b.tar"]
