"""Reading objects: content, ranges, metadata, response header overrides, and links."""

import http.client
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest

from tests.s3.prefixed_bucket import PrefixedBucket, Reply

BODY = b"testcontent"


def fetch(url: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Reply:
    """Request a URL without credentials, as a browser does."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=20)
    try:
        connection.request(
            method, f"{parts.path}?{parts.query}", body, {k.replace("_", "-"): v for k, v in headers.items()}
        )
        answer = connection.getresponse()
        return Reply(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()


def test_a_missing_object_is_answered_with_an_error_document(bucket: PrefixedBucket) -> None:
    reply = bucket.request("GET")
    error = ElementTree.fromstring(reply.body)
    assert (reply.status, reply.code, reply.headers["content-type"]) == (404, "NoSuchKey", "application/xml")
    assert error.findtext("RequestId") == reply.headers["x-amz-request-id"]
    assert error.findtext("Resource") == f"/{bucket.name}/{bucket.key()}" and error.findtext("Message")


def test_a_failed_head_request_has_no_body(bucket: PrefixedBucket) -> None:
    reply = bucket.request("HEAD")
    assert (reply.status, reply.body) == (404, b"")
    assert bucket.refused("head_object") == (404, "404")


def test_head_and_get_have_the_same_headers(bucket: PrefixedBucket) -> None:
    bucket.put(body=BODY, ContentType="text/bla", Metadata={"a": "b"})
    head, get = bucket.request("HEAD"), bucket.request("GET")
    differing = {"date", "x-request-id", "x-amz-request-id"}
    assert {n: v for n, v in head.headers.items() if n not in differing} == {
        n: v for n, v in get.headers.items() if n not in differing
    }
    assert (head.status, head.body, get.body) == (200, b"", BODY)
    assert (head.headers["content-length"], head.headers["accept-ranges"]) == ("11", "bytes")


@pytest.mark.parametrize("size", [0, 1, 64 * 1024, 1024 * 1024 + 1])
def test_an_object_is_read_back_unchanged(bucket: PrefixedBucket, size: int) -> None:
    body = bytes(number % 251 for number in range(1024)) * (size // 1024 + 1)
    written = bucket.put(body=body[:size])
    answer = bucket.call("get_object")
    assert (answer["Body"].read(), answer["ContentLength"]) == (body[:size], size)
    assert (answer["ETag"], answer["VersionId"]) == (written["ETag"], written["VersionId"])


# Ranges


@pytest.mark.parametrize(
    ("header", "status", "body", "content_range"),
    [
        ("bytes=4-7", 206, b"cont", "bytes 4-7/11"),
        ("bytes=4-", 206, b"content", "bytes 4-10/11"),
        ("bytes=-7", 206, b"content", "bytes 4-10/11"),
        ("bytes=0-0", 206, b"t", "bytes 0-0/11"),
        ("bytes=0-", 206, BODY, "bytes 0-10/11"),
        ("bytes=10-99", 206, b"t", "bytes 10-10/11"),
        ("bytes=-99", 206, BODY, "bytes 0-10/11"),
        ("bytes=7-4", 200, BODY, None),
        ("bytes=0-1,3-4", 200, BODY, None),
        ("bytes=a-b", 200, BODY, None),
        ("bytes=-", 200, BODY, None),
        ("lines=0-1", 200, BODY, None),
        ("nonsense", 200, BODY, None),
        ("bytes=11-", 416, None, "bytes */11"),
        ("bytes=40-50", 416, None, "bytes */11"),
        ("bytes=-0", 416, None, "bytes */11"),
    ],
)
def test_a_range_is_answered(
    bucket: PrefixedBucket, header: str, status: int, body: bytes | None, content_range: str | None
) -> None:
    bucket.put(body=BODY)
    reply = bucket.request("GET", headers={"Range": header})
    assert (reply.status, reply.headers.get("content-range")) == (status, content_range)
    assert reply.code == "InvalidRange" if body is None else reply.body == body
    assert bucket.request("HEAD", headers={"Range": header}).status == status


@pytest.mark.parametrize(("header", "status"), [("bytes=0-", 416), ("bytes=40-50", 416), ("bytes=-5", 416), ("x", 200)])
def test_an_empty_object_has_no_ranges(bucket: PrefixedBucket, header: str, status: int) -> None:
    bucket.put(body=b"")
    assert bucket.request("GET", headers={"Range": header}).status == status


def test_a_range_has_no_checksum_of_the_whole_object(bucket: PrefixedBucket) -> None:
    bucket.put(body=b"ab" * 4 * 1024 * 1024)
    answer = bucket.call("get_object", Range="bytes=3145728-5242880", ChecksumMode="ENABLED")
    assert answer["ContentRange"] == "bytes 3145728-5242880/8388608"
    assert answer["Body"].read() == (b"ab" * 1024 * 1024 + b"a") and "ChecksumCRC32" not in answer


# Metadata


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"ContentType": "text/plain"}, {"ContentType": "text/plain"}),
        ({"ContentType": "text/plain; charset=utf-8"}, {"ContentType": "text/plain; charset=utf-8"}),
        ({"ContentType": "no type at all"}, {"ContentType": "no type at all"}),
        ({}, {"ContentType": "binary/octet-stream"}),
        ({"CacheControl": "public, max-age=14400"}, {"CacheControl": "public, max-age=14400"}),
        ({"ContentDisposition": 'attachment; filename="a"'}, {"ContentDisposition": 'attachment; filename="a"'}),
        ({"ContentLanguage": "mi, en"}, {"ContentLanguage": "mi, en"}),
        ({"ContentEncoding": "gzip"}, {"ContentEncoding": "gzip"}),
        ({"ContentEncoding": "deflate, gzip"}, {"ContentEncoding": "deflate, gzip"}),
        ({"ContentEncoding": "gzip, aws-chunked"}, {"ContentEncoding": "gzip"}),
        ({"ContentEncoding": "aws-chunked, gzip, aws-chunked"}, {"ContentEncoding": "gzip"}),
        ({"ContentEncoding": "aws-chunked"}, {"ContentEncoding": None}),
        ({"Metadata": {}}, {"Metadata": {}}),
        ({"Metadata": {"meta1": ""}}, {"Metadata": {"meta1": ""}}),
        ({"Metadata": {"meta1": "mymeta", "Two": "2"}}, {"Metadata": {"meta1": "mymeta", "two": "2"}}),
        ({"Metadata": {"meta1": "a  b"}}, {"Metadata": {"meta1": "a  b"}}),
    ],
)
def test_headers_are_stored(bucket: PrefixedBucket, sent: dict[str, Any], expected: dict[str, Any]) -> None:
    bucket.put(**sent)
    for operation in ("head_object", "get_object"):
        answer = bucket.call(operation)
        assert {name: answer.get(name) for name in expected} == expected


def test_the_expires_header_is_stored(bucket: PrefixedBucket) -> None:
    expires = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=6)
    bucket.put(Expires=expires)
    assert bucket.call("get_object")["ExpiresString"] == expires.strftime("%a, %d %b %Y %H:%M:%S GMT")


def test_metadata_is_not_inherited_from_the_previous_version(bucket: PrefixedBucket) -> None:
    bucket.put(Metadata={"meta1": "old"}, ContentType="text/bla")
    bucket.put(Metadata={})
    answer = bucket.call("get_object")
    assert (answer["Metadata"], answer["ContentType"]) == ({}, "binary/octet-stream")


@pytest.mark.parametrize("value", ["Hello World\xe9", "\xe4\xf6\xfc", "grüße 日本"])
def test_non_ascii_metadata_is_stored(bucket: PrefixedBucket, value: str) -> None:
    """As UTF-8, which clients sign."""

    def add_header(params: Any, **_: Any) -> None:
        params["headers"]["x-amz-meta-word"] = value

    client = bucket.client_with()
    client.meta.events.register("before-call.s3.PutObject", add_header)
    client.put_object(Bucket=bucket.name, Key=bucket.key(), Body=b"")
    got = bucket.call("head_object")["Metadata"]["word"]
    assert got.encode("latin-1").decode() == value


def test_metadata_is_limited_to_two_kibibytes(bucket: PrefixedBucket) -> None:
    bucket.put(Metadata={"a": "x" * 2047})
    assert bucket.refused("put_object", Metadata={"a": "x" * 2048}) == (400, "MetadataTooLarge")


# Overrides


def test_response_headers_can_be_overridden(bucket: PrefixedBucket) -> None:
    bucket.put(ContentType="text/plain", CacheControl="public", ContentEncoding="gzip")
    answer = bucket.call(
        "get_object", ResponseCacheControl="no-cache", ResponseContentDisposition="bla", ResponseContentEncoding="aaa",
        ResponseContentLanguage="esperanto", ResponseContentType="foo/bar", ResponseExpires=datetime(2030, 1, 2, tzinfo=UTC),
    )  # fmt: skip
    headers = answer["ResponseMetadata"]["HTTPHeaders"]
    names = ("cache-control", "content-disposition", "content-encoding", "content-language", "content-type", "expires")
    assert [headers[name] for name in names] == [
        "no-cache", "bla", "aaa", "esperanto", "foo/bar", "Wed, 02 Jan 2030 00:00:00 GMT",
    ]  # fmt: skip
    assert bucket.call("head_object")["CacheControl"] == "public"


@pytest.mark.parametrize("value", ["a%0D%0Ax-evil:%201", "%00", "%E6%97%A5"])
def test_invalid_response_headers_are_refused(bucket: PrefixedBucket, value: str) -> None:
    bucket.put()
    reply = bucket.request("GET", query=f"response-content-type={value}")
    assert (reply.status, reply.code) == (400, "InvalidArgument")


# Links


@pytest.mark.parametrize("version", ["s3v4", "s3"])
def test_a_link_reads_and_writes(bucket: PrefixedBucket, version: str) -> None:
    client = bucket.client_with(signature_version=version)
    params = {"Bucket": bucket.name, "Key": bucket.key("a b+c/é")}
    assert fetch(client.generate_presigned_url("put_object", params), "PUT", b"by link").status == 200
    reply = fetch(client.generate_presigned_url("get_object", {**params, "ResponseContentType": "foo/bar"}))
    assert (reply.status, reply.body, reply.headers["content-type"]) == (200, b"by link", "foo/bar")
    assert fetch(client.generate_presigned_url("head_object", params), "HEAD").status == 200
    assert fetch(client.generate_presigned_url("get_object", {**params, "Key": bucket.key("gone")})).status == 404
    assert fetch(client.generate_presigned_url("get_object", params), "DELETE").status == 403


@pytest.mark.parametrize(("seconds", "status"), [(100000, 200), (0, 403), (-7, 403), (-1000, 403), (609901, 403)])
def test_a_link_expires(bucket: PrefixedBucket, seconds: int, status: int) -> None:
    bucket.put()
    for method in ("GET", "PUT"):
        reply = fetch(bucket.link(method, seconds=seconds), method, b"x" if method == "PUT" else None)
        assert reply.status == status


def test_a_link_is_only_valid_with_its_signed_headers(bucket: PrefixedBucket) -> None:
    url = bucket.client_with(signature_version="s3v4").generate_presigned_url(
        "put_object", {"Bucket": bucket.name, "Key": bucket.key(), "ACL": "private", "ContentType": "text/bla"}
    )
    headers = {"x_amz_acl": "private", "content_type": "text/bla"}
    assert fetch(url, "PUT", b"x", **headers | {"x_amz_acl": "public-read"}).status == 403
    assert fetch(url, "PUT", b"x", **headers).status == 200
    assert bucket.call("head_object")["ContentType"] == "text/bla"


def test_unsigned_requests_are_refused(bucket: PrefixedBucket) -> None:
    bucket.put(body=BODY)
    for method in ("GET", "HEAD", "PUT", "DELETE", "POST"):
        for key in ("object", None):
            reply = bucket.request(method, key, signed=False)
            assert (reply.status, reply.code or "AccessDenied") == (403, "AccessDenied")
    assert bucket.read() == BODY


# Concurrent writes


def test_a_read_is_not_affected_by_later_writes(bucket: PrefixedBucket) -> None:
    size = 4 * 1024 * 1024
    bucket.put(body=b"a" * size)
    stream = bucket.call("get_object")["Body"]
    beginning = stream.read(1024)
    bucket.put(body=b"b" * size)
    bucket.call("delete_object")
    assert beginning + stream.read() == b"a" * size


@pytest.mark.parametrize("operation", ["get_object", "head_object"])
def test_part_1_of_a_single_upload_is_the_whole_object(bucket: PrefixedBucket, operation: str) -> None:
    bucket.put(body=BODY)
    answer = bucket.call(operation, PartNumber=1)
    assert (answer["ContentLength"], "PartsCount" in answer) == (len(BODY), False)
    assert bucket.request("GET", query="partNumber=2").code == "InvalidPart"
    assert bucket.request("GET", query="partNumber=0").code == "InvalidArgument"
    bucket.put(body=b"")
    assert bucket.call(operation, PartNumber=1)["ContentLength"] == 0
