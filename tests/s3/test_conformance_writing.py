"""Writing and deleting objects: unusual keys, headers, bulk deletions and concurrency."""

import base64
import hashlib
import threading
from typing import Any

import pytest

from tests.s3.prefixed_bucket import PrefixedBucket

SPECIAL = [
    " ", '"', "$", "%", "&", "'", "<", ">", "_", "_ ", "_ _", "__", "a b", "a+b", "a%20b", "a%2Fb", "?versionId", "?a=b",
    "#", "a//b", "a/", "/a", "//", "é", "日本/語", "😀", "a\\b", "~", "*", "a:b", "a;b", "a@b", "[x]", "{x}", "|", "^",
]  # fmt: skip


@pytest.mark.parametrize("key", SPECIAL)
def test_an_unusual_key_is_stored_unchanged(bucket: PrefixedBucket, key: str) -> None:
    bucket.put(key, key.encode())
    assert bucket.read(key) == key.encode()
    page = bucket.call("list_objects_v2", None, Prefix=bucket.prefix)
    assert [item["Key"] for item in page["Contents"]] == [bucket.key(key)]
    bucket.call("copy_object", "copy", CopySource={"Bucket": bucket.name, "Key": bucket.key(key)})
    assert bucket.read("copy") == key.encode()
    bucket.call("put_object_acl", key, ACL="private")
    gone = bucket.call("delete_objects", None, Delete={"Objects": [{"Key": bucket.key(key)}]})
    assert gone["Deleted"][0]["Key"] == bucket.key(key)
    assert bucket.refused("head_object", key)[0] == 404


