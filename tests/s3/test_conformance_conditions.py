"""Conditional reads, writes, deletions and copies."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.s3.prefixed_bucket import PrefixedBucket

OTHER = '"ABCORZ"'
PAST, FUTURE = datetime(1994, 10, 29, 19, 43, 31, tzinfo=UTC), datetime.now(UTC) + timedelta(days=1)


def resolve(value: Any, etag: str) -> Any:
    return etag if value == "own" else value


# Reading


@pytest.mark.parametrize(
    ("conditions", "status"),
    [
        ({"IfMatch": "own"}, 200),
        ({"IfMatch": OTHER}, 412),
        ({"IfMatch": "*"}, 200),
        ({"IfNoneMatch": "own"}, 304),
        ({"IfNoneMatch": OTHER}, 200),
        ({"IfNoneMatch": "*"}, 304),
        ({"IfModifiedSince": PAST}, 200),
        ({"IfModifiedSince": FUTURE}, 304),
        ({"IfUnmodifiedSince": PAST}, 412),
        ({"IfUnmodifiedSince": FUTURE}, 200),
        ({"IfMatch": "own", "IfUnmodifiedSince": PAST}, 200),
        ({"IfMatch": OTHER, "IfUnmodifiedSince": FUTURE}, 412),
        ({"IfNoneMatch": "own", "IfModifiedSince": PAST}, 304),
        ({"IfNoneMatch": OTHER, "IfModifiedSince": FUTURE}, 200),
    ],
)
@pytest.mark.parametrize("operation", ["get_object", "head_object"])
def test_a_read_depends_on_its_conditions(bucket: PrefixedBucket, operation: str, conditions: Any, status: int) -> None:
    etag = bucket.put()["ETag"]
    parameters = {name: resolve(value, etag) for name, value in conditions.items()}
    if status == 200:
        assert bucket.call(operation, **parameters)["ETag"] == etag
    else:
        code = "PreconditionFailed" if status == 412 and operation == "get_object" else str(status)
        assert bucket.refused(operation, **parameters) == (status, code)


def test_an_unmodified_object_is_answered_without_a_body(bucket: PrefixedBucket) -> None:
    written = bucket.put()
    reply = bucket.request("GET", headers={"If-None-Match": written["ETag"]})
    assert (reply.status, reply.body, reply.headers["etag"]) == (304, b"", written["ETag"])
    assert reply.headers["x-amz-version-id"] == written["VersionId"]
    assert "content-type" not in reply.headers and "content-length" not in reply.headers


@pytest.mark.parametrize("form", ['"{}"', "{}", 'W/"{}"', '"x", "{}"'])
def test_an_etag_is_accepted_in_every_form(bucket: PrefixedBucket, form: str) -> None:
    etag = bucket.put()["ETag"].strip('"')
    assert bucket.request("GET", headers={"If-Match": form.format(etag)}).status == 200
    assert bucket.request("GET", headers={"If-None-Match": form.format(etag)}).status == 304


# Writing

MISSING, PRESENT, DELETED = "gone", "there", "deleted"
WRITES = [
    (PRESENT, {"IfMatch": "own"}, 200, ""),
    (PRESENT, {"IfMatch": OTHER}, 412, "PreconditionFailed"),
    (PRESENT, {"IfMatch": "*"}, 200, ""),
    (PRESENT, {"IfNoneMatch": "*"}, 412, "PreconditionFailed"),
    (PRESENT, {"IfNoneMatch": OTHER}, 200, ""),
    (PRESENT, {"IfNoneMatch": "own"}, 412, "PreconditionFailed"),
    (MISSING, {"IfMatch": OTHER}, 404, "NoSuchKey"),
    (MISSING, {"IfMatch": "*"}, 404, "NoSuchKey"),
    (MISSING, {"IfNoneMatch": "*"}, 200, ""),
    (MISSING, {"IfNoneMatch": OTHER}, 200, ""),
    (DELETED, {"IfMatch": "own"}, 404, "NoSuchKey"),
    (DELETED, {"IfMatch": "*"}, 404, "NoSuchKey"),
    (DELETED, {"IfNoneMatch": "*"}, 200, ""),
    (DELETED, {"IfNoneMatch": "own"}, 200, ""),
]


def prepare(bucket: PrefixedBucket, state: str) -> str:
    """Bring the key into a state; return the ETag of its object."""
    etag = bucket.put(body=b"before")["ETag"] if state != MISSING else ""
    if state == DELETED:
        bucket.call("delete_object")
    return etag


def put(bucket: PrefixedBucket, **conditions: Any) -> Any:
    return bucket.put(body=b"after", **conditions)


def put_in_parts(bucket: PrefixedBucket, **conditions: Any) -> Any:
    upload = bucket.create_upload()
    return bucket.complete(upload, [bucket.send_part(upload, 1, b"after")], **conditions)


def put_by_copy(bucket: PrefixedBucket, **conditions: Any) -> Any:
    bucket.put("source", b"after")
    return bucket.call("copy_object", CopySource={"Bucket": bucket.name, "Key": bucket.key("source")}, **conditions)


@pytest.mark.parametrize(("state", "conditions", "status", "code"), WRITES)
@pytest.mark.parametrize("write", [put, put_in_parts, put_by_copy])
def test_a_conditional_write_depends_on_the_current_object(
    bucket: PrefixedBucket, write: Any, state: str, conditions: Any, status: int, code: str
) -> None:
    etag = prepare(bucket, state)
    if status == 200:
        write(bucket, **{name: resolve(value, etag) for name, value in conditions.items()})
        assert bucket.read() == b"after"
        return
    with pytest.raises(bucket.client.exceptions.ClientError) as refusal:
        write(bucket, **{name: resolve(value, etag) for name, value in conditions.items()})
    answer = refusal.value.response
    assert (answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"]) == (status, code)
    assert "etag" not in answer["ResponseMetadata"]["HTTPHeaders"]
    if state == PRESENT:
        assert bucket.read() == b"before"
    else:
        assert bucket.refused("get_object") == (404, "NoSuchKey")


# Deleting


@pytest.mark.parametrize(
    ("state", "conditions", "status", "code"),
    [
        (PRESENT, {"IfMatch": "own"}, 204, ""),
        (PRESENT, {"IfMatch": "*"}, 204, ""),
        (PRESENT, {"IfMatch": OTHER}, 412, "PreconditionFailed"),
        (MISSING, {"IfMatch": "*"}, 404, "NoSuchKey"),
        (MISSING, {"IfMatch": OTHER}, 404, "NoSuchKey"),
        (DELETED, {"IfMatch": "*"}, 412, "PreconditionFailed"),
        (DELETED, {"IfMatch": "own"}, 412, "PreconditionFailed"),
        (PRESENT, {"IfMatchSize": 6}, 204, ""),
        (PRESENT, {"IfMatchSize": 7}, 412, "PreconditionFailed"),
        (PRESENT, {"IfMatchLastModifiedTime": PAST}, 412, "PreconditionFailed"),
    ],
)
def test_a_conditional_deletion_depends_on_the_current_object(
    bucket: PrefixedBucket, state: str, conditions: Any, status: int, code: str
) -> None:
    etag = prepare(bucket, state)
    parameters = {name: resolve(value, etag) for name, value in conditions.items()}
    if status == 204:
        assert bucket.call("delete_object", **parameters)["DeleteMarker"] is True
    else:
        assert bucket.refused("delete_object", **parameters) == (status, code)
        assert (bucket.request("HEAD").status == 200) is (state == PRESENT)


def test_a_deletion_can_depend_on_the_last_modified_time(bucket: PrefixedBucket) -> None:
    bucket.put()
    modified = bucket.call("head_object")["LastModified"]
    assert bucket.call("delete_object", IfMatchLastModifiedTime=modified)["DeleteMarker"] is True


def test_conditions_apply_to_the_deleted_version(bucket: PrefixedBucket) -> None:
    older, newer = bucket.put(body=b"one"), bucket.put(body=b"other")
    wrong = {"VersionId": older["VersionId"], "IfMatch": newer["ETag"]}
    assert bucket.refused("delete_object", **wrong) == (412, "PreconditionFailed")
    bucket.call("delete_object", VersionId=older["VersionId"], IfMatch=older["ETag"])
    assert [id for _, id, _, _ in bucket.versions()] == [newer["VersionId"]]


def test_a_bulk_deletion_has_conditions_per_key(bucket: PrefixedBucket) -> None:
    etags = {name: bucket.put(name, name.encode())["ETag"] for name in ("a", "b", "c")}
    modified = bucket.call("head_object", "c")["LastModified"]
    objects = [
        {"Key": bucket.key("a"), "ETag": etags["b"]}, {"Key": bucket.key("b"), "ETag": etags["b"], "Size": 1},
        {"Key": bucket.key("c"), "LastModifiedTime": modified}, {"Key": bucket.key("d"), "ETag": "*"},
    ]  # fmt: skip
    answer = bucket.call("delete_objects", None, Delete={"Objects": objects})
    assert [item["Key"] for item in answer["Deleted"]] == [bucket.key("b"), bucket.key("c")]
    errors = [(item["Key"], item["Code"]) for item in answer["Errors"]]
    assert errors == [(bucket.key("a"), "PreconditionFailed"), (bucket.key("d"), "NoSuchKey")]


# Copying


@pytest.mark.parametrize(
    ("conditions", "accepted"),
    [
        ({"IfMatch": "own"}, True),
        ({"IfMatch": OTHER}, False),
        ({"IfNoneMatch": OTHER}, True),
        ({"IfNoneMatch": "own"}, False),
        ({"IfModifiedSince": PAST}, True),
        ({"IfModifiedSince": FUTURE}, False),
        ({"IfUnmodifiedSince": FUTURE}, True),
        ({"IfUnmodifiedSince": PAST}, False),
        ({"IfMatch": "own", "IfUnmodifiedSince": PAST}, True),
    ],
)
@pytest.mark.parametrize("in_part", [False, True])
def test_a_copy_depends_on_its_source(bucket: PrefixedBucket, conditions: Any, accepted: bool, in_part: bool) -> None:
    etag = bucket.put("source")["ETag"]
    parameters = {f"CopySource{name}": resolve(value, etag) for name, value in conditions.items()}
    parameters["CopySource"] = {"Bucket": bucket.name, "Key": bucket.key("source")}
    if in_part:
        parameters |= {"UploadId": bucket.create_upload(), "PartNumber": 1}
    operation = "upload_part_copy" if in_part else "copy_object"
    if accepted:
        assert bucket.call(operation, **parameters)
    else:
        assert bucket.refused(operation, **parameters) == (412, "PreconditionFailed")
