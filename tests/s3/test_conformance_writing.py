"""Writing and deleting objects: keys of every kind, many at once, and what cannot be meant."""

import base64
import hashlib
import threading
from typing import Any

import pytest

from tests.s3.places import Place

SPECIAL = [
    " ", '"', "$", "%", "&", "'", "<", ">", "_", "_ ", "_ _", "__", "a b", "a+b", "a%20b", "a%2Fb", "?versionId", "?a=b",
    "#", "a//b", "a/", "/a", "//", "é", "日本/語", "😀", "a\\b", "~", "*", "a:b", "a;b", "a@b", "[x]", "{x}", "|", "^",
]  # fmt: skip


@pytest.mark.parametrize("key", SPECIAL)
def test_a_key_is_kept_byte_for_byte(place: Place, key: str) -> None:
    place.put(key, key.encode())
    assert place.read(key) == key.encode()
    page = place.do("list_objects_v2", None, Prefix=place.prefix)
    assert [item["Key"] for item in page["Contents"]] == [place.key(key)]
    place.do("copy_object", "copy", CopySource={"Bucket": place.name, "Key": place.key(key)})
    assert place.read("copy") == key.encode()
    place.do("put_object_acl", key, ACL="private")
    gone = place.do("delete_objects", None, Delete={"Objects": [{"Key": place.key(key)}]})
    assert gone["Deleted"][0]["Key"] == place.key(key)
    assert place.refused("head_object", key)[0] == 404


def test_a_key_may_have_1024_bytes(place: Place) -> None:
    longest = "é" * ((1024 - len(place.prefix)) // 2)
    longest += "x" * (1024 - len(place.key(longest).encode()))
    place.put(longest)
    assert place.read(longest) == b"bytes"
    assert place.refused("put_object", longest + "x") == (400, "KeyTooLongError")


def test_the_tag_is_the_md5_of_the_bytes(place: Place) -> None:
    assert place.put(body=b"bar")["ETag"] == f'"{hashlib.md5(b"bar").hexdigest()}"'


def test_written_read_overwritten_and_deleted(place: Place) -> None:
    for body in (b"bar", b"soup"):
        place.put(body=body)
        assert place.read() == body
    assert place.raw("DELETE").status == 204
    assert place.refused("get_object") == (404, "NoSuchKey")


def test_a_body_in_chunks_of_http_is_taken_if_it_is_whole(place: Place) -> None:
    framed, chunked = b"3\r\nbar\r\n3\r\nbaz\r\n0\r\n\r\n", {"Transfer-Encoding": "chunked"}
    assert place.raw("PUT", body=b"barbaz", after=chunked, sent=framed).status == 200
    assert place.read() == b"barbaz"
    assert place.raw("PUT", body=b"barbar", after=chunked, sent=framed).code == "XAmzContentSHA256Mismatch"
    assert place.read() == b"barbaz"


# Sums and lengths


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Content-MD5": base64.b64encode(hashlib.md5(b"bytes").digest()).decode()}, 200, ""),
        ({"Content-MD5": "rL0Y20xC+Fzt72VPzMSk2A=="}, 400, "BadDigest"),
        ({"Content-MD5": "YWJyYWNhZGFicmE="}, 400, "InvalidDigest"),
        ({"Content-MD5": ""}, 400, "InvalidDigest"),
        ({"Content-MD5": "not base64"}, 400, "InvalidDigest"),
        ({"Content-Type": ""}, 200, ""),
        ({"Content-Type": "text/plain"}, 200, ""),
        ({"Expect": "200"}, 200, ""),
        ({"Expect": ""}, 200, ""),
        ({"User-Agent": ""}, 200, ""),
        ({"x-amz-acl": "private"}, 200, ""),
        ({"x-amz-acl": "public-ready"}, 400, "AccessControlListNotSupported"),
        ({"x-amz-acl": "public-read"}, 400, "AccessControlListNotSupported"),
        ({"x-amz-grant-read": "id=x"}, 400, "AccessControlListNotSupported"),
        ({"x-amz-storage-class": "STANDARD"}, 200, ""),
        ({"x-amz-server-side-encryption": "AES256"}, 501, "NotImplemented"),
        ({"x-amz-object-lock-mode": "GOVERNANCE"}, 501, "NotImplemented"),
    ],
)
def test_a_write_is_taken_or_refused_by_its_headers(
    place: Place, headers: dict[str, str], status: int, code: str
) -> None:
    reply = place.raw("PUT", body=b"bytes", headers=headers)
    assert (reply.status, reply.code) == (status, code)
    assert (place.raw("HEAD").status == 200) is (status == 200)


