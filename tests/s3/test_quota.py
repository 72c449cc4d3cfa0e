"""Room for files over S3: every way to store bytes is bounded, and all that is given up is free again."""

from typing import Any

import pytest

from tests.s3.help import MIB, Bucket, House, Person, refused

FULL = (403, "QuotaExceeded")
PART = 5 * MIB


def limit(house: House, owner: Person, dimension: str, most: int | None) -> None:
    """For the company of its own that the owner has."""
    slug = owner.call("GET", "/api/org")["slug"]
    wish = {"dimension": f"storage.{dimension}", "limit": most, "window": "lifetime"}
    house.ann.call("POST", f"/api/orgs/{slug}/quota", wish)


def stored(owner: Person) -> tuple[int, int]:
    rows = {row["dimension"]: row["used"] for row in owner.call("GET", "/api/usage")["items"]}
    return rows["storage.bytes"], rows["storage.objects"]


@pytest.fixture
def alone(house: House) -> Person:
    """The owner of a company in which there is nothing yet."""
    return house.company()[1]


@pytest.fixture
def bucket(alone: Person) -> Bucket:
    return alone.bucket()


def begun(bucket: Bucket, key: str) -> str:
    upload_id: str = bucket.create_multipart_upload(key)["UploadId"]
    return upload_id


def sent(bucket: Bucket, key: str, upload_id: str, number: int, data: bytes) -> dict[str, Any]:
    made = bucket.upload_part(key, UploadId=upload_id, PartNumber=number, Body=data)
    return {"PartNumber": number, "ETag": made["ETag"]}


def test_a_put_and_a_copy_beyond_the_quota_are_refused(house: House, alone: Person, bucket: Bucket) -> None:
    limit(house, alone, "bytes", 100_000)
    bucket.put_object("a", Body=b"x" * 60_000)
    assert refused(lambda: bucket.put_object("b", Body=b"x" * 40_001)) == FULL
    assert refused(lambda: bucket.copy_object("b", CopySource={"Bucket": bucket.name, "Key": "a"})) == FULL
    bucket.put_object("b", Body=b"x" * 40_000)
    assert refused(lambda: bucket.put_object("c", Body=b"x")) == FULL
    limit(house, alone, "objects", 2)
    assert refused(lambda: bucket.put_object("c", Body=b"")) == FULL
    assert stored(alone) == (100_000, 2)


def test_versions_count_until_they_are_dropped(alone: Person, bucket: Bucket) -> None:
    first = bucket.put_object("a", Body=b"x" * 10)["VersionId"]
    bucket.put_object("a", Body=b"x" * 20)
    mark = bucket.delete_object("a")["VersionId"]
    assert stored(alone) == (30, 1), "a mark removes nothing"
    bucket.delete_object("a", VersionId=first)
    assert stored(alone) == (20, 1)
    bucket.delete_object("nothing")
    assert stored(alone) == (20, 2)
    bucket.delete_object("a", VersionId=mark)
    for version, _ in bucket.versions():
        for key in ("a", "nothing"):
            bucket.delete_object(key, VersionId=version)
    assert stored(alone) == (0, 0)


def test_parts_count_when_they_come_and_once(house: House, alone: Person, bucket: Bucket) -> None:
    limit(house, alone, "bytes", 2 * PART + 10)
    upload = begun(bucket, "big")
    first = sent(bucket, "big", upload, 1, b"a" * PART)
    assert stored(alone) == (PART, 0)
    first = sent(bucket, "big", upload, 1, b"b" * PART)
    assert stored(alone) == (PART, 0), "a part that is sent again replaces the first"
    second = sent(bucket, "big", upload, 2, b"c" * PART)
    assert refused(lambda: sent(bucket, "big", upload, 3, b"d" * 11)) == FULL
    sent(bucket, "big", upload, 3, b"d" * 10)
    sent(bucket, "big", upload, 2, b"c" * PART)
    bucket.complete_multipart_upload("big", UploadId=upload, MultipartUpload={"Parts": [first, second]})
    assert stored(alone) == (2 * PART, 1), "what was not chosen is free again"
    assert refused(lambda: bucket.copy_object("copy", CopySource={"Bucket": bucket.name, "Key": "big"})) == FULL
    version = bucket.head_object("big")["VersionId"]
    bucket.delete_object("big", VersionId=version)
    assert stored(alone) == (0, 0)


def test_copied_parts_count(house: House, alone: Person, bucket: Bucket) -> None:
    bucket.put_object("source", Body=b"s" * PART)
    limit(house, alone, "bytes", 3 * PART)
    upload, source = begun(bucket, "big"), {"Bucket": bucket.name, "Key": "source"}
    bucket.upload_part_copy("big", UploadId=upload, PartNumber=1, CopySource=source)
    assert stored(alone) == (2 * PART, 1)
    some = {"CopySource": source, "CopySourceRange": f"bytes=0-{PART - 2}"}
    bucket.upload_part_copy("big", UploadId=upload, PartNumber=2, **some)
    assert stored(alone) == (3 * PART - 1, 1)
    for more in ({"CopySource": source}, some):
        call = {"UploadId": upload, "PartNumber": 3, **more}
        assert refused(lambda call=call: bucket.upload_part_copy("big", **call)) == FULL  # type: ignore[misc]
    bucket.abort_multipart_upload("big", UploadId=upload)
    assert stored(alone) == (PART, 1), "what is given up is free again"


def test_a_completed_upload_needs_room_for_its_object(house: House, alone: Person, bucket: Bucket) -> None:
    limit(house, alone, "objects", 1)
    upload = begun(bucket, "big")
    part = sent(bucket, "big", upload, 1, b"a")
    bucket.put_object("other", Body=b"")
    complete = {"UploadId": upload, "MultipartUpload": {"Parts": [part]}}
    assert refused(lambda: bucket.complete_multipart_upload("big", **complete)) == FULL
    limit(house, alone, "objects", 2)
    bucket.complete_multipart_upload("big", **complete)
    assert stored(alone) == (1, 2)
