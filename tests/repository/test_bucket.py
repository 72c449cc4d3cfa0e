"""The repository with its blobs in a bucket: uploads, backup and restore, faults."""

import os
from pathlib import Path

import msgspec
import pytest

from teamspace import blobs, ops, wiring
from teamspace.core.errors import Overloaded
from teamspace.settings import Settings, load
from tests.identity.help import Hands, hands
from tests.ops.help import environment, files, findings
from tests.repository.help import fetch, put, send
from tests.repository.large import MIB, run_transfer
from tests.support.bucket import KEY_ID, SECRET, objects
from tests.support.served import free_port, teamspace
from tests.support.world import Caller
from tests.support.world import world as open_world

__all__ = ["hands"]

MAX_MEMORY = 200 * MIB


def bucket_environment(bucket: tuple[str, str]) -> dict[str, str]:
    return {
        "SERVICE_BLOB_STORE": "s3", "SERVICE_S3_URL": bucket[0], "SERVICE_S3_BUCKET": bucket[1],
        "SERVICE_S3_KEY_ID": KEY_ID, "SERVICE_S3_SECRET": SECRET,
    }  # fmt: skip


@pytest.fixture
def bucket_settings(settings: Settings, bucket: tuple[str, str], tmp_path: Path) -> Settings:
    return load(
        {**environment(settings), **bucket_environment(bucket), "SERVICE_SQLITE_SYNC": "normal"}, file=tmp_path / "none"
    )


async def test_uploads_are_read_in_parts_and_collected_after_deletion(bucket_settings: Settings, hands: Hands) -> None:
    data, second = os.urandom(3 * MIB), os.urandom(20 * MIB)
    async with open_world(bucket_settings) as world:
        ann = await world.bootstrap()
        created = await put(ann, "plans/tower.bin", data)
        await put(ann, "plans/tower.bin", second)
        other = await put(ann, "plans/other.bin", data)
        assert (await fetch(ann, created["id"])).content == second
        assert (await fetch(ann, created["id"], "?version=1")).content == data
        part = await fetch(ann, created["id"], range=f"bytes={MIB}-{2 * MIB}")
        assert (part.status_code, part.content) == (206, second[MIB : 2 * MIB + 1])
        assert {file.digest for file in world.app.files.list_files()} == {created["sha256"], other["sha256"]} | {
            (await ann.get(f"/api/repo-obj/{created['id']}")).json()["sha256"]
        }

        assert (await ann.delete_for_good(f"/api/repo-obj/{created['id']}")).status_code == 204
        hands.forward(10 * 60)
        assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=300) == 1
        assert [file.digest for file in world.app.files.list_files()] == [other["sha256"]]
        assert (await fetch(ann, other["id"])).content == data


async def test_a_backup_of_a_bucket_is_restored_into_a_folder(
    bucket_settings: Settings, bucket: tuple[str, str], tmp_path: Path
) -> None:
    data = os.urandom(3 * MIB)
    async with open_world(bucket_settings) as world:
        ann = await world.bootstrap()
        created = await put(ann, "plans/tower.bin", data)
        small = await put(ann, "plans/small.bin", data[: blobs.SMALL])
    doctor = teamspace("doctor", "--deep", settings={**environment(bucket_settings), **bucket_environment(bucket)})
    assert doctor.returncode == 0 and "BROKEN" not in doctor.stdout, doctor.stdout + doctor.stderr
    assert SECRET not in doctor.stdout + doctor.stderr

    await ops.backup(bucket_settings, tmp_path / "all.tar")
    restored = load({"SERVICE_DATA": str(tmp_path / "there")}, file=tmp_path / "none")
    restored.data.mkdir()
    (restored.data / "secret.key").write_bytes((bucket_settings.data / "secret.key").read_bytes())
    await ops.restore(restored, tmp_path / "all.tar")
    assert list(files(restored).values()) == [data]
    assert await findings(restored) == {}
    async with open_world(restored) as world:
        ann = Caller(world, ann.token)
        assert (await fetch(ann, created["id"])).content == data
        assert (await fetch(ann, small["id"])).content == data[: blobs.SMALL]


async def test_the_doctor_finds_damaged_and_missing_blobs(bucket_settings: Settings, bucket: tuple[str, str]) -> None:
    async with open_world(bucket_settings) as world:
        ann = await world.bootstrap()
        created = await put(ann, "plans/tower.bin", os.urandom(blobs.SMALL + 1))
    name = next(item["path"] for page in objects(*bucket).list() for item in page)
    objects(*bucket).put(name, b"something else")
    doctor = teamspace("doctor", "--deep", settings={**environment(bucket_settings), **bucket_environment(bucket)})
    assert doctor.returncode == 1
    assert f"damaged {ann.org.id}/{created['sha256']}" in doctor.stdout
    objects(*bucket).delete(name)
    doctor = teamspace("doctor", "--deep", settings={**environment(bucket_settings), **bucket_environment(bucket)})
    assert f"missing {ann.org.id}/{created['sha256']}" in doctor.stdout


async def test_an_unreachable_bucket_affects_only_files(
    bucket_settings: Settings, bucket: tuple[str, str], tmp_path: Path
) -> None:
    async with open_world(bucket_settings) as world:
        created = await put(ann := await world.bootstrap(), "plans/tower.bin", os.urandom(blobs.SMALL + 1))
        small = await put(ann, "plans/small.bin", b"first")
        assert {file.digest for file in world.app.files.list_files()} == {created["sha256"], small["sha256"]}
    unreachable = msgspec.structs.replace(bucket_settings, s3_url=f"http://127.0.0.1:{free_port()}")
    async with open_world(unreachable) as world:
        ann = Caller(world, ann.token)
        for each, key, data in (
            (created, "plans/tower.bin", os.urandom(blobs.SMALL + 1)),
            (small, "plans/small.bin", b"second"),
        ):
            read = await fetch(ann, each["id"])
            assert (read.status_code, read.json()["code"]) == (503, "overloaded")
            written = await send(ann, key, data)
            assert (written.status_code, written.json()["code"]) == (507, "storage_full")
        assert (await ann.get(f"/api/repo-obj/{created['id']}")).json()["version"] == 1
        assert (await ann.post("/api/notes", {"title": "It goes on"})).status_code == 201
        with pytest.raises(Overloaded):
            await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=300)
        assert os.listdir(world.app.files.staging_folder) == []


def test_memory_does_not_grow_with_file_size(bucket: tuple[str, str], tmp_path: Path) -> None:
    settings = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_SQLITE_SYNC": "normal", **bucket_environment(bucket)}
    transfer, peak = run_transfer(settings, 256)
    assert transfer.received.digest() == transfer.sent.digest()
    assert peak < MAX_MEMORY
