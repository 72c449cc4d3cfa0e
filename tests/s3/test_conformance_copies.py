"""Copies: of objects, of versions, with their metadata or with other, onto themselves."""

from typing import Any

import pytest

from tests.s3.places import Place


def source(place: Place, key: str = "source", **version: str) -> dict[str, str]:
    return {"Bucket": place.name, "Key": place.key(key), **version}


@pytest.mark.parametrize("size", [0, 3, 5 * 1024 * 1024])
def test_a_copy_has_the_same_bytes(place: Place, size: int) -> None:
    written = place.put("source", b"x" * size)
    answer = place.do("copy_object", CopySource=source(place))
    assert answer["CopyObjectResult"]["ETag"] == written["ETag"]
    assert answer["CopySourceVersionId"] == written["VersionId"]
    assert place.read() == b"x" * size
    head = place.do("head_object")
    assert answer["VersionId"] == head["VersionId"]
    assert answer["CopyObjectResult"]["LastModified"].replace(microsecond=0) == head["LastModified"]


def test_a_copy_keeps_what_came_with_the_source(place: Place) -> None:
    place.put("source", ContentType="text/bla", Metadata={"k": "v"}, CacheControl="public", Tagging="a=b")
    place.do("copy_object", CopySource=source(place), ContentType="audio/ogg", Metadata={"other": "x"})
    head = place.do("head_object")
    assert (head["ContentType"], head["Metadata"], head["CacheControl"]) == ("text/bla", {"k": "v"}, "public")
    assert place.do("get_object_tagging")["TagSet"] == [{"Key": "a", "Value": "b"}]


@pytest.mark.parametrize("size", [3, 1024 * 1024])
def test_a_copy_may_get_metadata_and_tags_of_its_own(place: Place, size: int) -> None:
    place.put("source", b"x" * size, ContentType="text/bla", Metadata={"k": "v"}, ContentLanguage="mi", Tagging="a=b")
    place.do(
        "copy_object", CopySource=source(place), MetadataDirective="REPLACE", Metadata={"key3": "value3"},
        ContentType="audio/mpeg", TaggingDirective="REPLACE", Tagging="c=d",
    )  # fmt: skip
    head = place.do("head_object")
    assert (head["ContentType"], head["Metadata"], "ContentLanguage" in head) == (
        "audio/mpeg",
        {"key3": "value3"},
        False,
    )
    assert place.do("get_object_tagging")["TagSet"] == [{"Key": "c", "Value": "d"}]
    assert place.read() == b"x" * size


def test_a_copy_onto_itself_changes_something_or_is_refused(place: Place) -> None:
    place.put(Metadata={"old": "1"})
    assert place.refused("copy_object", CopySource=source(place, "object")) == (400, "InvalidRequest")
    place.do("copy_object", CopySource=source(place, "object"), MetadataDirective="REPLACE", Metadata={"foo": "bar"})
    assert place.do("head_object")["Metadata"] == {"foo": "bar"}


@pytest.mark.parametrize("key", ["object", "foo?bar", "?versionId=x"])
def test_an_older_version_is_copied_onto_its_own_key(place: Place, key: str) -> None:
    ids = [place.put(key, body)["VersionId"] for body in (b"first", b"second", b"third")]
    answer = place.do("copy_object", key, CopySource=source(place, key, VersionId=ids[0]))
    assert answer["CopySourceVersionId"] == ids[0] and answer["VersionId"] not in ids
    assert place.read(key) == b"first" and len(place.versions()) == 4
    place.do("copy_object", "elsewhere", CopySource=source(place, key, VersionId=ids[1]))
    assert place.read("elsewhere") == b"second"
    assert place.refused("copy_object", key, CopySource=source(place, key)) == (400, "InvalidRequest")


