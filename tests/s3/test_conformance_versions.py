"""Versions: made, read, listed, removed and brought back, with the marks of what was deleted."""

import threading
from typing import Any

import pytest

from tests.s3.places import Place


def written(place: Place, count: int, key: str = "object") -> list[str]:
    """The ids of so many versions, oldest first; each holds its number."""
    return [place.put(key, f"content-{number}".encode())["VersionId"] for number in range(count)]


def test_the_bucket_keeps_versions_and_cannot_stop_to(place: Place) -> None:
    assert place.do("get_bucket_versioning", None)["Status"] == "Enabled"
    place.do("put_bucket_versioning", None, VersioningConfiguration={"Status": "Enabled"})
    suspended = {"VersioningConfiguration": {"Status": "Suspended"}}
    assert place.refused("put_bucket_versioning", None, **suspended) == (409, "InvalidBucketState")
    wrong = {"VersioningConfiguration": {"Status": "Perhaps"}}
    assert place.refused("put_bucket_versioning", None, **wrong) == (400, "MalformedXML")


def test_every_write_is_kept_and_the_newest_is_shown(place: Place) -> None:
    ids = written(place, 3)
    assert len(set(ids)) == 3
    for number, id in enumerate(ids):
        assert place.read(VersionId=id) == f"content-{number}".encode()
        assert place.do("head_object", VersionId=id)["VersionId"] == id
    assert place.read() == b"content-2"
    assert place.versions() == [
        ("object", ids[2], True, False), ("object", ids[1], False, False), ("object", ids[0], False, False),
    ]  # fmt: skip


@pytest.mark.parametrize("order", [[2, 1, 0], [0, 1, 2], [1, 2, 0]])
def test_a_removed_version_shows_the_one_before(place: Place, order: list[int]) -> None:
    ids, left = written(place, 3), [0, 1, 2]
    for number in order:
        answer = place.do("delete_object", VersionId=ids[number])
        assert answer["VersionId"] == ids[number] and "DeleteMarker" not in answer
        left.remove(number)
        if left:
            assert place.read() == f"content-{max(left)}".encode()
        assert place.refused("get_object", VersionId=ids[number])[0] == 404
    assert place.versions() == []
    assert place.refused("get_object") == (404, "NoSuchKey")


@pytest.mark.parametrize("key", ["_", ":", " ", "?versionId", "é"])
def test_versions_of_odd_keys_are_removed(place: Place, key: str) -> None:
    for id in written(place, 2, key):
        place.do("delete_object", key, VersionId=id)
    assert place.versions() == []


def test_a_mark_hides_and_its_removal_brings_back(place: Place) -> None:
    (id,) = written(place, 1)
    mark = place.do("delete_object")
    assert mark["DeleteMarker"] is True and mark["VersionId"] != id
    reply = place.raw("GET")
    assert (reply.status, reply.code, reply.headers["x-amz-delete-marker"]) == (404, "NoSuchKey", "true")
    assert reply.headers["x-amz-version-id"] == mark["VersionId"]
    assert "Contents" not in place.do("list_objects_v2", None, Prefix=place.prefix)
    assert sorted(place.versions()) == sorted([("object", id, False, False), ("object", mark["VersionId"], True, True)])
    assert place.read(VersionId=id) == b"content-0"
    removed = place.do("delete_object", VersionId=mark["VersionId"])
    assert (removed["DeleteMarker"], removed["VersionId"]) == (True, mark["VersionId"])
    assert place.read() == b"content-0"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_mark_cannot_be_read(place: Place, method: str) -> None:
    place.put()
    mark = place.do("delete_object")["VersionId"]
    reply = place.raw(method, query=f"versionId={mark}")
    assert (reply.status, reply.headers["x-amz-delete-marker"], reply.headers["allow"]) == (405, "true", "DELETE")
    assert method == "HEAD" or reply.code == "MethodNotAllowed"
    for query in ("tagging", "acl", "attributes"):
        headers = {"x-amz-object-attributes": "ETag"}
        assert place.raw("GET", query=f"{query}&versionId={mark}", headers=headers).status == 405


@pytest.mark.parametrize("query", ["", "&tagging", "&acl"])
def test_a_version_that_never_was_is_told(place: Place, query: str) -> None:
    place.put()
    reply = place.raw("GET", query=f"versionId=01a1dfb0-ef80-7001-958b-f66067b9c3f0{query}")
    assert (reply.status, reply.code) == (404, "NoSuchVersion")


def test_every_deletion_leaves_a_mark_of_its_own(place: Place) -> None:
    marks = [place.do("delete_object")["VersionId"] for _ in range(2)]
    assert place.versions() == [("object", marks[1], True, True), ("object", marks[0], False, True)]
    id = place.put()["VersionId"]
    assert place.read() == b"bytes"
    for gone in (*marks, id):
        place.do("delete_object", VersionId=gone)
    assert place.versions() == []


def test_a_mark_where_nothing_was_is_in_nobodys_way(place: Place, other: Place) -> None:
    assert place.do("delete_object")["DeleteMarker"] is True
    assert "DeleteMarker" not in other.do("delete_object")
    other.put(body=b"theirs")
    assert other.read() == b"theirs" and len(other.versions()) == 1
    assert place.versions() == [] and place.refused("put_object") == (403, "AccessDenied")


