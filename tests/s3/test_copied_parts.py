"""A part that is copied from whole bytes of the store only names them once more."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from teamspace import blobs
from teamspace.repository import reading
from teamspace.s3.domain import completing
from tests.s3.inside import Inside
from tests.support.world import World

PIECES = {1: b"a" * 40_000, 3: b"b" * 50_000, 4: b"c"}
WHOLE = b"".join(PIECES.values())


class Stored:
    """What was written while it is looked at, and what was read."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.drafts = self.read = 0


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> Stored:
    seen, drafted, span = Stored(), blobs.stage, reading.read_range
    monkeypatch.setattr(completing, "MIN_PART", 1)

    @asynccontextmanager
    async def counted(*given: Any) -> AsyncIterator[Any]:
        seen.drafts += 1
        async with drafted(*given) as draft:
            yield draft

    async def watched(*given: Any) -> AsyncIterator[bytes]:
        async for chunk in span(*given):
            seen.read += len(chunk)
            yield chunk

    monkeypatch.setattr(blobs, "stage", counted)
    monkeypatch.setattr(reading, "read_range", watched)
    return seen


async def begun(bucket: Inside, key: str, **headers: str) -> str:
    answer = await bucket("POST", key, "uploads=", **headers)
    return re.findall("<UploadId>(.*)</UploadId>", answer.text)[0]


async def completed(bucket: Inside, key: str, upload: str, etags: dict[int, str]) -> None:
    named = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{etag}</ETag></Part>" for n, etag in etags.items())
    body = f"<CompleteMultipartUpload>{named}</CompleteMultipartUpload>".encode()
    assert "<Error>" not in (await bucket("POST", key, f"uploadId={upload}", body)).text


async def in_parts(bucket: Inside, key: str, **headers: str) -> dict[int, str]:
    """The tags of its parts."""
    upload = await begun(bucket, key, **headers)
    etags = {}
    for number, piece in PIECES.items():
        etags[number] = (await bucket("PUT", key, f"partNumber={number}&uploadId={upload}", piece)).headers["etag"]
    await completed(bucket, key, upload, etags)
    return etags


async def copied(bucket: Inside, key: str, upload: str, number: int, source: str, span: tuple[int, int] | None) -> Any:
    """The tag and the rest of the answer."""
    headers = {"x_amz_copy_source": f"{bucket.name}/{source}"}
    headers |= {"x_amz_copy_source_range": f"bytes={span[0]}-{span[1]}"} if span else {}
    answer = await bucket("PUT", key, f"partNumber={number}&uploadId={upload}", **headers)
    return re.findall("<ETag>(.*)</ETag>", answer.text)[0], answer.text


async def test_a_range_that_is_a_part_of_its_source_is_linked(world: World, stored: Stored) -> None:
    bucket = await Inside.of(await world.bootstrap())
    etags = await in_parts(bucket, "source")
    stored.begin()
    upload, start, made = await begun(bucket, "copy"), 0, {}
    for number, piece in PIECES.items():
        made[number], _ = await copied(bucket, "copy", upload, number, "source", (start, start + len(piece) - 1))
        start += len(piece)
    assert {number: etag.replace("&quot;", '"') for number, etag in made.items()} == etags
    assert (stored.drafts, stored.read) == (0, 0)
    counted = await world.db.one(int, "SELECT CAST(SUM(size) AS BIGINT) FROM object_upload_parts")
    assert counted == len(WHOLE), "what is linked counts as what is sent"
    await completed(bucket, "copy", upload, made)
    assert (await bucket("GET", "copy")).content == WHOLE


async def test_a_copy_of_a_copy_is_linked_too(world: World, stored: Stored) -> None:
    bucket = await Inside.of(await world.bootstrap())
    await in_parts(bucket, "source")
    stored.begin()
    await bucket("PUT", "second", x_amz_copy_source=f"{bucket.name}/source")
    upload = await begun(bucket, "third")
    etag, _ = await copied(bucket, "third", upload, 1, "second", (0, len(PIECES[1]) - 1))
    assert (stored.drafts, stored.read) == (0, 0)
    await completed(bucket, "third", upload, {1: etag})
    assert (await bucket("GET", "third")).content == PIECES[1]


async def test_what_is_no_whole_part_is_copied(world: World, stored: Stored) -> None:
    bucket = await Inside.of(await world.bootstrap())
    await in_parts(bucket, "source")
    stored.begin()
    upload = await begun(bucket, "copy")
    for number, span in enumerate(((1, 39_999), (0, 39_998), (0, 40_000), (0, 89_999)), 1):
        await copied(bucket, "copy", upload, number, "source", span)
        assert stored.drafts == number


@pytest.mark.parametrize(("of_source", "read"), [("SHA256", 0), ("CRC32", len(PIECES[1])), ("", len(PIECES[1]))])
async def test_a_promised_sum_is_taken_over_or_made_and_no_byte_is_stored(
    world: World, stored: Stored, of_source: str, read: int
) -> None:
    bucket = await Inside.of(await world.bootstrap())
    headers = {"x_amz_checksum_algorithm": of_source} if of_source else {}
    await in_parts(bucket, "source", **headers)
    await bucket("PUT", "whole", "", PIECES[1], **({"x_amz_sdk_checksum_algorithm": of_source} if of_source else {}))
    stored.begin()
    upload = await begun(bucket, "copy", x_amz_checksum_algorithm="SHA256")
    for number, (source, span) in enumerate((("source", (0, len(PIECES[1]) - 1)), ("whole", None)), 1):
        before = stored.read
        _, told = await copied(bucket, "copy", upload, number, source, span)
        assert "<ChecksumSHA256>cqL40mQzKKLgPcsbZv3GYQuVujAZ2I2ISc4GDQvmNM4=</ChecksumSHA256>" in told
        assert (stored.drafts, stored.read - before) == (0, read)
