"""Storage quotas over S3: every write is limited, and deleted or aborted data is released."""

from typing import Any

import pytest

from tests.s3.help import MIB, Bucket, Instance, Person, refused

QUOTA_EXCEEDED = (403, "QuotaExceeded")
PART = 5 * MIB


def set_limit(instance: Instance, owner: Person, dimension: str, limit: int | None) -> None:
    """Set a limit for the owner's company."""
    slug = owner.call("GET", "/api/org")["slug"]
    draft = {"dimension": f"storage.{dimension}", "limit": limit, "window": "lifetime"}
    instance.ann.call("POST", f"/api/orgs/{slug}/quota", draft)


def usage(owner: Person) -> tuple[int, int]:
    rows = {row["dimension"]: row["used"] for row in owner.call("GET", "/api/usage")["items"]}
    return rows["storage.bytes"], rows["storage.objects"]


@pytest.fixture
def company_owner(instance: Instance) -> Person:
    """The owner of a new company."""
    return instance.company()[1]


@pytest.fixture
def bucket(company_owner: Person) -> Bucket:
    return company_owner.bucket()


def create_upload(bucket: Bucket, key: str) -> str:
    upload_id: str = bucket.create_multipart_upload(key)["UploadId"]
    return upload_id


def send_part(bucket: Bucket, key: str, upload_id: str, number: int, data: bytes) -> dict[str, Any]:
    sent = bucket.upload_part(key, UploadId=upload_id, PartNumber=number, Body=data)
    return {"PartNumber": number, "ETag": sent["ETag"]}


def test_a_put_and_a_copy_beyond_the_quota_are_refused(
    instance: Instance, company_owner: Person, bucket: Bucket
) -> None:
    set_limit(instance, company_owner, "bytes", 100_000)
    bucket.put_object("a", Body=b"x" * 60_000)
    assert refused(lambda: bucket.put_object("b", Body=b"x" * 40_001)) == QUOTA_EXCEEDED
    assert refused(lambda: bucket.copy_object("b", CopySource={"Bucket": bucket.name, "Key": "a"})) == QUOTA_EXCEEDED
    bucket.put_object("b", Body=b"x" * 40_000)
    assert refused(lambda: bucket.put_object("c", Body=b"x")) == QUOTA_EXCEEDED
    set_limit(instance, company_owner, "objects", 2)
    assert refused(lambda: bucket.put_object("c", Body=b"")) == QUOTA_EXCEEDED
    assert usage(company_owner) == (100_000, 2)


def test_versions_count_until_they_are_removed(company_owner: Person, bucket: Bucket) -> None:
    first = bucket.put_object("a", Body=b"x" * 10)["VersionId"]
    bucket.put_object("a", Body=b"x" * 20)
    marker = bucket.delete_object("a")["VersionId"]
    assert usage(company_owner) == (30, 1), "a delete marker frees nothing"
    bucket.delete_object("a", VersionId=first)
    assert usage(company_owner) == (20, 1)
    bucket.delete_object("nothing")
    assert usage(company_owner) == (20, 2)
    bucket.delete_object("a", VersionId=marker)
    for version, _ in bucket.versions():
        for key in ("a", "nothing"):
            bucket.delete_object(key, VersionId=version)
    assert usage(company_owner) == (0, 0)


def test_parts_count_once_and_when_they_are_received(instance: Instance, company_owner: Person, bucket: Bucket) -> None:
    set_limit(instance, company_owner, "bytes", 2 * PART + 10)
    upload = create_upload(bucket, "big")
    first = send_part(bucket, "big", upload, 1, b"a" * PART)
    assert usage(company_owner) == (PART, 0)
    first = send_part(bucket, "big", upload, 1, b"b" * PART)
    assert usage(company_owner) == (PART, 0), "a part that is sent again replaces the first one"
    second = send_part(bucket, "big", upload, 2, b"c" * PART)
    assert refused(lambda: send_part(bucket, "big", upload, 3, b"d" * 11)) == QUOTA_EXCEEDED
    send_part(bucket, "big", upload, 3, b"d" * 10)
    send_part(bucket, "big", upload, 2, b"c" * PART)
    bucket.complete_multipart_upload("big", UploadId=upload, MultipartUpload={"Parts": [first, second]})
    assert usage(company_owner) == (2 * PART, 1), "unused parts are released"
    assert (
        refused(lambda: bucket.copy_object("copy", CopySource={"Bucket": bucket.name, "Key": "big"})) == QUOTA_EXCEEDED
    )
    version = bucket.head_object("big")["VersionId"]
    bucket.delete_object("big", VersionId=version)
    assert usage(company_owner) == (0, 0)


def test_copied_parts_count(instance: Instance, company_owner: Person, bucket: Bucket) -> None:
    bucket.put_object("source", Body=b"s" * PART)
    set_limit(instance, company_owner, "bytes", 3 * PART)
    upload, source = create_upload(bucket, "big"), {"Bucket": bucket.name, "Key": "source"}
    bucket.upload_part_copy("big", UploadId=upload, PartNumber=1, CopySource=source)
    assert usage(company_owner) == (2 * PART, 1)
    some = {"CopySource": source, "CopySourceRange": f"bytes=0-{PART - 2}"}
    bucket.upload_part_copy("big", UploadId=upload, PartNumber=2, **some)
    assert usage(company_owner) == (3 * PART - 1, 1)
    for more in ({"CopySource": source}, some):
        call = {"UploadId": upload, "PartNumber": 3, **more}
        assert refused(lambda call=call: bucket.upload_part_copy("big", **call)) == QUOTA_EXCEEDED  # type: ignore[misc]
    bucket.abort_multipart_upload("big", UploadId=upload)
    assert usage(company_owner) == (PART, 1), "aborted uploads are released"


def test_completing_an_upload_needs_quota_for_its_object(
    instance: Instance, company_owner: Person, bucket: Bucket
) -> None:
    set_limit(instance, company_owner, "objects", 1)
    upload = create_upload(bucket, "big")
    part = send_part(bucket, "big", upload, 1, b"a")
    bucket.put_object("other", Body=b"")
    complete = {"UploadId": upload, "MultipartUpload": {"Parts": [part]}}
    assert refused(lambda: bucket.complete_multipart_upload("big", **complete)) == QUOTA_EXCEEDED
    set_limit(instance, company_owner, "objects", 2)
    bucket.complete_multipart_upload("big", **complete)
    assert usage(company_owner) == (1, 2)
