"""Conditions of reads, writes, deletions and copies."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.s3.places import Place

OTHER = '"ABCORZ"'
PAST, FUTURE = datetime(1994, 10, 29, 19, 43, 31, tzinfo=UTC), datetime.now(UTC) + timedelta(days=1)


def own(value: Any, etag: str) -> Any:
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
def test_a_read_depends_on_its_conditions(place: Place, operation: str, conditions: Any, status: int) -> None:
    etag = place.put()["ETag"]
    asked = {name: own(value, etag) for name, value in conditions.items()}
    if status == 200:
        assert place.do(operation, **asked)["ETag"] == etag
    else:
        named = "PreconditionFailed" if status == 412 and operation == "get_object" else str(status)
        assert place.refused(operation, **asked) == (status, named)


def test_what_has_not_changed_is_told_by_its_tag_alone(place: Place) -> None:
    written = place.put()
    reply = place.raw("GET", headers={"If-None-Match": written["ETag"]})
    assert (reply.status, reply.body, reply.headers["etag"]) == (304, b"", written["ETag"])
    assert reply.headers["x-amz-version-id"] == written["VersionId"]
    assert "content-type" not in reply.headers and "content-length" not in reply.headers


@pytest.mark.parametrize("form", ['"{}"', "{}", 'W/"{}"', '"x", "{}"'])
def test_a_tag_is_known_in_every_form(place: Place, form: str) -> None:
    etag = place.put()["ETag"].strip('"')
    assert place.raw("GET", headers={"If-Match": form.format(etag)}).status == 200
    assert place.raw("GET", headers={"If-None-Match": form.format(etag)}).status == 304


# Writing

GONE, THERE, DELETED = "gone", "there", "deleted"
WRITES = [
    (THERE, {"IfMatch": "own"}, 200, ""),
    (THERE, {"IfMatch": OTHER}, 412, "PreconditionFailed"),
    (THERE, {"IfMatch": "*"}, 200, ""),
    (THERE, {"IfNoneMatch": "*"}, 412, "PreconditionFailed"),
    (THERE, {"IfNoneMatch": OTHER}, 200, ""),
    (THERE, {"IfNoneMatch": "own"}, 412, "PreconditionFailed"),
    (GONE, {"IfMatch": OTHER}, 404, "NoSuchKey"),
    (GONE, {"IfMatch": "*"}, 404, "NoSuchKey"),
    (GONE, {"IfNoneMatch": "*"}, 200, ""),
    (GONE, {"IfNoneMatch": OTHER}, 200, ""),
    (DELETED, {"IfMatch": "own"}, 404, "NoSuchKey"),
    (DELETED, {"IfMatch": "*"}, 404, "NoSuchKey"),
    (DELETED, {"IfNoneMatch": "*"}, 200, ""),
    (DELETED, {"IfNoneMatch": "own"}, 200, ""),
]


def prepared(place: Place, state: str) -> str:
    """A key at which there is nothing, something, or no more what was there."""
    etag = place.put(body=b"before")["ETag"] if state != GONE else ""
    if state == DELETED:
        place.do("delete_object")
    return etag


def put(place: Place, **conditions: Any) -> Any:
    return place.put(body=b"after", **conditions)


def put_in_parts(place: Place, **conditions: Any) -> Any:
    upload = place.begin()
    return place.complete(upload, [place.send_part(upload, 1, b"after")], **conditions)


def put_by_copy(place: Place, **conditions: Any) -> Any:
    place.put("source", b"after")
    return place.do("copy_object", CopySource={"Bucket": place.name, "Key": place.key("source")}, **conditions)


@pytest.mark.parametrize(("state", "conditions", "status", "code"), WRITES)
@pytest.mark.parametrize("write", [put, put_in_parts, put_by_copy])
def test_a_write_depends_on_what_is_there(
    place: Place, write: Any, state: str, conditions: Any, status: int, code: str
) -> None:
    etag = prepared(place, state)
    if status == 200:
        write(place, **{name: own(value, etag) for name, value in conditions.items()})
        assert place.read() == b"after"
        return
    with pytest.raises(place.client.exceptions.ClientError) as refusal:
        write(place, **{name: own(value, etag) for name, value in conditions.items()})
    answer = refusal.value.response
    assert (answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"]) == (status, code)
    assert "etag" not in answer["ResponseMetadata"]["HTTPHeaders"]
    if state == THERE:
        assert place.read() == b"before"
    else:
        assert place.refused("get_object") == (404, "NoSuchKey")


# Deleting


@pytest.mark.parametrize(
    ("state", "conditions", "status", "code"),
    [
        (THERE, {"IfMatch": "own"}, 204, ""),
        (THERE, {"IfMatch": "*"}, 204, ""),
        (THERE, {"IfMatch": OTHER}, 412, "PreconditionFailed"),
        (GONE, {"IfMatch": "*"}, 404, "NoSuchKey"),
        (GONE, {"IfMatch": OTHER}, 404, "NoSuchKey"),
        (DELETED, {"IfMatch": "*"}, 412, "PreconditionFailed"),
        (DELETED, {"IfMatch": "own"}, 412, "PreconditionFailed"),
        (THERE, {"IfMatchSize": 6}, 204, ""),
        (THERE, {"IfMatchSize": 7}, 412, "PreconditionFailed"),
        (THERE, {"IfMatchLastModifiedTime": PAST}, 412, "PreconditionFailed"),
    ],
)
def test_a_deletion_depends_on_what_is_there(place: Place, state: str, conditions: Any, status: int, code: str) -> None:
    etag = prepared(place, state)
    asked = {name: own(value, etag) for name, value in conditions.items()}
    if status == 204:
        assert place.do("delete_object", **asked)["DeleteMarker"] is True
    else:
        assert place.refused("delete_object", **asked) == (status, code)
        assert (place.raw("HEAD").status == 200) is (state == THERE)


def test_a_deletion_knows_the_time_of_the_last_write(place: Place) -> None:
    place.put()
    modified = place.do("head_object")["LastModified"]
    assert place.do("delete_object", IfMatchLastModifiedTime=modified)["DeleteMarker"] is True


def test_a_version_is_deleted_under_conditions_of_its_own(place: Place) -> None:
    older, newer = place.put(body=b"one"), place.put(body=b"other")
    wrong = {"VersionId": older["VersionId"], "IfMatch": newer["ETag"]}
    assert place.refused("delete_object", **wrong) == (412, "PreconditionFailed")
    place.do("delete_object", VersionId=older["VersionId"], IfMatch=older["ETag"])
    assert [id for _, id, _, _ in place.versions()] == [newer["VersionId"]]


def test_each_of_many_is_deleted_under_its_own_conditions(place: Place) -> None:
    etags = {name: place.put(name, name.encode())["ETag"] for name in ("a", "b", "c")}
    modified = place.do("head_object", "c")["LastModified"]
    wishes = [
        {"Key": place.key("a"), "ETag": etags["b"]}, {"Key": place.key("b"), "ETag": etags["b"], "Size": 1},
        {"Key": place.key("c"), "LastModifiedTime": modified}, {"Key": place.key("d"), "ETag": "*"},
    ]  # fmt: skip
    answer = place.do("delete_objects", None, Delete={"Objects": wishes})
    assert [item["Key"] for item in answer["Deleted"]] == [place.key("b"), place.key("c")]
    told = [(item["Key"], item["Code"]) for item in answer["Errors"]]
    assert told == [(place.key("a"), "PreconditionFailed"), (place.key("d"), "NoSuchKey")]


# Copying


@pytest.mark.parametrize(
    ("conditions", "taken"),
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
def test_a_copy_depends_on_its_source(place: Place, conditions: Any, taken: bool, in_part: bool) -> None:
    etag = place.put("source")["ETag"]
    asked = {f"CopySource{name}": own(value, etag) for name, value in conditions.items()}
    asked["CopySource"] = {"Bucket": place.name, "Key": place.key("source")}
    if in_part:
        asked |= {"UploadId": place.begin(), "PartNumber": 1}
    operation = "upload_part_copy" if in_part else "copy_object"
    if taken:
        assert place.do(operation, **asked)
    else:
        assert place.refused(operation, **asked) == (412, "PreconditionFailed")
