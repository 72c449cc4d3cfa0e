"""Requests signed by botocore are accepted; modified, extended or expired ones are refused."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import formatdate
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest

from teamspace.s3.domain import signing
from teamspace.s3.domain.canonical import RawRequest
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.payload import PayloadKind
from teamspace.s3.domain.presigning import presign
from teamspace.s3.domain.signing import has_s3_credentials
from tests.s3.signed import (
    EXPIRES,
    FAKE_KEY,
    HOST,
    ID,
    NOW,
    SECRET,
    FakeKey,
    by_header,
    by_query,
    by_v2_query,
    header,
    refusal,
    replaced,
    verified,
    with_headers,
)

MODES: list[Callable[..., RawRequest]] = [by_header, by_query, by_v2_query]
PATH, DECODED = "/team/a%20b//./%C3%A9%2B%25.txt", "/team/a b//./é+%.txt"
QUERY = "versionId=1%262&uploads&response-content-type=text%2Fplain%3B%20a%3Db"
TARGET = f"{PATH}?{QUERY}"
HEADERS = [("Content-Type", "text/plain"), ("x-amz-meta-a", "one"), ("x-amz-meta-b", "two  three")]
each_mode = pytest.mark.parametrize("sign", MODES)
each_v4_mode = pytest.mark.parametrize("sign", MODES[:2])


# Accepted


@each_mode
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "POST", "DELETE"])
async def test_a_request_signed_by_botocore_is_accepted(sign: Callable[..., RawRequest], method: str) -> None:
    request = sign(method, TARGET, HEADERS)
    assert has_s3_credentials(dict(request.headers), request.query)
    parsed = await verified(request)
    assert (parsed.key, parsed.path) == (FAKE_KEY, DECODED)
    assert parsed.query == {"versionId": "1&2", "uploads": "", "response-content-type": "text/plain; a=b"}
    assert parsed.headers["x-amz-meta-b"] == "two  three"
    assert parsed.presigned is (sign is not by_header)
    assert "authorization" not in parsed.headers, "credentials are not passed on"


@pytest.mark.parametrize(
    ("content_sha256", "kind"),
    [
        ("", PayloadKind.SIGNED),
        ("UNSIGNED-PAYLOAD", PayloadKind.UNSIGNED),
        ("STREAMING-UNSIGNED-PAYLOAD-TRAILER", PayloadKind.UNSIGNED_CHUNKS_TRAILER),
        ("STREAMING-AWS4-HMAC-SHA256-PAYLOAD", PayloadKind.SIGNED_CHUNKS),
        ("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", PayloadKind.SIGNED_CHUNKS_TRAILER),
    ],
)
async def test_the_payload_kind_follows_from_the_hash_header(content_sha256: str, kind: PayloadKind) -> None:
    payload = (await verified(by_header("PUT", "/team/a", body=b"hello", content_sha256=content_sha256))).payload
    assert payload.kind is kind
    assert bool(payload.seed) is (kind in (PayloadKind.SIGNED_CHUNKS, PayloadKind.SIGNED_CHUNKS_TRAILER))


@pytest.mark.parametrize(
    "content_sha256", ["sha256", "", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "AB" * 32, "ab" * 31, "é"]
)
async def test_an_unknown_hash_header_is_refused(content_sha256: str) -> None:
    request = by_header("PUT", "/team/a")
    assert await refusal(replaced(request, b"x-amz-content-sha256", content_sha256.encode())) == "InvalidArgument"


@each_mode
async def test_the_order_of_the_query_does_not_matter(sign: Callable[..., RawRequest]) -> None:
    request = sign("GET", TARGET)
    reordered = msgspec.structs.replace(request, query=b"&".join(reversed(request.query.split(b"&"))))
    assert (await verified(reordered)).query == (await verified(request)).query


@each_v4_mode
async def test_a_plus_in_the_query_is_a_space(sign: Callable[..., RawRequest]) -> None:
    request = sign("GET", "/team?prefix=a%20b%2B")
    plus = msgspec.structs.replace(request, query=request.query.replace(b"%20", b"+"))
    assert (await verified(plus)).query == {"prefix": "a b+"}


@each_v4_mode
async def test_any_region_is_accepted(sign: Callable[..., RawRequest]) -> None:
    for region in ("us-east-1", "auto", "nowhere"):
        assert await refusal(sign("GET", TARGET, region=region)) == ""


async def test_repeated_headers_and_spaces_are_normalised() -> None:
    request = by_header("PUT", "/team/a", [("x-amz-meta-a", "  one \t two "), ("x-amz-meta-a", "three")])
    assert (await verified(request)).headers["x-amz-meta-a"] == "one \t two,three"


async def test_a_signed_date_header_replaces_the_amz_date() -> None:
    request = by_header("GET", TARGET, [("Date", "now")])
    assert (b"date", formatdate(NOW).encode()) in request.headers
    assert await refusal(request) == ""


async def test_a_v2_signature_covers_the_bucket_in_the_host_name() -> None:
    request = by_v2_query("GET", "/a%20b.txt", auth_path="/team/a%20b.txt")
    assert (await verified(request, bucket_of_host="team")).path == "/a b.txt"
    assert await refusal(request) == "SignatureDoesNotMatch"


async def test_headers_repeated_in_a_v2_link_must_be_sent() -> None:
    request = by_v2_query("PUT", "/team/a", HEADERS)
    assert (await verified(request)).query == {}
    bare = with_headers(request, [pair for pair in request.headers if pair[0] != b"x-amz-meta-a"])
    assert await refusal(bare) == "AccessDenied"


async def test_our_presigned_url_is_accepted_and_equals_botocores() -> None:
    link = presign(
        method="GET", scheme="http", host=HOST, path=DECODED, access_key_id=ID, secret=SECRET, region="auto", now=NOW,
        expires=EXPIRES, query=[("versionId", "1&2")],
    )  # fmt: skip
    url = urlsplit(link)
    request = RawRequest("GET", url.path.encode(), url.query.encode(), [(b"host", url.netloc.encode())])
    parsed = await verified(request)
    assert (parsed.path, parsed.query) == (DECODED, {"versionId": "1&2"})
    assert request.query == by_query("GET", f"{PATH}?versionId=1%262").query


# Refused


@each_mode
async def test_every_changed_byte_is_refused_or_harmless(sign: Callable[..., RawRequest]) -> None:
    """A changed byte is refused, or the request has the same meaning."""
    request = sign("PUT", TARGET, HEADERS)
    original = await verified(request)
    signed = [name for name, _ in request.headers if name != b"content-type" or sign is not by_query]
    changed = [
        msgspec.structs.replace(request, method=method) for method in ("GET", "POST", "PuT", "PUT ", "PU", "PUTS")
    ]
    changed += [msgspec.structs.replace(request, path=path) for path in _altered(request.path)]
    changed += [msgspec.structs.replace(request, query=query) for query in _altered(request.query)]
    for name in signed:
        if sign is by_v2_query and name == b"host":
            continue  # the v2 signature only covers the bucket of the host
        changed += [replaced(request, name, value) for value in _altered(header(request, name))]
    refused = 0
    for other in changed:
        if await refusal(other):
            refused += 1
        else:
            assert _meaning(await verified(other)) == _meaning(original), other
    assert refused > 0.95 * len(changed), "only a few changes are harmless, such as lowercase percent codes"


def _altered(text: bytes) -> list[bytes]:
    """Every single-byte change, removal and insertion."""
    changes = []
    for index in range(len(text)):
        for byte in (text[index] ^ 1, text[index] ^ 0x20, ord("&"), ord("%"), ord(" "), 0xFF):
            changes.append(text[:index] + bytes([byte]) + text[index + 1 :])
        changes.append(text[:index] + text[index + 1 :])
        changes.append(text[:index] + b"a" + text[index:])
    return [change for change in changes if change != text]


def _meaning(parsed: object) -> tuple[object, ...]:
    """Everything that affects handling, with header spaces normalised."""
    path, query, headers, payload = (getattr(parsed, name) for name in ("path", "query", "headers", "payload"))
    return path, query, {name: " ".join(value.split()) for name, value in headers.items()}, payload.digest, payload.kind


@each_mode
async def test_an_unsigned_amz_header_is_refused(sign: Callable[..., RawRequest]) -> None:
    request = sign("PUT", TARGET, HEADERS)
    for extra in (b"x-amz-acl", b"x-amz-copy-source", b"x-amz-tagging"):
        more = with_headers(request, [*request.headers, (extra, b"value")])
        assert await refusal(more) == ("SignatureDoesNotMatch" if sign is by_v2_query else "AccessDenied")


@each_mode
async def test_a_signed_header_cannot_be_repeated_or_dropped(sign: Callable[..., RawRequest]) -> None:
    request = sign("PUT", TARGET, HEADERS)
    for name in (b"x-amz-meta-a", b"content-type", b"x-amz-meta-b"):
        assert await refusal(with_headers(request, [*request.headers, (name, b"more")]))
        assert await refusal(with_headers(request, [pair for pair in request.headers if pair[0] != name]))


async def test_credentials_in_header_and_query_are_refused() -> None:
    one = by_header("GET", "/team/a")
    for other in (by_query("GET", "/team/a"), by_v2_query("GET", "/team/a")):
        assert await refusal(msgspec.structs.replace(one, query=other.query)) == "InvalidArgument"
        for authorization in (b"Bearer x", b"AWS a:b"):
            both = with_headers(other, [*other.headers, (b"authorization", authorization)])
            assert await refusal(both) == "InvalidArgument"
    new, old = by_query("GET", "/team/a"), by_v2_query("GET", "/team/a")
    assert await refusal(msgspec.structs.replace(new, query=new.query + b"&" + old.query)) == "InvalidArgument"


async def test_credentials_given_twice_are_refused() -> None:
    request = by_header("GET", "/team/a")
    twice = with_headers(request, [*request.headers, (b"authorization", header(request, b"authorization"))])
    assert await refusal(twice) == "InvalidArgument"
    for sign in (by_query, by_v2_query):
        request = sign("GET", "/team/a")
        for pair in request.query.split(b"&"):
            again = msgspec.structs.replace(request, query=request.query + b"&" + pair)
            assert await refusal(again) == "InvalidArgument"


async def test_a_signed_parameter_with_two_values_is_refused() -> None:
    assert await refusal(by_header("GET", "/team?prefix=a&prefix=b")) == "InvalidArgument"
    assert await refusal(by_header("GET", "/team?prefix=a&prefix=a")) == ""


@each_mode
async def test_another_secret_or_another_key_is_refused(sign: Callable[..., RawRequest]) -> None:
    assert await refusal(sign("GET", TARGET, secret="another")) == "SignatureDoesNotMatch"
    request = sign("GET", TARGET)
    other = msgspec.structs.replace(request, query=request.query.replace(ID.encode(), b"TSKEY0000000000000AC"))
    if sign is by_header:
        other = replaced(request, b"authorization", header(request, b"authorization").replace(ID.encode(), b"nobody"))
    assert await refusal(other) == "InvalidAccessKeyId"


@pytest.mark.parametrize("offset", [-901, 901, -86400, 86400 * 365])
async def test_a_signature_is_valid_for_fifteen_minutes(offset: int) -> None:
    request = by_header("GET", TARGET)
    assert await refusal(request, NOW + offset) == "RequestTimeTooSkewed"
    assert await refusal(request, NOW + (899 if offset > 0 else -899)) == ""


@pytest.mark.parametrize("sign", MODES[1:])
async def test_a_link_expires(sign: Callable[..., RawRequest]) -> None:
    request = sign("GET", TARGET)
    assert await refusal(request, NOW + EXPIRES) == ""
    assert await refusal(request, NOW + EXPIRES + 1) == "AccessDenied"


async def test_a_link_signed_in_the_future_is_refused() -> None:
    assert await refusal(by_query("GET", TARGET), NOW - 901) == "AccessDenied"


async def test_a_link_is_valid_for_at_most_a_week() -> None:
    for expires in (0, -1, 604_801):
        assert await refusal(by_query("GET", TARGET, expires=expires)) == "AccessDenied"
    assert await refusal(by_query("GET", TARGET, expires=10**12)) == "AuthorizationQueryParametersError"
    assert await refusal(by_query("GET", TARGET, expires=604_800)) == ""
    assert await refusal(by_v2_query("GET", TARGET, expires=700_000)) == "AccessDenied"


@pytest.mark.parametrize("sign", MODES[1:])
async def test_a_link_is_for_one_method_and_one_path(sign: Callable[..., RawRequest]) -> None:
    request = sign("GET", "/team/a.txt")
    for change in ({"method": "PUT"}, {"method": "DELETE"}, {"path": b"/team/b.txt"}, {"path": b"//team/a.txt"}):
        assert await refusal(msgspec.structs.replace(request, **change)) == "SignatureDoesNotMatch"


async def test_parameters_that_a_v2_link_does_not_sign_are_refused() -> None:
    request = by_v2_query("GET", "/team?prefix=a")
    assert await refusal(request) == "AccessDenied"
    for extra in (b"&prefix=secret", b"&list-type=2", b"&x-amz-acl=public-read", b"&content-type=text%2Fhtml"):
        more = msgspec.structs.replace(by_v2_query("GET", "/team"), query=by_v2_query("GET", "/team").query + extra)
        assert await refusal(more) == "AccessDenied"


async def test_the_scope_must_name_s3_and_the_day_of_the_request() -> None:
    assert await refusal(by_header("GET", TARGET, service="ec2")) == "AuthorizationHeaderMalformed"
    request = by_header("GET", TARGET)
    today = datetime.fromtimestamp(NOW, UTC).strftime("%Y%m%d").encode()
    other = header(request, b"authorization").replace(today, b"20260503")
    assert await refusal(replaced(request, b"authorization", other)) == "AuthorizationHeaderMalformed"


@pytest.mark.parametrize(
    ("authorization", "code"),
    [
        ("AWS key:signature", "InvalidArgument"),
        ("AWS4-ECDSA-P256-SHA256 Credential=a", "InvalidArgument"),
        ("AWS4-HMAC-SHA256", "AuthorizationHeaderMalformed"),
        ("AWS4-HMAC-SHA256 Credential=a", "AuthorizationHeaderMalformed"),
        ("AWS4-HMAC-SHA256 Credential=a,Credential=b,Signature=c", "AuthorizationHeaderMalformed"),
        (f"AWS4-HMAC-SHA256 Credential={ID},SignedHeaders=host,Signature=c,More=d", "AuthorizationHeaderMalformed"),
        (f"AWS4-HMAC-SHA256 Credential={ID}/a/b,SignedHeaders=host,Signature=c", "AccessDenied"),
        ("AWS4-HMAC-SHA256 Credential=a,SignedHeaders=host,Signature=c,Signature=d", "AuthorizationHeaderMalformed"),
        ("AWS4-HMAC-SHA256 Credential=a,SignedHeaders=,Signature=c", "AuthorizationHeaderMalformed"),
        ("AWS4-HMAC-SHA256 Credential=a,SignedHeaders=x-amz-date,Signature=c", "AuthorizationHeaderMalformed"),
        ("AWS4-HMAC-SHA256 Credential=a,SignedHeaders=host;host,Signature=c", "AuthorizationHeaderMalformed"),
        ("AWS4-HMAC-SHA256 Credential=a,SignedHeaders=host;never-sent,Signature=c", "SignatureDoesNotMatch"),
    ],
)
async def test_an_invalid_authorization_header_is_refused(authorization: str, code: str) -> None:
    request = replaced(by_header("GET", TARGET), b"authorization", authorization.encode())
    assert await refusal(request) == code


@pytest.mark.parametrize(
    "date", [b"", b"yesterday", b"20260504", b"20260504T123015", b"20261304T123015Z", b"Mon, 99 May"]
)
async def test_an_invalid_date_is_refused(date: bytes) -> None:
    assert await refusal(replaced(by_header("GET", TARGET), b"x-amz-date", date)) == "AccessDenied"
    by_date = by_header("GET", TARGET, [("Date", "now")])
    assert await refusal(replaced(by_date, b"date", date)) == "AccessDenied"


async def test_an_unsigned_date_is_ignored() -> None:
    request = by_header("GET", TARGET)
    moved = [(b"date" if name == b"x-amz-date" else name, value) for name, value in request.headers]
    fewer = header(request, b"authorization").replace(b";x-amz-date", b"")
    assert await refusal(replaced(with_headers(request, moved), b"authorization", fewer)) == "AccessDenied"


@pytest.mark.parametrize("access_key_id", ["", "a%00", "a%20b", "%C3%A9", "a" * 129])
async def test_an_invalid_access_key_id_is_not_looked_up(access_key_id: str) -> None:
    async def fail(access_key_id: str) -> FakeKey:
        raise AssertionError(access_key_id)

    for sign in (by_query, by_v2_query):
        request = sign("GET", TARGET)
        changed = msgspec.structs.replace(request, query=request.query.replace(ID.encode(), access_key_id.encode()))
        with pytest.raises(S3Error):
            await signing.verify(changed, NOW, fail)


async def test_the_hash_header_is_required() -> None:
    request = by_header("GET", TARGET)
    bare = with_headers(request, [pair for pair in request.headers if pair[0] != b"x-amz-content-sha256"])
    names = header(request, b"authorization").replace(b"x-amz-content-sha256;", b"")
    assert await refusal(replaced(bare, b"authorization", names)) == "InvalidRequest"


async def test_session_tokens_are_refused() -> None:
    assert await refusal(by_header("GET", "/team/a", [("x-amz-security-token", "t")])) == "InvalidToken"
    assert await refusal(by_query("GET", "/team/a?X-Amz-Security-Token=t")) == "InvalidToken"


@pytest.mark.parametrize("path", [b"/team/%ff", b"/team/%zz", b"/team/%", b"/team/\xff", b"team/a", b"", b"*"])
async def test_an_invalid_path_is_refused(path: bytes) -> None:
    assert await refusal(msgspec.structs.replace(by_header("GET", "/team/a"), path=path)) == "InvalidURI"


@pytest.mark.parametrize("query", [b"a=%ff", b"%zz", b"a=%F", b"a=\xc3"])
async def test_an_invalid_query_is_refused(query: bytes) -> None:
    assert await refusal(msgspec.structs.replace(by_header("GET", "/team/a"), query=query)) == "InvalidURI"


async def test_signed_chunks_need_a_v4_signature() -> None:
    header = ("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
    assert await refusal(by_v2_query("PUT", "/team/a", [header])) == "InvalidRequest"


# Other requests


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        (b"", []),
        (b"q=X-Amz-Algorithm", [(b"authorization", b"Bearer ts_a_x")]),
        (b"q=X-Amz-Signature=1", [(b"authorization", b"AWSome")]),
        (b"Signature=a", []),
        (b"AWSAccessKeyId=a", []),
        (b"x-amz-signature=a", [(b"cookie", b"AWS4-HMAC-SHA256 ")]),
    ],
)
async def test_other_requests_are_not_s3_requests(query: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    request = RawRequest("GET", b"/", query, headers)
    assert not has_s3_credentials(dict(request.headers), request.query)
    assert await refusal(request), "and would not be verified"


def test_credentials_are_read_in_one_place() -> None:
    """Only the signature modules of the S3 package read credentials."""
    folder = Path(signing.__file__).parents[1]
    allowed = {"signing.py", "signature_fields.py", "signature_v2.py", "presigning.py"}
    for file in sorted(folder.rglob("*.py")):
        if file.name not in allowed:
            assert not re.search(r"X-Amz-Credential|AWSAccessKeyId|[\"']authorization[\"']", file.read_text(), re.I), (
                file
            )
