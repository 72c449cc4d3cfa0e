"""Versions and delete markers: written, read, listed, removed and restored."""

import threading
from typing import Any

import pytest

from tests.s3.prefixed_bucket import PrefixedBucket


def write_versions(bucket: PrefixedBucket, count: int, key: str = "object") -> list[str]:
    """Write versions that contain their number; return their ids, oldest first."""
    return [bucket.put(key, f"content-{number}".encode())["VersionId"] for number in range(count)]


def test_versioning_cannot_be_suspended(bucket: PrefixedBucket) -> None:
    assert bucket.call("get_bucket_versioning", None)["Status"] == "Enabled"
    bucket.call("put_bucket_versioning", None, VersioningConfiguration={"Status": "Enabled"})
    suspended = {"VersioningConfiguration": {"Status": "Suspended"}}
    assert bucket.refused("put_bucket_versioning", None, **suspended) == (409, "InvalidBucketState")
    wrong = {"VersioningConfiguration": {"Status": "Perhaps"}}
    assert bucket.refused("put_bucket_versioning", None, **wrong) == (400, "MalformedXML")


def test_every_write_is_a_version_and_the_newest_is_current(bucket: PrefixedBucket) -> None:
    ids = write_versions(bucket, 3)
    assert len(set(ids)) == 3
    for number, id in enumerate(ids):
        assert bucket.read(VersionId=id) == f"content-{number}".encode()
        assert bucket.call("head_object", VersionId=id)["VersionId"] == id
    assert bucket.read() == b"content-2"
    assert bucket.versions() == [
        ("object", ids[2], True, False), ("object", ids[1], False, False), ("object", ids[0], False, False),
    ]  # fmt: skip


@pytest.mark.parametrize("order", [[2, 1, 0], [0, 1, 2], [1, 2, 0]])
def test_removing_the_current_version_reveals_the_previous_one(bucket: PrefixedBucket, order: list[int]) -> None:
    ids, left = write_versions(bucket, 3), [0, 1, 2]
    for number in order:
        answer = bucket.call("delete_object", VersionId=ids[number])
        assert answer["VersionId"] == ids[number] and "DeleteMarker" not in answer
        left.remove(number)
        if left:
            assert bucket.read() == f"content-{max(left)}".encode()
        assert bucket.refused("get_object", VersionId=ids[number])[0] == 404
    assert bucket.versions() == []
    assert bucket.refused("get_object") == (404, "NoSuchKey")


@pytest.mark.parametrize("key", ["_", ":", " ", "?versionId", "é"])
def test_versions_of_unusual_keys_are_removed(bucket: PrefixedBucket, key: str) -> None:
    for id in write_versions(bucket, 2, key):
        bucket.call("delete_object", key, VersionId=id)
    assert bucket.versions() == []


def test_a_delete_marker_hides_the_object_until_it_is_removed(bucket: PrefixedBucket) -> None:
    (id,) = write_versions(bucket, 1)
    marker = bucket.call("delete_object")
    assert marker["DeleteMarker"] is True and marker["VersionId"] != id
    reply = bucket.request("GET")
    assert (reply.status, reply.code, reply.headers["x-amz-delete-marker"]) == (404, "NoSuchKey", "true")
    assert reply.headers["x-amz-version-id"] == marker["VersionId"]
    assert "Contents" not in bucket.call("list_objects_v2", None, Prefix=bucket.prefix)
    assert sorted(bucket.versions()) == sorted(
        [("object", id, False, False), ("object", marker["VersionId"], True, True)]
    )
    assert bucket.read(VersionId=id) == b"content-0"
    removed = bucket.call("delete_object", VersionId=marker["VersionId"])
    assert (removed["DeleteMarker"], removed["VersionId"]) == (True, marker["VersionId"])
    assert bucket.read() == b"content-0"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_delete_marker_cannot_be_read(bucket: PrefixedBucket, method: str) -> None:
    bucket.put()
    marker = bucket.call("delete_object")["VersionId"]
    reply = bucket.request(method, query=f"versionId={marker}")
    assert (reply.status, reply.headers["x-amz-delete-marker"], reply.headers["allow"]) == (405, "true", "DELETE")
    assert method == "HEAD" or reply.code == "MethodNotAllowed"
    for query in ("tagging", "acl", "attributes"):
        headers = {"x-amz-object-attributes": "ETag"}
        assert bucket.request("GET", query=f"{query}&versionId={marker}", headers=headers).status == 405


