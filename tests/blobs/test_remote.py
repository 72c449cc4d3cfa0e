"""A misconfigured or unreachable bucket: clear errors and log lines, without secrets."""

import asyncio
import hashlib
import os
from pathlib import Path

import pytest

from teamspace import blobs, wiring
from teamspace.blobs import BucketStore, FolderStore
from teamspace.blobs.domain.remote import BucketAddress
from teamspace.core.errors import Overloaded, StorageFull
from teamspace.settings import SETTINGS, SettingsError, load
from tests.support.bucket import KEY_ID, SECRET, objects
from tests.support.served import HOST, free_port, teamspace

DATA = b"some bytes of a company"
NAME = hashlib.sha256(DATA).hexdigest()


def open_bucket(bucket: tuple[str, str], root: Path, key_id: str = KEY_ID, secret: str = SECRET) -> BucketStore:
    return BucketStore(BucketAddress(*bucket, "us-east-1", key_id, secret), root)


async def put(files: BucketStore) -> None:
    async with blobs.stage(files, blobs.as_stream(DATA)) as staged:
        await files.put("", staged.digest, staged.path)


async def get(files: BucketStore) -> bytes:
    return b"".join([chunk async for chunk in files.get("", NAME)])


async def refusals(files: BucketStore) -> list[str]:
    """The messages of every operation on a bucket, all refused."""
    messages = []
    with pytest.raises(StorageFull) as refusal:
        await put(files)
    messages.append(str(refusal.value))
    for operation in (get(files), files.stat("", NAME), files.delete("", NAME)):
        with pytest.raises(Overloaded) as unavailable:
            await operation
        messages.append(str(unavailable.value))
    for listing in (lambda: list(files.list_files()), files.check):
        with pytest.raises(Overloaded) as unavailable:
            listing()
        messages.append(str(unavailable.value))
    return messages


async def test_a_wrong_secret_is_reported_without_showing_it(
    bucket: tuple[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    files = open_bucket(bucket, tmp_path / "blobs", secret="another-secret")
    messages = await refusals(files)
    assert messages[-1] == f"the bucket {'/'.join(bucket)} cannot be used: 403 SignatureDoesNotMatch"
    assert "403 SignatureDoesNotMatch" in caplog.text
    for secret in (KEY_ID, SECRET, "another-secret"):
        assert secret not in " ".join(messages) + caplog.text + repr(vars(files))
    assert os.listdir(files.staging_folder) == [], "a staged file that was not stored is removed"


async def test_an_unreachable_bucket_fails_fast(tmp_path: Path) -> None:
    files = open_bucket((f"http://{HOST}:{free_port()}", "somewhere"), tmp_path / "blobs")
    async with asyncio.timeout(60):
        messages = await refusals(files)
    assert "cannot be used" in messages[-1]


def test_a_missing_bucket_stops_the_start(buckets_url: str, tmp_path: Path) -> None:
    environment = {
        "SERVICE_DATA": str(tmp_path / "data"), "SERVICE_PORT": str(free_port()), "SERVICE_BLOB_STORE": "s3",
        "SERVICE_S3_URL": buckets_url, "SERVICE_S3_BUCKET": "nowhere", "SERVICE_S3_KEY_ID": KEY_ID,
        "SERVICE_S3_SECRET": SECRET,
    }  # fmt: skip
    result = teamspace("serve", settings=environment)
    assert result.returncode == 1
    assert result.stderr == f"teamspace: the bucket {buckets_url}/nowhere cannot be used: 404 NoSuchBucket\n"


async def test_aws_environment_variables_are_ignored(
    bucket: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SESSION_TOKEN", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "REGION", "ENDPOINT", "SKIP_SIGNATURE"):
        monkeypatch.setenv(f"AWS_{name}", "true")
    files = open_bucket(bucket, tmp_path / "blobs")
    await put(files)
    assert await get(files) == DATA


async def test_foreign_objects_in_the_bucket_are_ignored(bucket: tuple[str, str], tmp_path: Path) -> None:
    files = open_bucket(bucket, tmp_path / "blobs")
    await put(files)
    for name in ("a picture.png", f"org/{NAME}", f"org/aa/bb/{NAME}", f"{NAME[:2]}/{NAME[2:4]}/{NAME}"):
        objects(*bucket).put(name, b"somebody else's")
    assert [(file.org_id, file.digest) for file in files.list_files()] == [("", NAME)]


def test_the_settings_choose_the_store(tmp_path: Path) -> None:
    bucket = {
        "SERVICE_S3_URL": "https://s3.example/", "SERVICE_S3_BUCKET": "files", "SERVICE_S3_KEY_ID": "id",
        "SERVICE_S3_SECRET": "secret",
    }  # fmt: skip
    environment = {"SERVICE_DATA": str(tmp_path), **bucket}
    assert isinstance(wiring.open_store(load(environment, file=tmp_path / "none")), FolderStore)
    store = wiring.open_store(load({**environment, "SERVICE_BLOB_STORE": "s3"}, file=tmp_path / "none"))
    with pytest.raises(SettingsError, match="SERVICE_BLOB_STORE: must be one of s3, rs3"):
        wiring.open_store(load({**environment, "SERVICE_BLOB_STORE": "tape"}, file=tmp_path / "none"))
    assert isinstance(store, BucketStore)
    assert store.staging_folder == tmp_path / "blobs" / "tmp"
    assert not [row for row in SETTINGS if "SECRET" in row.name and row.default]
