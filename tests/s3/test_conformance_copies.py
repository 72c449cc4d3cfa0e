"""Copies: of objects and versions, with the same or new metadata, onto themselves."""

from typing import Any

import pytest

from tests.s3.prefixed_bucket import PrefixedBucket


def source(bucket: PrefixedBucket, key: str = "source", **version: str) -> dict[str, str]:
    return {"Bucket": bucket.name, "Key": bucket.key(key), **version}


@pytest.mark.parametrize("size", [0, 3, 5 * 1024 * 1024])
def test_a_copy_has_the_same_bytes(bucket: PrefixedBucket, size: int) -> None:
    written = bucket.put("source", b"x" * size)
    answer = bucket.call("copy_object", CopySource=source(bucket))
    assert answer["CopyObjectResult"]["ETag"] == written["ETag"]
    assert answer["CopySourceVersionId"] == written["VersionId"]
    assert bucket.read() == b"x" * size
    head = bucket.call("head_object")
    assert answer["VersionId"] == head["VersionId"]
    assert answer["CopyObjectResult"]["LastModified"].replace(microsecond=0) == head["LastModified"]


def test_a_copy_keeps_the_metadata_and_tags_of_its_source(bucket: PrefixedBucket) -> None:
    bucket.put("source", ContentType="text/bla", Metadata={"k": "v"}, CacheControl="public", Tagging="a=b")
    bucket.call("copy_object", CopySource=source(bucket), ContentType="audio/ogg", Metadata={"other": "x"})
    head = bucket.call("head_object")
    assert (head["ContentType"], head["Metadata"], head["CacheControl"]) == ("text/bla", {"k": "v"}, "public")
    assert bucket.call("get_object_tagging")["TagSet"] == [{"Key": "a", "Value": "b"}]


@pytest.mark.parametrize("size", [3, 1024 * 1024])
def test_a_copy_can_replace_metadata_and_tags(bucket: PrefixedBucket, size: int) -> None:
    bucket.put("source", b"x" * size, ContentType="text/bla", Metadata={"k": "v"}, ContentLanguage="mi", Tagging="a=b")
    bucket.call(
        "copy_object", CopySource=source(bucket), MetadataDirective="REPLACE", Metadata={"key3": "value3"},
        ContentType="audio/mpeg", TaggingDirective="REPLACE", Tagging="c=d",
    )  # fmt: skip
    head = bucket.call("head_object")
    assert (head["ContentType"], head["Metadata"], "ContentLanguage" in head) == (
        "audio/mpeg",
        {"key3": "value3"},
        False,
    )
    assert bucket.call("get_object_tagging")["TagSet"] == [{"Key": "c", "Value": "d"}]
    assert bucket.read() == b"x" * size


def test_a_copy_onto_itself_must_change_something(bucket: PrefixedBucket) -> None:
    bucket.put(Metadata={"old": "1"})
    assert bucket.refused("copy_object", CopySource=source(bucket, "object")) == (400, "InvalidRequest")
    bucket.call(
        "copy_object", CopySource=source(bucket, "object"), MetadataDirective="REPLACE", Metadata={"foo": "bar"}
    )
    assert bucket.call("head_object")["Metadata"] == {"foo": "bar"}


@pytest.mark.parametrize("key", ["object", "foo?bar", "?versionId=x"])
def test_an_older_version_can_be_copied_onto_its_own_key(bucket: PrefixedBucket, key: str) -> None:
    ids = [bucket.put(key, body)["VersionId"] for body in (b"first", b"second", b"third")]
    answer = bucket.call("copy_object", key, CopySource=source(bucket, key, VersionId=ids[0]))
    assert answer["CopySourceVersionId"] == ids[0] and answer["VersionId"] not in ids
    assert bucket.read(key) == b"first" and len(bucket.versions()) == 4
    bucket.call("copy_object", "elsewhere", CopySource=source(bucket, key, VersionId=ids[1]))
    assert bucket.read("elsewhere") == b"second"
    assert bucket.refused("copy_object", key, CopySource=source(bucket, key)) == (400, "InvalidRequest")


