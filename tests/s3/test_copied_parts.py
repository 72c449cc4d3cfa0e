"""Copying a whole blob as a part adds a reference instead of copying bytes."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from teamspace import blobs
from teamspace.core.db import Tx
from teamspace.repository import VersionWritten, reading
from teamspace.s3.domain import completing
from tests.s3.in_process import InProcessBucket
from tests.support.world import World

PARTS = {1: b"a" * 40_000, 3: b"b" * 50_000, 4: b"c"}
WHOLE = b"".join(PARTS.values())


class BlobCounters:
    """The number of staged blobs and the number of bytes read."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.staged = self.read = 0


@pytest.fixture
def counters(monkeypatch: pytest.MonkeyPatch) -> BlobCounters:
    counters, stage, read_range = BlobCounters(), blobs.stage, reading.read_range
    monkeypatch.setattr(completing, "MIN_PART", 1)

    @asynccontextmanager
    async def counting_stage(*args: Any) -> AsyncIterator[Any]:
        counters.staged += 1
        async with stage(*args) as staged:
            yield staged

    async def counting_read_range(*args: Any) -> AsyncIterator[bytes]:
        async for chunk in read_range(*args):
            counters.read += len(chunk)
            yield chunk

    monkeypatch.setattr(blobs, "stage", counting_stage)
    monkeypatch.setattr(reading, "read_range", counting_read_range)
    return counters


async def create_upload(bucket: InProcessBucket, key: str, **headers: str) -> str:
    answer = await bucket("POST", key, "uploads=", **headers)
    return re.findall("<UploadId>(.*)</UploadId>", answer.text)[0]


async def complete(bucket: InProcessBucket, key: str, upload: str, etags: dict[int, str]) -> None:
    parts = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{etag}</ETag></Part>" for n, etag in etags.items())
    body = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
    assert "<Error>" not in (await bucket("POST", key, f"uploadId={upload}", body)).text


async def put_multipart(bucket: InProcessBucket, key: str, **headers: str) -> dict[int, str]:
    """Upload an object in parts; return their ETags."""
    upload = await create_upload(bucket, key, **headers)
    etags = {}
    for number, part in PARTS.items():
        etags[number] = (await bucket("PUT", key, f"partNumber={number}&uploadId={upload}", part)).headers["etag"]
    await complete(bucket, key, upload, etags)
    return etags


async def copy_part(
    bucket: InProcessBucket, key: str, upload: str, number: int, source: str, span: tuple[int, int] | None
) -> Any:
    """Copy a part; return its ETag and the response."""
    headers = {"x_amz_copy_source": f"{bucket.name}/{source}"}
    headers |= {"x_amz_copy_source_range": f"bytes={span[0]}-{span[1]}"} if span else {}
    answer = await bucket("PUT", key, f"partNumber={number}&uploadId={upload}", **headers)
    return re.findall("<ETag>(.*)</ETag>", answer.text)[0], answer.text


async def test_a_range_that_is_a_whole_part_is_referenced(world: World, counters: BlobCounters) -> None:
    bucket = await InProcessBucket.of(await world.bootstrap())
    etags = await put_multipart(bucket, "source")
    counters.reset()
    upload, start, copied = await create_upload(bucket, "copy"), 0, {}
    for number, part in PARTS.items():
        copied[number], _ = await copy_part(bucket, "copy", upload, number, "source", (start, start + len(part) - 1))
        start += len(part)
    assert {number: etag.replace("&quot;", '"') for number, etag in copied.items()} == etags
    assert (counters.staged, counters.read) == (0, 0)
    size = await world.db.one(int, "SELECT CAST(SUM(size) AS BIGINT) FROM object_upload_parts")
    assert size == len(WHOLE), "referenced parts count like sent ones"
    await complete(bucket, "copy", upload, copied)
    assert (await bucket("GET", "copy")).content == WHOLE


async def test_a_version_is_announced_when_its_parts_are_there(world: World, counters: BlobCounters) -> None:
    seen: list[tuple[str, int]] = []

    async def listen(tx: Tx, event: VersionWritten) -> None:
        sql = "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM object_parts WHERE version_id = :id"
        seen.append((event.key, await tx.one(int, sql, id=event.version_id) or 0))

    bucket = await InProcessBucket.of(await world.bootstrap())
    world.db.listeners = {VersionWritten: [listen]}
    await put_multipart(bucket, "source")
    await bucket("PUT", "second", x_amz_copy_source=f"{bucket.name}/source")
    assert seen == [("source", len(WHOLE)), ("second", len(WHOLE))]


async def test_a_part_of_a_copy_is_referenced(world: World, counters: BlobCounters) -> None:
    bucket = await InProcessBucket.of(await world.bootstrap())
    await put_multipart(bucket, "source")
    counters.reset()
    await bucket("PUT", "second", x_amz_copy_source=f"{bucket.name}/source")
    upload = await create_upload(bucket, "third")
    etag, _ = await copy_part(bucket, "third", upload, 1, "second", (0, len(PARTS[1]) - 1))
    assert (counters.staged, counters.read) == (0, 0)
    await complete(bucket, "third", upload, {1: etag})
    assert (await bucket("GET", "third")).content == PARTS[1]


async def test_a_range_that_is_not_a_whole_part_is_copied(world: World, counters: BlobCounters) -> None:
    bucket = await InProcessBucket.of(await world.bootstrap())
    await put_multipart(bucket, "source")
    counters.reset()
    upload = await create_upload(bucket, "copy")
    for number, span in enumerate(((1, 39_999), (0, 39_998), (0, 40_000), (0, 89_999)), 1):
        await copy_part(bucket, "copy", upload, number, "source", span)
        assert counters.staged == number


@pytest.mark.parametrize(("of_source", "read"), [("SHA256", 0), ("CRC32", len(PARTS[1])), ("", len(PARTS[1]))])
async def test_the_checksum_of_a_referenced_part_is_reused_or_computed(
    world: World, counters: BlobCounters, of_source: str, read: int
) -> None:
    bucket = await InProcessBucket.of(await world.bootstrap())
    headers = {"x_amz_checksum_algorithm": of_source} if of_source else {}
    await put_multipart(bucket, "source", **headers)
    await bucket("PUT", "whole", "", PARTS[1], **({"x_amz_sdk_checksum_algorithm": of_source} if of_source else {}))
    counters.reset()
    upload = await create_upload(bucket, "copy", x_amz_checksum_algorithm="SHA256")
    for number, (source, span) in enumerate((("source", (0, len(PARTS[1]) - 1)), ("whole", None)), 1):
        before = counters.read
        _, answer = await copy_part(bucket, "copy", upload, number, source, span)
        assert "<ChecksumSHA256>cqL40mQzKKLgPcsbZv3GYQuVujAZ2I2ISc4GDQvmNM4=</ChecksumSHA256>" in answer
        assert (counters.staged, counters.read - before) == (0, read)