def test_what_came_in_parts_is_copied_whole(place: Place) -> None:
    bodies = b"a" * 5 * 1024 * 1024, b"b" * 10
    place.in_parts("source", *bodies, Metadata={"foo": "bar"}, ContentType="text/bla")
    place.do("copy_object", "one", CopySource=source(place))
    place.do("copy_object", "two", CopySource=source(place, "one"))
    for key in ("one", "two"):
        head = place.do("head_object", key)
        assert (head["Metadata"], head["ContentType"]) == ({"foo": "bar"}, "text/bla")
        assert place.read(key) == b"".join(bodies)
    place.do("delete_objects", None, Delete={"Objects": [{"Key": place.key("source")}, {"Key": place.key("one")}]})
    assert place.read("two", Range="bytes=5242878-5242883") == b"aabbbb"


@pytest.mark.parametrize(
    ("named", "status", "code"),
    [
        ({"Key": "nowhere"}, 404, "NoSuchKey"),
        ({"Bucket": "team-nowhere"}, 404, "NoSuchBucket"),
        ({"VersionId": "nothing"}, 404, "NoSuchVersion"),
    ],
)
def test_what_is_not_there_is_not_copied(place: Place, named: dict[str, str], status: int, code: str) -> None:
    place.put("source")
    assert place.refused("copy_object", CopySource=source(place) | named) == (status, code)


def test_what_was_deleted_is_not_copied(place: Place) -> None:
    place.put("source")
    mark = place.do("delete_object", "source")["VersionId"]
    assert place.refused("copy_object", CopySource=source(place)) == (404, "NoSuchKey")
    assert place.refused("copy_object", CopySource=source(place, VersionId=mark))[0] in (400, 405)


@pytest.mark.parametrize("form", ["/{bucket}/{key}", "{bucket}/{key}", "{bucket}/{encoded}", "/{bucket}/{encoded}"])
def test_a_source_is_named_in_every_form(place: Place, form: str) -> None:
    place.put("a b")
    key = place.key("a b")
    header = form.format(bucket=place.name, key=key, encoded=key.replace(" ", "%20").replace("/", "%2F"))
    assert place.raw("PUT", headers={"x-amz-copy-source": header}).status == 200
    assert place.read() == b"bytes"


@pytest.mark.parametrize("header", ["", "nothing", "/", "{bucket}", "{bucket}/"])
def test_a_source_must_be_named(place: Place, header: str) -> None:
    reply = place.raw("PUT", headers={"x-amz-copy-source": header.format(bucket=place.name)})
    assert (reply.status, reply.code) == (400, "InvalidArgument")


@pytest.mark.parametrize("directive", ["metadata", "tagging"])
def test_an_unknown_directive_is_refused(place: Place, directive: str) -> None:
    place.put("source")
    headers = {"x-amz-copy-source": f"{place.name}/{place.key('source')}", f"x-amz-{directive}-directive": "MOVE"}
    assert place.raw("PUT", headers=headers).code == "InvalidArgument"


def test_a_copy_gets_the_sum_that_is_asked_for(place: Place) -> None:
    place.put("source", b"bar", ChecksumAlgorithm="CRC32")
    kept: Any = place.do("copy_object", CopySource=source(place))["CopyObjectResult"]
    assert kept["ChecksumCRC32"] == place.do("head_object", "source", ChecksumMode="ENABLED")["ChecksumCRC32"]
    other: Any = place.do("copy_object", CopySource=source(place), ChecksumAlgorithm="SHA256")["CopyObjectResult"]
    assert other["ChecksumSHA256"] == "/N4rLtula/QIYB+3If6bXDONEO5CnqBPrlURto+/j7k=" and "ChecksumCRC32" not in other
    assert place.do("head_object", ChecksumMode="ENABLED")["ChecksumSHA256"] == other["ChecksumSHA256"]


def test_a_private_copy_is_taken_and_a_public_one_is_not(place: Place) -> None:
    place.put("source")
    place.do("copy_object", CopySource=source(place), ACL="private")
    refused = place.refused("copy_object", CopySource=source(place), ACL="public-read")
    assert refused == (400, "AccessControlListNotSupported")