@pytest.mark.parametrize("query", ["", "&tagging", "&acl"])
def test_an_unknown_version_is_refused(bucket: PrefixedBucket, query: str) -> None:
    bucket.put()
    reply = bucket.request("GET", query=f"versionId=01a1dfb0-ef80-7001-958b-f66067b9c3f0{query}")
    assert (reply.status, reply.code) == (404, "NoSuchVersion")


def test_every_deletion_adds_a_delete_marker(bucket: PrefixedBucket) -> None:
    markers = [bucket.call("delete_object")["VersionId"] for _ in range(2)]
    assert bucket.versions() == [("object", markers[1], True, True), ("object", markers[0], False, True)]
    id = bucket.put()["VersionId"]
    assert bucket.read() == b"bytes"
    for gone in (*markers, id):
        bucket.call("delete_object", VersionId=gone)
    assert bucket.versions() == []


def test_a_delete_marker_without_an_object_does_not_block_others(
    bucket: PrefixedBucket, other_member: PrefixedBucket
) -> None:
    assert bucket.call("delete_object")["DeleteMarker"] is True
    assert "DeleteMarker" not in other_member.call("delete_object")
    other_member.put(body=b"theirs")
    assert other_member.read() == b"theirs" and len(other_member.versions()) == 1
    assert bucket.versions() == [] and bucket.refused("put_object") == (403, "AccessDenied")


def test_versions_and_delete_markers_are_removed_in_bulk(bucket: PrefixedBucket) -> None:
    ids = write_versions(bucket, 2)
    answer = bucket.call("delete_objects", None, Delete={"Objects": [{"Key": bucket.key()}]})
    (deleted,) = answer["Deleted"]
    assert deleted["DeleteMarker"] is True and "VersionId" not in deleted
    marker = deleted["DeleteMarkerVersionId"]
    assert ("object", marker, True, True) in bucket.versions()
    objects = {"Objects": [{"Key": bucket.key(), "VersionId": id} for id in (*ids, marker)]}
    answer = bucket.call("delete_objects", None, Delete=objects)
    assert {item["VersionId"] for item in answer["Deleted"]} == {*ids, marker}
    assert [item.get("DeleteMarkerVersionId") for item in answer["Deleted"] if item.get("DeleteMarker")] == [marker]
    assert bucket.versions() == []
    assert len(bucket.call("delete_objects", None, Delete=objects)["Deleted"]) == 3
    assert bucket.versions() == []


def test_a_bulk_deletion_of_missing_keys_adds_delete_markers(bucket: PrefixedBucket) -> None:
    (deleted,) = bucket.call("delete_objects", None, Delete={"Objects": [{"Key": bucket.key()}]})["Deleted"]
    assert deleted["DeleteMarker"] is True
    assert bucket.versions() == [("object", deleted["DeleteMarkerVersionId"], True, True)]


def test_a_multipart_upload_is_a_version_like_any_other(bucket: PrefixedBucket) -> None:
    ids = [bucket.put_multipart("object", body)["VersionId"] for body in (b"one", b"other")]
    assert bucket.read() == b"other" and bucket.read(VersionId=ids[0]) == b"one"
    for id in ids:
        bucket.call("delete_object", VersionId=id)
    assert bucket.versions() == []


# Lists


