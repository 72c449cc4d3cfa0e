"""Invalid, expired and missing signatures, and response headers."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest

from tests.s3.prefixed_bucket import PrefixedBucket


def stamp(**offset: float) -> str:
    return (datetime.now(UTC) + timedelta(**offset)).strftime("%Y%m%dT%H%M%SZ")


@pytest.mark.parametrize(
    ("authorization", "status", "code"),
    [
        (None, 403, "AccessDenied"),
        ("", 403, "AccessDenied"),
        ("AWS HAHAHA", 400, "InvalidArgument"),
        ("AWS4-HMAC-SHA256 HAHAHA", 400, "AuthorizationHeaderMalformed"),
        ("AWS4-HMAC-SHA256", 400, "AuthorizationHeaderMalformed"),
        ("AWS AKIAIGR7ZNNBHC5BKSUB:FWeDfwojDSdS2Ztmpfeubhd9isU=", 400, "InvalidArgument"),
        ("Basic YTpi", 400, "InvalidArgument"),
        ("HAHAHA", 400, "InvalidArgument"),
        ("\xff\xfe", 400, "InvalidArgument"),
    ],
)
def test_an_invalid_authorization_header_is_refused(
    bucket: PrefixedBucket, authorization: str | None, status: int, code: str
) -> None:
    for key, method in (("object", "PUT"), ("object", "GET"), (None, "GET")):
        reply = bucket.request(
            method, key, body=b"x" if method == "PUT" else b"", after={"Authorization": authorization}
        )
        assert (reply.status, reply.code) == (status, code)
    assert bucket.request("HEAD").status == 404


def test_a_wrong_key_or_secret_is_refused(bucket: PrefixedBucket) -> None:
    unknown = PrefixedBucket(bucket.access._replace(access_key_id="TSAAAAAAAAAAAAAAAAAA"))
    assert unknown.refused("list_objects_v2", None) == (403, "InvalidAccessKeyId")
    forged = PrefixedBucket(bucket.access._replace(secret_access_key="x" * 40))
    assert forged.refused("list_objects_v2", None) == (403, "SignatureDoesNotMatch")
    assert forged.refused("put_object") == (403, "SignatureDoesNotMatch")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD"])
@pytest.mark.parametrize("name", ["x-amz-meta-a", "Range", "x-amz-acl"])
def test_a_signed_header_cannot_be_changed(bucket: PrefixedBucket, method: str, name: str) -> None:
    bucket.put()
    reply = bucket.request(method, headers={name: "bytes=0-1"}, after={name: "bytes=0-2"})
    assert reply.status == 403
    assert len(bucket.versions()) == 1


def test_amz_headers_must_be_signed(bucket: PrefixedBucket) -> None:
    bucket.put("source")
    reply = bucket.request("PUT", after={"x-amz-copy-source": f"{bucket.name}/{bucket.key('source')}"})
    assert (reply.status, reply.code) == (403, "AccessDenied")


@pytest.mark.parametrize(
    ("date", "code"),
    [
        ("Bad Date", "AccessDenied"),
        ("", "AccessDenied"),
        (None, "SignatureDoesNotMatch"),
        ("20100707T215304Z", "RequestTimeTooSkewed"),
        ("20300707T215304Z", "RequestTimeTooSkewed"),
        ("19500707T215304Z", "AccessDenied"),
        ("99990707T215304Z", "RequestTimeTooSkewed"),
        ("20101332T215304Z", "AccessDenied"),
        ("Tue, 07 Jul 2010 21:53:04 GMT", "AccessDenied"),
    ],
)
def test_a_signature_with_a_wrong_date_is_refused(bucket: PrefixedBucket, date: str | None, code: str) -> None:
    reply = bucket.request("PUT", body=b"x", after={"X-Amz-Date": date})
    assert (reply.status, reply.code) == (403, code)
    assert bucket.request("HEAD").status == 404


def test_the_date_header_is_ignored_if_the_amz_date_is_signed(bucket: PrefixedBucket) -> None:
    for date in ("Tue, 07 Jul 2010 21:53:04 GMT", "Bad Date", ""):
        assert bucket.request(
            "PUT", body=b"x", headers={"Date": date} if date else {}, after={"Date": date}
        ).status in (
            200,
            403,
        )
    assert bucket.request("PUT", body=b"x", after={"Date": "Bad Date"}).status == 200


@pytest.mark.parametrize("agent", ["", None, "\xe9", "x" * 4000])
def test_any_user_agent_is_accepted(bucket: PrefixedBucket, agent: str | None) -> None:
    assert bucket.request("PUT", body=b"x", after={"User-Agent": agent}).status == 200


def test_a_response_does_not_repeat_the_signature(bucket: PrefixedBucket) -> None:
    reply = bucket.request("GET", None, after={"Authorization": "AWS4-HMAC-SHA256 Credential=x, Signature=feedface"})
    assert reply.status == 400 and b"feedface" not in reply.body


@pytest.mark.parametrize("path", ["%", "%zz", "%ff", "a%c3%28"])
def test_an_invalid_path_is_refused(bucket: PrefixedBucket, path: str) -> None:
    headers = {"Authorization": "AWS4-HMAC-SHA256 Credential=x"}
    reply = bucket.send("GET", f"/{bucket.name}/{path}", headers)
    assert (reply.status, reply.code) == (400, "InvalidURI")


@pytest.mark.parametrize("method", ["PATCH", "TRACE", "PROPFIND", "CONNECTED"])
def test_other_methods_are_refused(bucket: PrefixedBucket, method: str) -> None:
    bucket.put()
    assert bucket.request(method).status in (400, 403, 405, 501)
    assert bucket.read() == b"bytes"


def test_a_preflight_request_is_answered(bucket: PrefixedBucket) -> None:
    preflight = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "PUT"}
    reply = bucket.request(
        "OPTIONS", headers=preflight | {"Access-Control-Request-Headers": "x-amz-date"}, signed=False
    )
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, "*")
    assert reply.headers["access-control-allow-headers"] == "x-amz-date"


def test_a_preflight_request_is_answered_with_the_bucket_in_the_host_name(bucket: PrefixedBucket) -> None:
    host = urlsplit(bucket.endpoint)
    headers = {"Host": f"{bucket.name}.{host.hostname}:{host.port}", "Origin": "https://elsewhere.example"}
    preflight = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "x-amz-date"}
    for path in ("/", "/folder/key", "/api/notes"):
        reply = bucket.send("OPTIONS", path, headers | preflight)
        assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, "*")
        assert reply.headers["access-control-allow-headers"] == "x-amz-date"
    elsewhere = headers | {"Host": f"acme.{host.hostname}:{host.port}"}
    assert "access-control-allow-origin" not in bucket.send("OPTIONS", "/api/notes", elsewhere | preflight).headers


def test_version_2_signatures_are_only_accepted_in_links(bucket: PrefixedBucket) -> None:
    """In a header they would sign neither the body nor most of the query."""
    other = bucket.with_prefix(bucket.prefix)
    other.client = bucket.client_with(signature_version="s3")
    assert other.refused("put_object", Body=b"x") == (400, "InvalidArgument")
    assert bucket.request("HEAD").status == 404


S3_HEADERS = {
    "accept-ranges", "connection", "content-length", "content-type", "date", "etag", "last-modified", "server",
    "x-amz-checksum-crc32", "x-amz-checksum-type", "x-amz-request-id", "x-amz-version-id",
}  # fmt: skip
OTHER_HEADERS = {
    "content-security-policy", "cross-origin-opener-policy", "cross-origin-resource-policy", "permissions-policy",
    "referrer-policy", "x-api-version", "x-content-type-options", "x-request-id",
}  # fmt: skip
"""Headers that S3 clients do not treat as object metadata."""


def test_stored_html_is_sandboxed_and_gets_no_extra_metadata(bucket: PrefixedBucket) -> None:
    bucket.call("put_object", "page.html", Body=b"<script>alert(1)</script>", ContentType="text/html")
    for operation in ("get_object", "head_object"):
        answer = bucket.call(operation, "page.html")
        sent = answer["ResponseMetadata"]["HTTPHeaders"]
        assert "sandbox" in sent["content-security-policy"].split("; ")
        assert (sent["x-content-type-options"], sent["content-type"]) == ("nosniff", "text/html")
        assert set(sent) <= S3_HEADERS | OTHER_HEADERS, "a client would treat it as metadata"
        assert not answer.keys() & {
            "CacheControl",
            "Expires",
            "ContentDisposition",
            "ContentEncoding",
            "ContentLanguage",
        }
        assert answer["Metadata"] == {}
    bucket.call("put_object", "kept.html", Body=b"x", CacheControl="max-age=60", Metadata={"empty": ""})
    stored = bucket.call("head_object", "kept.html")
    assert (stored["CacheControl"], stored["Metadata"]) == ("max-age=60", {"empty": ""})
