"""Reading objects: bytes, ranges, metadata, headers that a request overrides, and links."""

import http.client
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest

from tests.s3.places import Place, Reply

BODY = b"testcontent"


def fetched(url: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Reply:
    """What a browser gets for a link."""
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


def test_what_is_not_there_is_told_with_the_request(place: Place) -> None:
    reply = place.raw("GET")
    told = ElementTree.fromstring(reply.body)
    assert (reply.status, reply.code, reply.headers["content-type"]) == (404, "NoSuchKey", "application/xml")
    assert told.findtext("RequestId") == reply.headers["x-amz-request-id"]
    assert told.findtext("Resource") == f"/{place.name}/{place.key()}" and told.findtext("Message")


def test_a_head_that_fails_has_no_body(place: Place) -> None:
    reply = place.raw("HEAD")
    assert (reply.status, reply.body) == (404, b"")
    assert place.refused("head_object") == (404, "404")


def test_a_head_tells_what_a_get_tells(place: Place) -> None:
    place.put(body=BODY, ContentType="text/bla", Metadata={"a": "b"})
    head, get = place.raw("HEAD"), place.raw("GET")
    differing = {"date", "x-request-id", "x-amz-request-id"}
    assert {n: v for n, v in head.headers.items() if n not in differing} == {
        n: v for n, v in get.headers.items() if n not in differing
    }
    assert (head.status, head.body, get.body) == (200, b"", BODY)
    assert (head.headers["content-length"], head.headers["accept-ranges"]) == ("11", "bytes")


@pytest.mark.parametrize("size", [0, 1, 64 * 1024, 1024 * 1024 + 1])
def test_bytes_come_back_as_they_went(place: Place, size: int) -> None:
    body = bytes(number % 251 for number in range(1024)) * (size // 1024 + 1)
    written = place.put(body=body[:size])
    answer = place.do("get_object")
    assert (answer["Body"].read(), answer["ContentLength"]) == (body[:size], size)
    assert (answer["ETag"], answer["VersionId"]) == (written["ETag"], written["VersionId"])


# Ranges


@pytest.mark.parametrize(
    ("wanted", "status", "body", "content_range"),
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
    place: Place, wanted: str, status: int, body: bytes | None, content_range: str | None
) -> None:
    place.put(body=BODY)
    reply = place.raw("GET", headers={"Range": wanted})
    assert (reply.status, reply.headers.get("content-range")) == (status, content_range)
    assert reply.code == "InvalidRange" if body is None else reply.body == body
    assert place.raw("HEAD", headers={"Range": wanted}).status == status


@pytest.mark.parametrize(("wanted", "status"), [("bytes=0-", 416), ("bytes=40-50", 416), ("bytes=-5", 416), ("x", 200)])
def test_nothing_has_no_ranges(place: Place, wanted: str, status: int) -> None:
    place.put(body=b"")
    assert place.raw("GET", headers={"Range": wanted}).status == status


def test_a_large_range_has_no_sum_of_the_whole(place: Place) -> None:
    place.put(body=b"ab" * 4 * 1024 * 1024)
    answer = place.do("get_object", Range="bytes=3145728-5242880", ChecksumMode="ENABLED")
    assert answer["ContentRange"] == "bytes 3145728-5242880/8388608"
    assert answer["Body"].read() == (b"ab" * 1024 * 1024 + b"a") and "ChecksumCRC32" not in answer


# Metadata


@pytest.mark.parametrize(
    ("sent", "told"),
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
def test_headers_are_kept_as_they_were_sent(place: Place, sent: dict[str, Any], told: dict[str, Any]) -> None:
    place.put(**sent)
    for operation in ("head_object", "get_object"):
        answer = place.do(operation)
        assert {name: answer.get(name) for name in told} == told


def test_an_expiry_is_kept(place: Place) -> None:
    expires = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=6)
    place.put(Expires=expires)
    assert place.do("get_object")["ExpiresString"] == expires.strftime("%a, %d %b %Y %H:%M:%S GMT")


def test_the_next_version_has_metadata_of_its_own(place: Place) -> None:
    place.put(Metadata={"meta1": "old"}, ContentType="text/bla")
    place.put(Metadata={})
    answer = place.do("get_object")
    assert (answer["Metadata"], answer["ContentType"]) == ({}, "binary/octet-stream")


@pytest.mark.parametrize("value", ["Hello World\xe9", "\xe4\xf6\xfc", "grüße 日本"])
def test_metadata_beyond_ascii_comes_back(place: Place, value: str) -> None:
    """As UTF-8, which is what clients sign."""

    def unchecked(params: Any, **_: Any) -> None:
        params["headers"]["x-amz-meta-word"] = value

    client = place.client_with()
    client.meta.events.register("before-call.s3.PutObject", unchecked)
    client.put_object(Bucket=place.name, Key=place.key(), Body=b"")
    got = place.do("head_object")["Metadata"]["word"]
    assert got.encode("latin-1").decode() == value


def test_metadata_may_have_two_kibibytes(place: Place) -> None:
    place.put(Metadata={"a": "x" * 2047})
    assert place.refused("put_object", Metadata={"a": "x" * 2048}) == (400, "MetadataTooLarge")


# Overrides


def test_a_request_may_ask_for_other_headers(place: Place) -> None:
    place.put(ContentType="text/plain", CacheControl="public", ContentEncoding="gzip")
    answer = place.do(
        "get_object", ResponseCacheControl="no-cache", ResponseContentDisposition="bla", ResponseContentEncoding="aaa",
        ResponseContentLanguage="esperanto", ResponseContentType="foo/bar", ResponseExpires=datetime(2030, 1, 2, tzinfo=UTC),
    )  # fmt: skip
    headers = answer["ResponseMetadata"]["HTTPHeaders"]
    names = ("cache-control", "content-disposition", "content-encoding", "content-language", "content-type", "expires")
    assert [headers[name] for name in names] == [
        "no-cache", "bla", "aaa", "esperanto", "foo/bar", "Wed, 02 Jan 2030 00:00:00 GMT",
    ]  # fmt: skip
    assert place.do("head_object")["CacheControl"] == "public"


@pytest.mark.parametrize("value", ["a%0D%0Ax-evil:%201", "%00", "%E6%97%A5"])
def test_no_header_is_made_of_what_no_header_may_hold(place: Place, value: str) -> None:
    place.put()
    reply = place.raw("GET", query=f"response-content-type={value}")
    assert (reply.status, reply.code) == (400, "InvalidArgument")


# Links


@pytest.mark.parametrize("version", ["s3v4", "s3"])
def test_a_link_reads_and_writes(place: Place, version: str) -> None:
    client = place.client_with(signature_version=version)
    at = {"Bucket": place.name, "Key": place.key("a b+c/é")}
    assert fetched(client.generate_presigned_url("put_object", at), "PUT", b"by link").status == 200
    reply = fetched(client.generate_presigned_url("get_object", {**at, "ResponseContentType": "foo/bar"}))
    assert (reply.status, reply.body, reply.headers["content-type"]) == (200, b"by link", "foo/bar")
    assert fetched(client.generate_presigned_url("head_object", at), "HEAD").status == 200
    assert fetched(client.generate_presigned_url("get_object", {**at, "Key": place.key("gone")})).status == 404
    assert fetched(client.generate_presigned_url("get_object", at), "DELETE").status == 403


@pytest.mark.parametrize(("seconds", "status"), [(100000, 200), (0, 403), (-7, 403), (-1000, 403), (609901, 403)])
def test_a_link_lasts_for_a_while(place: Place, seconds: int, status: int) -> None:
    place.put()
    for method in ("GET", "PUT"):
        reply = fetched(place.link(method, seconds=seconds), method, b"x" if method == "PUT" else None)
        assert reply.status == status


def test_a_link_holds_for_the_headers_that_it_was_made_with(place: Place) -> None:
    url = place.client_with(signature_version="s3v4").generate_presigned_url(
        "put_object", {"Bucket": place.name, "Key": place.key(), "ACL": "private", "ContentType": "text/bla"}
    )
    headers = {"x_amz_acl": "private", "content_type": "text/bla"}
    assert fetched(url, "PUT", b"x", **headers | {"x_amz_acl": "public-read"}).status == 403
    assert fetched(url, "PUT", b"x", **headers).status == 200
    assert place.do("head_object")["ContentType"] == "text/bla"


def test_nobody_reads_or_writes_without_a_signature(place: Place) -> None:
    place.put(body=BODY)
    for method in ("GET", "HEAD", "PUT", "DELETE", "POST"):
        for key in ("object", None):
            reply = place.raw(method, key, signed=False)
            assert (reply.status, reply.code or "AccessDenied") == (403, "AccessDenied")
    assert place.read() == BODY


# Overwriting while somebody reads


def test_who_has_begun_to_read_reads_what_was_there(place: Place) -> None:
    size = 4 * 1024 * 1024
    place.put(body=b"a" * size)
    stream = place.do("get_object")["Body"]
    begun = stream.read(1024)
    place.put(body=b"b" * size)
    place.do("delete_object")
    assert begun + stream.read() == b"a" * size


@pytest.mark.parametrize("operation", ["get_object", "head_object"])
def test_a_part_of_what_came_whole_is_all_of_it(place: Place, operation: str) -> None:
    place.put(body=BODY)
    answer = place.do(operation, PartNumber=1)
    assert (answer["ContentLength"], "PartsCount" in answer) == (len(BODY), False)
    assert place.raw("GET", query="partNumber=2").code == "InvalidPart"
    assert place.raw("GET", query="partNumber=0").code == "InvalidArgument"
    place.put(body=b"")
    assert place.do(operation, PartNumber=1)["ContentLength"] == 0