@pytest.mark.parametrize("max_keys", [1, 2, 3, 4, 7, 100])
def test_versions_are_listed_page_by_page(bucket: PrefixedBucket, max_keys: int) -> None:
    keys = [("a", 3), ("b", 1), ("c/d", 2)]
    expected = [(key, id) for key, count in keys for id in reversed(write_versions(bucket, count, key))]
    seen: list[tuple[str, str]] = []
    parameters: dict[str, Any] = {}
    while True:
        page = bucket.call("list_object_versions", None, Prefix=bucket.prefix, MaxKeys=max_keys, **parameters)
        found = page.get("Versions", [])
        assert len(found) <= max_keys
        seen += [(item["Key"].removeprefix(bucket.prefix), item["VersionId"]) for item in found]
        if not page["IsTruncated"]:
            break
        parameters = {"KeyMarker": page["NextKeyMarker"], "VersionIdMarker": page["NextVersionIdMarker"]}
    assert seen == expected


def test_versions_are_grouped_into_folders(bucket: PrefixedBucket) -> None:
    for key in ("a/x", "a/y", "b", "c/z"):
        write_versions(bucket, 2, key)
    bucket.call("delete_object", "c/z")
    filters: dict[str, Any] = {"Prefix": bucket.prefix, "Delimiter": "/"}
    page = bucket.call("list_object_versions", None, **filters)
    assert [item["Prefix"] for item in page["CommonPrefixes"]] == [bucket.key("a/"), bucket.key("c/")]
    assert [item["Key"] for item in page["Versions"]] == [bucket.key("b")] * 2
    first = bucket.call("list_object_versions", None, **filters, MaxKeys=1)
    assert (first["IsTruncated"], first["NextKeyMarker"]) == (True, bucket.key("a/"))
    rest = bucket.call("list_object_versions", None, **filters, KeyMarker=first["NextKeyMarker"])
    assert [item["Prefix"] for item in rest["CommonPrefixes"]] == [bucket.key("c/")]


def test_a_key_marker_alone_skips_all_versions_of_the_key(bucket: PrefixedBucket) -> None:
    write_versions(bucket, 2, "a")
    write_versions(bucket, 1, "b")
    assert [key for key, *_ in bucket.versions(KeyMarker=bucket.key("a"))] == ["b"]
    alone = {"VersionIdMarker": "01a1dfb0-ef80-7001-958b-f66067b9c3f0"}
    assert bucket.refused("list_object_versions", None, **alone) == (400, "InvalidArgument")


def test_versions_have_size_etag_and_time(bucket: PrefixedBucket) -> None:
    etag = bucket.put(body=b"12345")["ETag"]
    (item,) = bucket.call("list_object_versions", None, Prefix=bucket.prefix)["Versions"]
    assert (item["Size"], item["ETag"], item["StorageClass"]) == (5, etag, "STANDARD")
    assert item["LastModified"].replace(microsecond=0) == bucket.call("head_object")["LastModified"]


# Concurrency


def test_versions_are_written_and_removed_concurrently(bucket: PrefixedBucket) -> None:
    def write_and_remove(number: int) -> None:
        id = bucket.put("shared", str(number).encode())["VersionId"]
        assert bucket.read("shared", VersionId=id) == str(number).encode()
        bucket.call("delete_object", "shared", VersionId=id)

    threads = [threading.Thread(target=write_and_remove, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bucket.versions() == []


def test_the_same_versions_are_deleted_concurrently(bucket: PrefixedBucket) -> None:
    ids = [(key, id) for key in ("a", "b") for id in write_versions(bucket, 3, key)]
    objects = {"Objects": [{"Key": bucket.key(key), "VersionId": id} for key, id in ids]}
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda: answers.append(bucket.call("delete_objects", None, Delete=objects)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(answer["Deleted"]) for answer in answers] == [6] * 4
    assert not any("Errors" in answer for answer in answers)
    assert bucket.versions() == []
