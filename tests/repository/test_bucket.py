"""The repository with its files in a bucket, from the first upload to a restore into a folder."""

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
from tests.repository.large import MIB, passed
from tests.support.bucket import KEY_ID, SECRET, objects
from tests.support.served import free_port, teamspace
from tests.support.world import Caller
from tests.support.world import world as opened

__all__ = ["hands"]

MAX_MEMORY = 200 * MIB


def in_bucket(bucket: tuple[str, str]) -> dict[str, str]:
    return {
        "SERVICE_BLOB_STORE": "s3", "SERVICE_S3_URL": bucket[0], "SERVICE_S3_BUCKET": bucket[1],
        "SERVICE_S3_KEY_ID": KEY_ID, "SERVICE_S3_SECRET": SECRET,
    }  # fmt: skip


@pytest.fixture
def place(settings: Settings, bucket: tuple[str, str], tmp_path: Path) -> Settings:
    return load({**environment(settings), **in_bucket(bucket), "SERVICE_SQLITE_SYNC": "normal"}, file=tmp_path / "none")


async def test_what_is_uploaded_is_there_in_parts_and_gone_when_it_is_deleted(place: Settings, hands: Hands) -> None:
    data, second = os.urandom(3 * MIB), os.urandom(20 * MIB)
    async with opened(place) as world:
        ann = await world.bootstrap()
        made = await put(ann, "plans/tower.bin", data)
        await put(ann, "plans/tower.bin", second)
        kept = await put(ann, "plans/other.bin", data)
        assert (await fetch(ann, made["id"])).content == second
        assert (await fetch(ann, made["id"], "?version=1")).content == data
        part = await fetch(ann, made["id"], range=f"bytes={MIB}-{2 * MIB}")
        assert (part.status_code, part.content) == (206, second[MIB : 2 * MIB + 1])
        assert {file.digest for file in world.app.files.list_files()} == {made["sha256"], kept["sha256"]} | {
            (await ann.get(f"/api/repo-obj/{made['id']}")).json()["sha256"]
        }

        assert (await ann.delete(f"/api/repo-obj/{made['id']}")).status_code == 204
        hands.forward(10 * 60)
        assert await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=300) == 1
        assert [file.digest for file in world.app.files.list_files()] == [kept["sha256"]]
        assert (await fetch(ann, kept["id"])).content == data


async def test_a_backup_of_a_bucket_is_restored_into_a_folder(
    place: Settings, bucket: tuple[str, str], tmp_path: Path
) -> None:
    data = os.urandom(3 * MIB)
    async with opened(place) as world:
        ann = await world.bootstrap()
        made = await put(ann, "plans/tower.bin", data)
        small = await put(ann, "plans/small.bin", data[: blobs.SMALL])
    examined = teamspace("doctor", "--deep", settings={**environment(place), **in_bucket(bucket)})
    assert examined.returncode == 0 and "BROKEN" not in examined.stdout, examined.stdout + examined.stderr
    assert SECRET not in examined.stdout + examined.stderr

    await ops.backup(place, tmp_path / "all.tar")
    there = load({"SERVICE_DATA": str(tmp_path / "there")}, file=tmp_path / "none")
    there.data.mkdir()
    (there.data / "secret.key").write_bytes((place.data / "secret.key").read_bytes())
    await ops.restore(there, tmp_path / "all.tar")
    assert list(files(there).values()) == [data]
    assert await findings(there) == {}
    async with opened(there) as world:
        ann = Caller(world, ann.token)
        assert (await fetch(ann, made["id"])).content == data
        assert (await fetch(ann, small["id"])).content == data[: blobs.SMALL]


async def test_the_doctor_finds_what_the_bucket_lost(place: Settings, bucket: tuple[str, str]) -> None:
    async with opened(place) as world:
        ann = await world.bootstrap()
        made = await put(ann, "plans/tower.bin", os.urandom(blobs.SMALL + 1))
    name = next(item["path"] for page in objects(*bucket).list() for item in page)
    objects(*bucket).put(name, b"something else")
    examined = teamspace("doctor", "--deep", settings={**environment(place), **in_bucket(bucket)})
    assert examined.returncode == 1
    assert f"damaged {ann.org.id}/{made['sha256']}" in examined.stdout
    objects(*bucket).delete(name)
    examined = teamspace("doctor", "--deep", settings={**environment(place), **in_bucket(bucket)})
    assert f"missing {ann.org.id}/{made['sha256']}" in examined.stdout


async def test_a_bucket_that_is_away_stops_large_files_and_nothing_else(
    place: Settings, bucket: tuple[str, str], tmp_path: Path
) -> None:
    async with opened(place) as world:
        made = await put(ann := await world.bootstrap(), "plans/tower.bin", os.urandom(blobs.SMALL + 1))
        small = await put(ann, "plans/small.bin", b"first")
    away = msgspec.structs.replace(place, s3_url=f"http://127.0.0.1:{free_port()}")
    async with opened(away) as world:
        ann = Caller(world, ann.token)
        read = await fetch(ann, made["id"])
        assert (read.status_code, read.json()["code"]) == (503, "overloaded")
        written = await send(ann, "plans/tower.bin", os.urandom(blobs.SMALL + 1))
        assert (written.status_code, written.json()["code"]) == (507, "storage_full")
        assert (await ann.get(f"/api/repo-obj/{made['id']}")).json()["version"] == 1
        assert (await ann.post("/api/notes", {"title": "It goes on"})).status_code == 201
        assert (await put(ann, "plans/small.bin", b"second"))["version"] == 2
        assert (await fetch(ann, small["id"])).content == b"second"
        with pytest.raises(Overloaded):
            await blobs.collect(world.db, world.app.files, wiring.BLOB_COLUMNS, retention=300)
        assert os.listdir(world.app.files.staging_folder) == []


def test_memory_does_not_grow_with_a_file(bucket: tuple[str, str], tmp_path: Path) -> None:
    given = {"SERVICE_DATA": str(tmp_path / "data"), "SERVICE_SQLITE_SYNC": "normal", **in_bucket(bucket)}
    passage, most = passed(given, 256)
    assert passage.came.digest() == passage.sent.digest()
    assert most < MAX_MEMORY