def test_many_versions_and_marks_are_removed_at_once(place: Place) -> None:
    ids = written(place, 2)
    answer = place.do("delete_objects", None, Delete={"Objects": [{"Key": place.key()}]})
    (deleted,) = answer["Deleted"]
    assert deleted["DeleteMarker"] is True and "VersionId" not in deleted
    mark = deleted["DeleteMarkerVersionId"]
    assert ("object", mark, True, True) in place.versions()
    wish = {"Objects": [{"Key": place.key(), "VersionId": id} for id in (*ids, mark)]}
    answer = place.do("delete_objects", None, Delete=wish)
    assert {item["VersionId"] for item in answer["Deleted"]} == {*ids, mark}
    assert [item.get("DeleteMarkerVersionId") for item in answer["Deleted"] if item.get("DeleteMarker")] == [mark]
    assert place.versions() == []
    assert len(place.do("delete_objects", None, Delete=wish)["Deleted"]) == 3
    assert place.versions() == []


def test_deleting_many_that_are_not_there_leaves_marks(place: Place) -> None:
    (deleted,) = place.do("delete_objects", None, Delete={"Objects": [{"Key": place.key()}]})["Deleted"]
    assert deleted["DeleteMarker"] is True
    assert place.versions() == [("object", deleted["DeleteMarkerVersionId"], True, True)]


def test_an_upload_in_parts_is_a_version_like_any_other(place: Place) -> None:
    ids = [place.in_parts("object", body)["VersionId"] for body in (b"one", b"other")]
    assert place.read() == b"other" and place.read(VersionId=ids[0]) == b"one"
    for id in ids:
        place.do("delete_object", VersionId=id)
    assert place.versions() == []


# Lists


@pytest.mark.parametrize("most", [1, 2, 3, 4, 7, 100])
def test_versions_are_listed_page_by_page(place: Place, most: int) -> None:
    keys = [("a", 3), ("b", 1), ("c/d", 2)]
    expected = [(key, id) for key, count in keys for id in reversed(written(place, count, key))]
    seen: list[tuple[str, str]] = []
    parameters: dict[str, Any] = {}
    while True:
        page = place.do("list_object_versions", None, Prefix=place.prefix, MaxKeys=most, **parameters)
        found = page.get("Versions", [])
        assert len(found) <= most
        seen += [(item["Key"].removeprefix(place.prefix), item["VersionId"]) for item in found]
        if not page["IsTruncated"]:
            break
        parameters = {"KeyMarker": page["NextKeyMarker"], "VersionIdMarker": page["NextVersionIdMarker"]}
    assert seen == expected


def test_versions_are_folded_into_folders(place: Place) -> None:
    for key in ("a/x", "a/y", "b", "c/z"):
        written(place, 2, key)
    place.do("delete_object", "c/z")
    asked: dict[str, Any] = {"Prefix": place.prefix, "Delimiter": "/"}
    page = place.do("list_object_versions", None, **asked)
    assert [item["Prefix"] for item in page["CommonPrefixes"]] == [place.key("a/"), place.key("c/")]
    assert [item["Key"] for item in page["Versions"]] == [place.key("b")] * 2
    first = place.do("list_object_versions", None, **asked, MaxKeys=1)
    assert (first["IsTruncated"], first["NextKeyMarker"]) == (True, place.key("a/"))
    rest = place.do("list_object_versions", None, **asked, KeyMarker=first["NextKeyMarker"])
    assert [item["Prefix"] for item in rest["CommonPrefixes"]] == [place.key("c/")]


def test_a_key_marker_alone_is_beyond_all_versions_of_the_key(place: Place) -> None:
    written(place, 2, "a")
    written(place, 1, "b")
    assert [key for key, *_ in place.versions(KeyMarker=place.key("a"))] == ["b"]
    alone = {"VersionIdMarker": "01a1dfb0-ef80-7001-958b-f66067b9c3f0"}
    assert place.refused("list_object_versions", None, **alone) == (400, "InvalidArgument")


def test_versions_tell_size_tag_and_time(place: Place) -> None:
    etag = place.put(body=b"12345")["ETag"]
    (item,) = place.do("list_object_versions", None, Prefix=place.prefix)["Versions"]
    assert (item["Size"], item["ETag"], item["StorageClass"]) == (5, etag, "STANDARD")
    assert item["LastModified"].replace(microsecond=0) == place.do("head_object")["LastModified"]


# At the same time


def test_versions_are_made_and_removed_by_many_at_once(place: Place) -> None:
    def make_and_remove(number: int) -> None:
        id = place.put("shared", str(number).encode())["VersionId"]
        assert place.read("shared", VersionId=id) == str(number).encode()
        place.do("delete_object", "shared", VersionId=id)

    threads = [threading.Thread(target=make_and_remove, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert place.versions() == []


def test_many_deletions_of_the_same_versions_at_once(place: Place) -> None:
    ids = [(key, id) for key in ("a", "b") for id in written(place, 3, key)]
    wish = {"Objects": [{"Key": place.key(key), "VersionId": id} for key, id in ids]}
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda: answers.append(place.do("delete_objects", None, Delete=wish))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(answer["Deleted"]) for answer in answers] == [6] * 4
    assert not any("Errors" in answer for answer in answers)
    assert place.versions() == []
