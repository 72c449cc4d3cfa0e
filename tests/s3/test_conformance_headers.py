"""Requests that are signed badly, late, or not at all."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest

from tests.s3.places import Place


def stamp(**away: float) -> str:
    return (datetime.now(UTC) + timedelta(**away)).strftime("%Y%m%dT%H%M%SZ")


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
def test_nobody_writes_with_a_bad_authorization(
    place: Place, authorization: str | None, status: int, code: str
) -> None:
    for key, method in (("object", "PUT"), ("object", "GET"), (None, "GET")):
        reply = place.raw(method, key, body=b"x" if method == "PUT" else b"", after={"Authorization": authorization})
        assert (reply.status, reply.code) == (status, code)
    assert place.raw("HEAD").status == 404


def test_only_the_key_and_its_secret_open_the_bucket(place: Place) -> None:
    stranger = Place(place.access._replace(access_key_id="TSAAAAAAAAAAAAAAAAAA"))
    assert stranger.refused("list_objects_v2", None) == (403, "InvalidAccessKeyId")
    forger = Place(place.access._replace(secret_access_key="x" * 40))
    assert forger.refused("list_objects_v2", None) == (403, "SignatureDoesNotMatch")
    assert forger.refused("put_object") == (403, "SignatureDoesNotMatch")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD"])
@pytest.mark.parametrize("name", ["x-amz-meta-a", "Range", "x-amz-acl"])
def test_what_was_signed_cannot_be_changed(place: Place, method: str, name: str) -> None:
    place.put()
    reply = place.raw(method, headers={name: "bytes=0-1"}, after={name: "bytes=0-2"})
    assert reply.status == 403
    assert len(place.versions()) == 1


def test_what_says_what_to_do_must_be_signed(place: Place) -> None:
    place.put("source")
    reply = place.raw("PUT", after={"x-amz-copy-source": f"{place.name}/{place.key('source')}"})
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
def test_a_signature_is_of_now(place: Place, date: str | None, code: str) -> None:
    reply = place.raw("PUT", body=b"x", after={"X-Amz-Date": date})
    assert (reply.status, reply.code) == (403, code)
    assert place.raw("HEAD").status == 404


def test_the_time_that_is_signed_counts_whatever_the_date_says(place: Place) -> None:
    for date in ("Tue, 07 Jul 2010 21:53:04 GMT", "Bad Date", ""):
        assert place.raw("PUT", body=b"x", headers={"Date": date} if date else {}, after={"Date": date}).status in (
            200,
            403,
        )
    assert place.raw("PUT", body=b"x", after={"Date": "Bad Date"}).status == 200


@pytest.mark.parametrize("agent", ["", None, "\xe9", "x" * 4000])
def test_any_agent_is_served(place: Place, agent: str | None) -> None:
    assert place.raw("PUT", body=b"x", after={"User-Agent": agent}).status == 200


def test_no_answer_repeats_a_secret(place: Place) -> None:
    reply = place.raw("GET", None, after={"Authorization": "AWS4-HMAC-SHA256 Credential=x, Signature=feedface"})
    assert reply.status == 400 and b"feedface" not in reply.body


@pytest.mark.parametrize("path", ["%", "%zz", "%ff", "a%c3%28"])
def test_an_address_that_cannot_be_read_is_refused(place: Place, path: str) -> None:
    headers = {"Authorization": "AWS4-HMAC-SHA256 Credential=x"}
    reply = place.send("GET", f"/{place.name}/{path}", headers)
    assert (reply.status, reply.code) == (400, "InvalidURI")


@pytest.mark.parametrize("method", ["PATCH", "TRACE", "PROPFIND", "CONNECTED"])
def test_other_methods_are_not_known(place: Place, method: str) -> None:
    place.put()
    assert place.raw(method).status in (400, 403, 405, 501)
    assert place.read() == b"bytes"


def test_a_browser_may_ask_whether_it_may_ask(place: Place) -> None:
    asks = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "PUT"}
    reply = place.raw("OPTIONS", headers=asks | {"Access-Control-Request-Headers": "x-amz-date"}, signed=False)
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, "*")
    assert reply.headers["access-control-allow-headers"] == "x-amz-date"


def test_a_browser_may_ask_so_at_an_address_that_names_the_bucket_first(place: Place) -> None:
    host = urlsplit(place.endpoint)
    at = {"Host": f"{place.name}.{host.hostname}:{host.port}", "Origin": "https://elsewhere.example"}
    asks = {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "x-amz-date"}
    for path in ("/", "/folder/key", "/api/notes"):
        reply = place.send("OPTIONS", path, at | asks)
        assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, "*")
        assert reply.headers["access-control-allow-headers"] == "x-amz-date"
    elsewhere = at | {"Host": f"acme.{host.hostname}:{host.port}"}
    assert "access-control-allow-origin" not in place.send("OPTIONS", "/api/notes", elsewhere | asks).headers


def test_signatures_of_version_two_are_for_links_alone(place: Place) -> None:
    """In a header they would leave the body and most of the query unsigned."""
    other = place.below(place.prefix)
    other.client = place.client_with(signature_version="s3")
    assert other.refused("put_object", Body=b"x") == (400, "InvalidArgument")
    assert place.raw("HEAD").status == 404


OWN_TO_S3 = {
    "accept-ranges", "connection", "content-length", "content-type", "date", "etag", "last-modified", "server",
    "x-amz-checksum-crc32", "x-amz-checksum-type", "x-amz-request-id", "x-amz-version-id",
}  # fmt: skip
OURS = {
    "content-security-policy", "cross-origin-opener-policy", "cross-origin-resource-policy", "permissions-policy",
    "referrer-policy", "x-api-version", "x-content-type-options", "x-request-id",
}  # fmt: skip
"""Headers that no S3 client takes for something of the object."""


def test_stored_html_runs_nothing_and_carries_no_metadata_of_ours(place: Place) -> None:
    place.do("put_object", "page.html", Body=b"<script>alert(1)</script>", ContentType="text/html")
    for operation in ("get_object", "head_object"):
        answer = place.do(operation, "page.html")
        sent = answer["ResponseMetadata"]["HTTPHeaders"]
        assert "sandbox" in sent["content-security-policy"].split("; ")
        assert (sent["x-content-type-options"], sent["content-type"]) == ("nosniff", "text/html")
        assert set(sent) <= OWN_TO_S3 | OURS, "a client would keep it with the object"
        assert not answer.keys() & {
            "CacheControl",
            "Expires",
            "ContentDisposition",
            "ContentEncoding",
            "ContentLanguage",
        }
        assert answer["Metadata"] == {}
    place.do("put_object", "kept.html", Body=b"x", CacheControl="max-age=60", Metadata={"empty": ""})
    kept = place.do("head_object", "kept.html")
    assert (kept["CacheControl"], kept["Metadata"]) == ("max-age=60", {"empty": ""})
