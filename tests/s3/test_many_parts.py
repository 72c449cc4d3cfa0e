"""Uploads with as many parts as there can be: no request about them blocks the event loop."""

import hashlib

import pytest

from tests.cost.help import LIMIT, longest_step
from tests.s3.in_process import InProcessBucket
from tests.support.rows import NUMBERS, insert
from tests.support.world import World

MANY = 10_000
MD5 = hashlib.md5(b"a").hexdigest()
PARTS = (
    f"INSERT INTO blobs (org_id, digest, size, blocks) {NUMBERS} SELECT :org, 'b' || CAST(n AS TEXT), 1, :blocks FROM numbers",
    "INSERT INTO object_upload_parts (upload_id, number, org_id, size, blob, md5, created_at)"
    f" {NUMBERS} SELECT :upload, n, :org, {5 * 1024 * 1024}, 'b' || CAST(n AS TEXT), '{MD5}', '' FROM numbers",
)


async def upload(world: World) -> tuple[InProcessBucket, str]:
    """Return the bucket and the id of an upload that has all its parts."""
    ann = await world.bootstrap()
    bucket = await InProcessBucket.of(ann)
    started = (await bucket("POST", "file", "uploads=")).text
    (upload_id,) = await world.db.all(str, "SELECT id FROM object_uploads")
    await insert(world, PARTS, {"org": ann.org.id, "upload": upload_id, "first": 1, "last": MANY, "blocks": b""})
    return bucket, started.partition("<UploadId>")[2].partition("</UploadId>")[0]


def completion(parts: int) -> bytes:
    listed = (f"<Part><PartNumber>{n}</PartNumber><ETag>{MD5}</ETag></Part>" for n in range(1, parts + 1))
    return f"<CompleteMultipartUpload>{''.join(listed)}</CompleteMultipartUpload>".encode()


@pytest.mark.parametrize("parts", [1, MANY])
async def test_completing_does_not_block_the_loop(world: World, parts: int) -> None:
    bucket, upload_id = await upload(world)
    seconds, _ = await longest_step(bucket("POST", "file", f"uploadId={upload_id}", completion(parts)))
    assert seconds < LIMIT
    assert await world.db.one(int, "SELECT COUNT(*) FROM object_parts") == parts
    assert await world.db.one(int, "SELECT COUNT(*) FROM blobs WHERE collect_at IS NOT NULL") == MANY - parts
    assert await world.db.one(int, "SELECT COUNT(*) FROM object_upload_parts") == 0

    (version_id,) = await world.db.all(str, "SELECT id FROM object_versions")
    seconds, _ = await longest_step(bucket("DELETE", "file", f"versionId={version_id}"))
    assert seconds < LIMIT
    assert await world.db.one(int, "SELECT COUNT(*) FROM object_parts") == 0
    assert await world.db.one(int, "SELECT COUNT(*) FROM blobs WHERE collect_at IS NOT NULL") == MANY


async def test_aborting_does_not_block_the_loop(world: World) -> None:
    bucket, upload_id = await upload(world)
    seconds, _ = await longest_step(bucket("DELETE", "file", f"uploadId={upload_id}"))
    assert seconds < LIMIT
    assert await world.db.one(int, "SELECT COUNT(*) FROM object_upload_parts") == 0
    assert await world.db.one(int, "SELECT COUNT(*) FROM blobs WHERE collect_at IS NOT NULL") == MANY
