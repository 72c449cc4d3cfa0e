"""A bucket that is not as it should be: refused in words, told to the operator, and no secret in either."""

import asyncio
import hashlib
import os
from pathlib import Path

import pytest

from teamspace import blobs
from teamspace.blobs import BucketStore, FolderStore
from teamspace.blobs.domain.remote import BucketAddress
from teamspace.core.errors import Overloaded, StorageFull
from teamspace.settings import SETTINGS, load
from tests.support.bucket import KEY_ID, SECRET, objects
from tests.support.served import HOST, free_port, teamspace

DATA = b"some bytes of a company"
NAME = hashlib.sha256(DATA).hexdigest()


def opened(bucket: tuple[str, str], root: Path, key_id: str = KEY_ID, secret: str = SECRET) -> BucketStore:
    return BucketStore(BucketAddress(*bucket, "us-east-1", key_id, secret), root)


async def put(files: BucketStore) -> None:
    async with blobs.stage(files, blobs.as_stream(DATA), small=0) as draft:
        await files.put("", draft.digest, draft.path)


async def got(files: BucketStore) -> bytes:
    return b"".join([chunk async for chunk in files.get("", NAME)])


async def refusals(files: BucketStore) -> list[str]:
    """Of everything that can be asked of a bucket."""
    said = []
    with pytest.raises(StorageFull) as refusal:
        await put(files)
    said.append(str(refusal.value))
    for asked in (got(files), files.stat("", NAME), files.delete("", NAME)):
        with pytest.raises(Overloaded) as away:
            await asked
        said.append(str(away.value))
    for look in (lambda: list(files.list_files()), files.check):
        with pytest.raises(Overloaded) as away:
            look()
        said.append(str(away.value))
    return said


async def test_a_wrong_secret_is_told_and_not_shown(
    bucket: tuple[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = opened(bucket, tmp_path / "blobs", secret="another-secret")
    said = await refusals(files)
    assert said[-1] == f"the bucket {'/'.join(bucket)} cannot be used: 403 SignatureDoesNotMatch"
    assert "403 SignatureDoesNotMatch" in caplog.text
    for secret in (KEY_ID, SECRET, "another-secret"):
        assert secret not in " ".join(said) + caplog.text + repr(vars(files))
    assert os.listdir(files.staging_folder) == [], "a draft that was not taken is gone"


async def test_an_address_where_nobody_is_keeps_nobody_waiting(tmp_path: Path) -> None:
    files = opened((f"http://{HOST}:{free_port()}", "somewhere"), tmp_path / "blobs")
    async with asyncio.timeout(60):
        said = await refusals(files)
    assert "cannot be used" in said[-1]


def test_a_bucket_that_is_not_there_stops_the_start(buckets_url: str, tmp_path: Path) -> None:
    given = {
        "SERVICE_DATA": str(tmp_path / "data"), "SERVICE_PORT": str(free_port()), "SERVICE_BLOB_STORE": "s3",
        "SERVICE_S3_URL": buckets_url, "SERVICE_S3_BUCKET": "nowhere", "SERVICE_S3_KEY_ID": KEY_ID,
        "SERVICE_S3_SECRET": SECRET,
    }  # fmt: skip
    ended = teamspace("serve", settings=given)
    assert ended.returncode == 1
    assert ended.stderr == f"teamspace: the bucket {buckets_url}/nowhere cannot be used: 404 NoSuchBucket\n"


async def test_what_the_environment_tells_other_programs_does_not_matter(
    bucket: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SESSION_TOKEN", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "REGION", "ENDPOINT", "SKIP_SIGNATURE"):
        monkeypatch.setenv(f"AWS_{name}", "true")
    files = opened(bucket, tmp_path / "blobs")
    await put(files)
    assert await got(files) == DATA


async def test_what_else_lies_in_the_bucket_is_passed_over(bucket: tuple[str, str], tmp_path: Path) -> None:
    files = opened(bucket, tmp_path / "blobs")
    await put(files)
    for name in ("a picture.png", f"org/{NAME}", f"org/aa/bb/{NAME}", f"{NAME[:2]}/{NAME[2:4]}/{NAME}"):
        objects(*bucket).put(name, b"somebody else's")
    assert [(file.org_id, file.digest) for file in files.list_files()] == [("", NAME)]


def test_the_settings_say_which_store(tmp_path: Path) -> None:
    bucket = {
        "SERVICE_S3_URL": "https://s3.example/", "SERVICE_S3_BUCKET": "files", "SERVICE_S3_KEY_ID": "id",
        "SERVICE_S3_SECRET": "secret",
    }  # fmt: skip
    given = {"SERVICE_DATA": str(tmp_path), **bucket}
    assert isinstance(blobs.open_store(load(given, file=tmp_path / "none")), FolderStore)
    store = blobs.open_store(load({**given, "SERVICE_BLOB_STORE": "s3"}, file=tmp_path / "none"))
    assert isinstance(store, BucketStore)
    assert store.staging_folder == tmp_path / "blobs" / "tmp"
    assert not [row for row in SETTINGS if "SECRET" in row.name and row.default]