def test_a_multipart_object_is_copied_completely(bucket: PrefixedBucket) -> None:
    bodies = b"a" * 5 * 1024 * 1024, b"b" * 10
    bucket.put_multipart("source", *bodies, Metadata={"foo": "bar"}, ContentType="text/bla")
    bucket.call("copy_object", "one", CopySource=source(bucket))
    bucket.call("copy_object", "two", CopySource=source(bucket, "one"))
    for key in ("one", "two"):
        head = bucket.call("head_object", key)
        assert (head["Metadata"], head["ContentType"]) == ({"foo": "bar"}, "text/bla")
        assert bucket.read(key) == b"".join(bodies)
    bucket.call("delete_objects", None, Delete={"Objects": [{"Key": bucket.key("source")}, {"Key": bucket.key("one")}]})
    assert bucket.read("two", Range="bytes=5242878-5242883") == b"aabbbb"


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"Key": "nowhere"}, 404, "NoSuchKey"),
        ({"Bucket": "team-nowhere"}, 404, "NoSuchBucket"),
        ({"VersionId": "nothing"}, 404, "NoSuchVersion"),
    ],
)
def test_a_missing_source_is_refused(bucket: PrefixedBucket, change: dict[str, str], status: int, code: str) -> None:
    bucket.put("source")
    assert bucket.refused("copy_object", CopySource=source(bucket) | change) == (status, code)


def test_a_deleted_source_is_refused(bucket: PrefixedBucket) -> None:
    bucket.put("source")
    marker = bucket.call("delete_object", "source")["VersionId"]
    assert bucket.refused("copy_object", CopySource=source(bucket)) == (404, "NoSuchKey")
    assert bucket.refused("copy_object", CopySource=source(bucket, VersionId=marker))[0] in (400, 405)


@pytest.mark.parametrize("form", ["/{bucket}/{key}", "{bucket}/{key}", "{bucket}/{encoded}", "/{bucket}/{encoded}"])
def test_a_source_is_accepted_in_every_form(bucket: PrefixedBucket, form: str) -> None:
    bucket.put("a b")
    key = bucket.key("a b")
    header = form.format(bucket=bucket.name, key=key, encoded=key.replace(" ", "%20").replace("/", "%2F"))
    assert bucket.request("PUT", headers={"x-amz-copy-source": header}).status == 200
    assert bucket.read() == b"bytes"


@pytest.mark.parametrize("header", ["", "nothing", "/", "{bucket}", "{bucket}/"])
def test_an_invalid_source_is_refused(bucket: PrefixedBucket, header: str) -> None:
    reply = bucket.request("PUT", headers={"x-amz-copy-source": header.format(bucket=bucket.name)})
    assert (reply.status, reply.code) == (400, "InvalidArgument")


@pytest.mark.parametrize("directive", ["metadata", "tagging"])
def test_an_unknown_directive_is_refused(bucket: PrefixedBucket, directive: str) -> None:
    bucket.put("source")
    headers = {"x-amz-copy-source": f"{bucket.name}/{bucket.key('source')}", f"x-amz-{directive}-directive": "MOVE"}
    assert bucket.request("PUT", headers=headers).code == "InvalidArgument"


def test_a_copy_gets_the_requested_checksum(bucket: PrefixedBucket) -> None:
    bucket.put("source", b"bar", ChecksumAlgorithm="CRC32")
    same: Any = bucket.call("copy_object", CopySource=source(bucket))["CopyObjectResult"]
    assert same["ChecksumCRC32"] == bucket.call("head_object", "source", ChecksumMode="ENABLED")["ChecksumCRC32"]
    other: Any = bucket.call("copy_object", CopySource=source(bucket), ChecksumAlgorithm="SHA256")["CopyObjectResult"]
    assert other["ChecksumSHA256"] == "/N4rLtula/QIYB+3If6bXDONEO5CnqBPrlURto+/j7k=" and "ChecksumCRC32" not in other
    assert bucket.call("head_object", ChecksumMode="ENABLED")["ChecksumSHA256"] == other["ChecksumSHA256"]


def test_a_private_acl_is_accepted_and_a_public_one_refused(bucket: PrefixedBucket) -> None:
    bucket.put("source")
    bucket.call("copy_object", CopySource=source(bucket), ACL="private")
    refused = bucket.refused("copy_object", CopySource=source(bucket), ACL="public-read")
    assert refused == (400, "AccessControlListNotSupported")