def test_a_key_is_limited_to_1024_bytes(bucket: PrefixedBucket) -> None:
    longest = "é" * ((1024 - len(bucket.prefix)) // 2)
    longest += "x" * (1024 - len(bucket.key(longest).encode()))
    bucket.put(longest)
    assert bucket.read(longest) == b"bytes"
    assert bucket.refused("put_object", longest + "x") == (400, "KeyTooLongError")


def test_the_etag_is_the_md5_of_the_content(bucket: PrefixedBucket) -> None:
    assert bucket.put(body=b"bar")["ETag"] == f'"{hashlib.md5(b"bar").hexdigest()}"'


def test_an_object_is_written_read_overwritten_and_deleted(bucket: PrefixedBucket) -> None:
    for body in (b"bar", b"soup"):
        bucket.put(body=body)
        assert bucket.read() == body
    assert bucket.request("DELETE").status == 204
    assert bucket.refused("get_object") == (404, "NoSuchKey")


def test_a_chunked_body_is_accepted_if_its_hash_matches(bucket: PrefixedBucket) -> None:
    body, chunked = b"3\r\nbar\r\n3\r\nbaz\r\n0\r\n\r\n", {"Transfer-Encoding": "chunked"}
    assert bucket.request("PUT", body=b"barbaz", after=chunked, sent=body).status == 200
    assert bucket.read() == b"barbaz"
    assert bucket.request("PUT", body=b"barbar", after=chunked, sent=body).code == "XAmzContentSHA256Mismatch"
    assert bucket.read() == b"barbaz"


# Checksums and lengths


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
def test_a_write_is_accepted_or_refused_by_its_headers(
    bucket: PrefixedBucket, headers: dict[str, str], status: int, code: str
) -> None:
    reply = bucket.request("PUT", body=b"bytes", headers=headers)
    assert (reply.status, reply.code) == (status, code)
    assert (bucket.request("HEAD").status == 200) is (status == 200)


@pytest.mark.parametrize(
    ("after", "status"),
    [
        ({"Content-Length": "-1"}, 400),
        ({"Content-Length": ""}, 400),
        ({"Content-Length": "five"}, 400),
        ({"Content-Length": "3"}, 400),
    ],
)
def test_an_invalid_content_length_is_refused(
    bucket: PrefixedBucket, after: dict[str, str | None], status: int
) -> None:
    assert bucket.request("PUT", body=b"bytes", after=after).status == status
    assert bucket.request("HEAD").status == 404


def test_a_content_length_is_required(bucket: PrefixedBucket) -> None:
    assert bucket.send_headers(b"", {}, signed=True).startswith(b"HTTP/1.1 411")


@pytest.mark.parametrize(("signed", "expected"), [(True, b"HTTP/1.1 100"), (False, b"HTTP/1.1 403")])
def test_expect_100_continue_is_answered_after_authentication(
    bucket: PrefixedBucket, signed: bool, expected: bytes
) -> None:
    headers = {"Content-Length": "100", "Expect": "100-continue"}
    assert bucket.send_headers(b"x" * 100, headers, signed=signed).startswith(expected)


def test_the_connection_closes_after_a_refused_expect_100_continue(bucket: PrefixedBucket) -> None:
    headers = {"Content-Length": "100", "Expect": "100-continue"}
    for _ in range(30):
        assert b"\r\nconnection: close\r\n" in bucket.send_headers(b"x" * 100, headers, signed=False).lower()
    for _ in range(30):
        assert bucket.refused("put_object", Body=b"x", IfMatch='"x"') == (404, "NoSuchKey")


# Deleting


def test_deleting_a_missing_object_succeeds(bucket: PrefixedBucket) -> None:
    answer = bucket.call("delete_object")
    assert answer["DeleteMarker"] is True and answer["VersionId"]
    assert bucket.request("DELETE", query="versionId=nothing").status == 204


@pytest.mark.parametrize("operation", ["list_objects", "list_objects_v2"])
def test_a_bulk_deletion_can_be_repeated(bucket: PrefixedBucket, operation: str) -> None:
    bucket.fill("key0", "key1", "key2")
    objects = {"Objects": [{"Key": bucket.key(f"key{number}")} for number in range(3)]}
    for _ in range(2):
        answer = bucket.call("delete_objects", None, Delete=objects)
        assert len(answer["Deleted"]) == 3 and "Errors" not in answer
        assert "Contents" not in bucket.call(operation, None, Prefix=bucket.prefix)


def test_a_quiet_bulk_deletion_returns_only_errors(bucket: PrefixedBucket) -> None:
    bucket.fill("a")
    objects: dict[str, Any] = {"Objects": [{"Key": bucket.key("a")}, {"Key": "x" * 1025}], "Quiet": True}
    answer = bucket.call("delete_objects", None, Delete=objects)
    assert "Deleted" not in answer and [item["Code"] for item in answer["Errors"]] == ["KeyTooLongError"]


def test_a_bulk_deletion_is_limited_to_a_thousand_keys(bucket: PrefixedBucket) -> None:
    objects = [{"Key": bucket.key(f"{number:04}"), "VersionId": "nothing"} for number in range(1001)]
    assert bucket.refused("delete_objects", None, Delete={"Objects": objects}) == (400, "MalformedXML")
    assert len(bucket.call("delete_objects", None, Delete={"Objects": objects[1:]})["Deleted"]) == 1000


@pytest.mark.parametrize(
    "body",
    [
        b"", b"nonsense", b"<Delete/>", b"<Delete><Object/></Delete>", b"<Delete><Object><Key></Key></Object></Delete>",
        b"<Other><Object><Key>a</Key></Object></Other>", b"<Delete><Object><Key>a</Key></Object>",
    ],
)  # fmt: skip
def test_an_invalid_bulk_deletion_is_refused(bucket: PrefixedBucket, body: bytes) -> None:
    digest = base64.b64encode(hashlib.md5(body).digest()).decode()
    reply = bucket.request("POST", None, "delete", body, {"Content-MD5": digest})
    assert (reply.status, reply.code) == (400, "MalformedXML")


# Concurrency


def test_concurrent_writes_leave_complete_versions(bucket: PrefixedBucket) -> None:
    size = 1024 * 1024
    bodies = [letter * size for letter in (b"a", b"b", b"c")]
    threads = [threading.Thread(target=bucket.put, args=("object", body)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    versions = bucket.versions()
    assert len(versions) == 3 and [latest for _, _, latest, _ in versions] == [True, False, False]
    assert sorted(bucket.read(VersionId=id) for _, id, _, _ in versions) == bodies
    assert bucket.read() == bucket.read(VersionId=versions[0][1])