@pytest.mark.parametrize(
    ("after", "status"),
    [
        ({"Content-Length": "-1"}, 400),
        ({"Content-Length": ""}, 400),
        ({"Content-Length": "five"}, 400),
        ({"Content-Length": "3"}, 400),
    ],
)
def test_a_length_that_is_none_is_refused(place: Place, after: dict[str, str | None], status: int) -> None:
    assert place.raw("PUT", body=b"bytes", after=after).status == status
    assert place.raw("HEAD").status == 404


def test_a_body_needs_a_length(place: Place) -> None:
    assert place.waiting(b"", {}, signed=True).startswith(b"HTTP/1.1 411")


@pytest.mark.parametrize(("signed", "told"), [(True, b"HTTP/1.1 100"), (False, b"HTTP/1.1 403")])
def test_who_waits_is_told_to_go_on_only_if_the_body_is_wanted(place: Place, signed: bool, told: bytes) -> None:
    waits = {"Content-Length": "100", "Expect": "100-continue"}
    assert place.waiting(b"x" * 100, waits, signed=signed).startswith(told)


def test_no_other_request_is_taken_for_a_body_that_was_not_wanted(place: Place) -> None:
    waits = {"Content-Length": "100", "Expect": "100-continue"}
    for _ in range(30):
        assert b"\r\nconnection: close\r\n" in place.waiting(b"x" * 100, waits, signed=False).lower()
    for _ in range(30):
        assert place.refused("put_object", Body=b"x", IfMatch='"x"') == (404, "NoSuchKey")


# Deleting


def test_deleting_what_is_not_there_is_no_fault(place: Place) -> None:
    answer = place.do("delete_object")
    assert answer["DeleteMarker"] is True and answer["VersionId"]
    assert place.raw("DELETE", query="versionId=nothing").status == 204


@pytest.mark.parametrize("way", ["list_objects", "list_objects_v2"])
def test_many_are_deleted_at_once_and_once_more(place: Place, way: str) -> None:
    place.fill("key0", "key1", "key2")
    wish = {"Objects": [{"Key": place.key(f"key{number}")} for number in range(3)]}
    for _ in range(2):
        answer = place.do("delete_objects", None, Delete=wish)
        assert len(answer["Deleted"]) == 3 and "Errors" not in answer
        assert "Contents" not in place.do(way, None, Prefix=place.prefix)


def test_who_wants_no_answer_hears_of_faults_alone(place: Place) -> None:
    place.fill("a")
    wish: dict[str, Any] = {"Objects": [{"Key": place.key("a")}, {"Key": "x" * 1025}], "Quiet": True}
    answer = place.do("delete_objects", None, Delete=wish)
    assert "Deleted" not in answer and [item["Code"] for item in answer["Errors"]] == ["KeyTooLongError"]


def test_a_thousand_are_deleted_and_no_more(place: Place) -> None:
    wish = [{"Key": place.key(f"{number:04}"), "VersionId": "nothing"} for number in range(1001)]
    assert place.refused("delete_objects", None, Delete={"Objects": wish}) == (400, "MalformedXML")
    assert len(place.do("delete_objects", None, Delete={"Objects": wish[1:]})["Deleted"]) == 1000


@pytest.mark.parametrize(
    "body",
    [
        b"", b"nonsense", b"<Delete/>", b"<Delete><Object/></Delete>", b"<Delete><Object><Key></Key></Object></Delete>",
        b"<Other><Object><Key>a</Key></Object></Other>", b"<Delete><Object><Key>a</Key></Object>",
    ],
)  # fmt: skip
def test_a_deletion_that_names_nothing_is_refused(place: Place, body: bytes) -> None:
    digest = base64.b64encode(hashlib.md5(body).digest()).decode()
    reply = place.raw("POST", None, "delete", body, {"Content-MD5": digest})
    assert (reply.status, reply.code) == (400, "MalformedXML")


# At the same time


def test_writers_at_once_leave_one_of_their_wholes(place: Place) -> None:
    size = 1024 * 1024
    bodies = [letter * size for letter in (b"a", b"b", b"c")]
    threads = [threading.Thread(target=place.put, args=("object", body)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    versions = place.versions()
    assert len(versions) == 3 and [latest for _, _, latest, _ in versions] == [True, False, False]
    assert sorted(place.read(VersionId=id) for _, id, _, _ in versions) == bodies
    assert place.read() == place.read(VersionId=versions[0][1])
