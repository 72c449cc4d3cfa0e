"""What botocore signs is accepted; whatever was changed, added, moved or kept too long is not."""

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
    HOST,
    ID,
    KNOWN,
    LIFE,
    NOW,
    SECRET,
    Known,
    by_header,
    by_old_query,
    by_query,
    header,
    refusal,
    replaced,
    verified,
    with_headers,
)

MODES: list[Callable[..., RawRequest]] = [by_header, by_query, by_old_query]
PATH, DECODED = "/team/a%20b//./%C3%A9%2B%25.txt", "/team/a b//./é+%.txt"
QUERY = "versionId=1%262&uploads&response-content-type=text%2Fplain%3B%20a%3Db"
TARGET = f"{PATH}?{QUERY}"
HEADERS = [("Content-Type", "text/plain"), ("x-amz-meta-a", "one"), ("x-amz-meta-b", "two  three")]
each_mode = pytest.mark.parametrize("sign", MODES)
each_new_mode = pytest.mark.parametrize("sign", MODES[:2])


# What is accepted


@each_mode
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "POST", "DELETE"])
async def test_what_botocore_signs_is_accepted(sign: Callable[..., RawRequest], method: str) -> None:
    asked = sign(method, TARGET, HEADERS)
    assert has_s3_credentials(dict(asked.headers), asked.query)
    request = await verified(asked)
    assert (request.key, request.path) == (KNOWN, DECODED)
    assert request.query == {"versionId": "1&2", "uploads": "", "response-content-type": "text/plain; a=b"}
    assert request.headers["x-amz-meta-b"] == "two  three"
    assert request.presigned is (sign is not by_header)
    assert "authorization" not in request.headers, "whoever comes later has no credentials to read"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("", PayloadKind.SIGNED),
        ("UNSIGNED-PAYLOAD", PayloadKind.UNSIGNED),
        ("STREAMING-UNSIGNED-PAYLOAD-TRAILER", PayloadKind.UNSIGNED_CHUNKS_TRAILER),
        ("STREAMING-AWS4-HMAC-SHA256-PAYLOAD", PayloadKind.SIGNED_CHUNKS),
        ("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER", PayloadKind.SIGNED_CHUNKS_TRAILER),
    ],
)
async def test_the_body_is_what_its_hash_header_says(said: str, kind: PayloadKind) -> None:
    payload = (await verified(by_header("PUT", "/team/a", body=b"hello", content_sha256=said))).payload
    assert payload.kind is kind
    assert bool(payload.seed) is (kind in (PayloadKind.SIGNED_CHUNKS, PayloadKind.SIGNED_CHUNKS_TRAILER))


@pytest.mark.parametrize("said", ["sha256", "", "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "AB" * 32, "ab" * 31, "é"])
async def test_a_hash_header_that_says_nothing_known_is_refused(said: str) -> None:
    asked = by_header("PUT", "/team/a")
    assert await refusal(replaced(asked, b"x-amz-content-sha256", said.encode())) == "InvalidArgument"


@each_mode
async def test_the_order_of_the_query_does_not_matter(sign: Callable[..., RawRequest]) -> None:
    asked = sign("GET", TARGET)
    turned = msgspec.structs.replace(asked, query=b"&".join(reversed(asked.query.split(b"&"))))
    assert (await verified(turned)).query == (await verified(asked)).query


@each_new_mode
async def test_a_plus_in_the_query_is_a_space(sign: Callable[..., RawRequest]) -> None:
    asked = sign("GET", "/team?prefix=a%20b%2B")
    plus = msgspec.structs.replace(asked, query=asked.query.replace(b"%20", b"+"))
    assert (await verified(plus)).query == {"prefix": "a b+"}


@each_new_mode
async def test_any_region_will_do(sign: Callable[..., RawRequest]) -> None:
    for region in ("us-east-1", "auto", "nowhere"):
        assert await refusal(sign("GET", TARGET, region=region)) == ""


async def test_spaces_in_a_header_and_its_repetitions_are_signed_in_their_plain_form() -> None:
    asked = by_header("PUT", "/team/a", [("x-amz-meta-a", "  one \t two "), ("x-amz-meta-a", "three")])
    assert (await verified(asked)).headers["x-amz-meta-a"] == "one \t two,three"


async def test_a_signed_date_header_stands_in_for_the_other() -> None:
    asked = by_header("GET", TARGET, [("Date", "now")])
    assert (b"date", formatdate(NOW).encode()) in asked.headers
    assert await refusal(asked) == ""


async def test_the_old_signature_names_the_bucket_of_the_host() -> None:
    asked = by_old_query("GET", "/a%20b.txt", auth_path="/team/a%20b.txt")
    assert (await verified(asked, bucket_of_host="team")).path == "/a b.txt"
    assert await refusal(asked) == "SignatureDoesNotMatch"


async def test_headers_that_an_old_link_repeats_must_be_sent() -> None:
    asked = by_old_query("PUT", "/team/a", HEADERS)
    assert (await verified(asked)).query == {}
    bare = with_headers(asked, [pair for pair in asked.headers if pair[0] != b"x-amz-meta-a"])
    assert await refusal(bare) == "AccessDenied"


async def test_a_link_of_our_own_is_accepted_and_the_same_as_botocores() -> None:
    link = presign(
        method="GET", scheme="http", host=HOST, path=DECODED, access_key_id=ID, secret=SECRET, region="auto", now=NOW,
        expires=LIFE, query=[("versionId", "1&2")],
    )  # fmt: skip
    url = urlsplit(link)
    asked = RawRequest("GET", url.path.encode(), url.query.encode(), [(b"host", url.netloc.encode())])
    request = await verified(asked)
    assert (request.path, request.query) == (DECODED, {"versionId": "1&2"})
    assert asked.query == by_query("GET", f"{PATH}?versionId=1%262").query


# What is refused


@each_mode
async def test_no_byte_can_be_changed_unnoticed(sign: Callable[..., RawRequest]) -> None:
    """Whatever byte is another: refused, or read as exactly the same request."""
    asked = sign("PUT", TARGET, HEADERS)
    honest = await verified(asked)
    signed = [name for name, _ in asked.headers if name != b"content-type" or sign is not by_query]
    changed = [msgspec.structs.replace(asked, method=method) for method in ("GET", "POST", "PuT", "PUT ", "PU", "PUTS")]
    changed += [msgspec.structs.replace(asked, path=path) for path in _altered(asked.path)]
    changed += [msgspec.structs.replace(asked, query=query) for query in _altered(asked.query)]
    for name in signed:
        if sign is by_old_query and name == b"host":
            continue  # of a host the old signature knows the bucket alone
        changed += [replaced(asked, name, value) for value in _altered(header(asked, name))]
    refused = 0
    for other in changed:
        if await refusal(other):
            refused += 1
        else:
            assert _meaning(await verified(other)) == _meaning(honest), other
    assert refused > 0.95 * len(changed), "a few are the same in other words, such as a percent code in small letters"


def _altered(text: bytes) -> list[bytes]:
    """One byte another, one left out, one more, at every place."""
    changes = []
    for place in range(len(text)):
        for byte in (text[place] ^ 1, text[place] ^ 0x20, ord("&"), ord("%"), ord(" "), 0xFF):
            changes.append(text[:place] + bytes([byte]) + text[place + 1 :])
        changes.append(text[:place] + text[place + 1 :])
        changes.append(text[:place] + b"a" + text[place:])
    return [change for change in changes if change != text]


def _meaning(request: object) -> tuple[object, ...]:
    """All that may be acted upon, with the spaces of headers in their signed form."""
    path, query, headers, payload = (getattr(request, name) for name in ("path", "query", "headers", "payload"))
    return path, query, {name: " ".join(value.split()) for name, value in headers.items()}, payload.digest, payload.kind


@each_mode
async def test_a_header_that_tells_s3_what_to_do_cannot_be_added(sign: Callable[..., RawRequest]) -> None:
    asked = sign("PUT", TARGET, HEADERS)
    for extra in (b"x-amz-acl", b"x-amz-copy-source", b"x-amz-tagging"):
        more = with_headers(asked, [*asked.headers, (extra, b"value")])
        assert await refusal(more) == ("SignatureDoesNotMatch" if sign is by_old_query else "AccessDenied")


@each_mode
async def test_a_signed_header_cannot_be_doubled_or_dropped(sign: Callable[..., RawRequest]) -> None:
    asked = sign("PUT", TARGET, HEADERS)
    for name in (b"x-amz-meta-a", b"content-type", b"x-amz-meta-b"):
        assert await refusal(with_headers(asked, [*asked.headers, (name, b"more")]))
        assert await refusal(with_headers(asked, [pair for pair in asked.headers if pair[0] != name]))


async def test_header_and_query_together_are_refused() -> None:
    one = by_header("GET", "/team/a")
    for other in (by_query("GET", "/team/a"), by_old_query("GET", "/team/a")):
        assert await refusal(msgspec.structs.replace(one, query=other.query)) == "InvalidArgument"
        for authorization in (b"Bearer x", b"AWS a:b"):
            both = with_headers(other, [*other.headers, (b"authorization", authorization)])
            assert await refusal(both) == "InvalidArgument"
    new, old = by_query("GET", "/team/a"), by_old_query("GET", "/team/a")
    assert await refusal(msgspec.structs.replace(new, query=new.query + b"&" + old.query)) == "InvalidArgument"


async def test_credentials_given_twice_are_refused() -> None:
    asked = by_header("GET", "/team/a")
    twice = with_headers(asked, [*asked.headers, (b"authorization", header(asked, b"authorization"))])
    assert await refusal(twice) == "InvalidArgument"
    for sign in (by_query, by_old_query):
        asked = sign("GET", "/team/a")
        for pair in asked.query.split(b"&"):
            again = msgspec.structs.replace(asked, query=asked.query + b"&" + pair)
            assert await refusal(again) == "InvalidArgument"


async def test_a_parameter_with_two_values_is_refused_though_signed() -> None:
    assert await refusal(by_header("GET", "/team?prefix=a&prefix=b")) == "InvalidArgument"
    assert await refusal(by_header("GET", "/team?prefix=a&prefix=a")) == ""


@each_mode
async def test_another_secret_or_another_key_is_refused(sign: Callable[..., RawRequest]) -> None:
    assert await refusal(sign("GET", TARGET, secret="another")) == "SignatureDoesNotMatch"
    asked = sign("GET", TARGET)
    other = msgspec.structs.replace(asked, query=asked.query.replace(ID.encode(), b"TSKEY0000000000000AC"))
    if sign is by_header:
        other = replaced(asked, b"authorization", header(asked, b"authorization").replace(ID.encode(), b"nobody"))
    assert await refusal(other) == "InvalidAccessKeyId"


@pytest.mark.parametrize("late", [-901, 901, -86400, 86400 * 365])
async def test_a_signature_is_good_for_a_quarter_of_an_hour(late: int) -> None:
    asked = by_header("GET", TARGET)
    assert await refusal(asked, NOW + late) == "RequestTimeTooSkewed"
    assert await refusal(asked, NOW + (899 if late > 0 else -899)) == ""


@pytest.mark.parametrize("sign", MODES[1:])
async def test_a_link_ends_when_it_says(sign: Callable[..., RawRequest]) -> None:
    asked = sign("GET", TARGET)
    assert await refusal(asked, NOW + LIFE) == ""
    assert await refusal(asked, NOW + LIFE + 1) == "AccessDenied"


async def test_a_link_does_not_begin_in_the_future() -> None:
    assert await refusal(by_query("GET", TARGET), NOW - 901) == "AccessDenied"


async def test_a_link_lives_a_week_at_most() -> None:
    for life in (0, -1, 604_801):
        assert await refusal(by_query("GET", TARGET, life=life)) == "AccessDenied"
    assert await refusal(by_query("GET", TARGET, life=10**12)) == "AuthorizationQueryParametersError"
    assert await refusal(by_query("GET", TARGET, life=604_800)) == ""
    assert await refusal(by_old_query("GET", TARGET, life=700_000)) == "AccessDenied"


@pytest.mark.parametrize("sign", MODES[1:])
async def test_a_link_is_for_one_method_and_one_path(sign: Callable[..., RawRequest]) -> None:
    asked = sign("GET", "/team/a.txt")
    for change in ({"method": "PUT"}, {"method": "DELETE"}, {"path": b"/team/b.txt"}, {"path": b"//team/a.txt"}):
        assert await refusal(msgspec.structs.replace(asked, **change)) == "SignatureDoesNotMatch"


async def test_what_an_old_link_does_not_sign_is_refused() -> None:
    asked = by_old_query("GET", "/team?prefix=a")
    assert await refusal(asked) == "AccessDenied"
    for extra in (b"&prefix=secret", b"&list-type=2", b"&x-amz-acl=public-read", b"&content-type=text%2Fhtml"):
        more = msgspec.structs.replace(by_old_query("GET", "/team"), query=by_old_query("GET", "/team").query + extra)
        assert await refusal(more) == "AccessDenied"


async def test_the_scope_is_for_s3_and_the_day_of_the_request() -> None:
    assert await refusal(by_header("GET", TARGET, service="ec2")) == "AuthorizationHeaderMalformed"
    asked = by_header("GET", TARGET)
    today = datetime.fromtimestamp(NOW, UTC).strftime("%Y%m%d").encode()
    other = header(asked, b"authorization").replace(today, b"20260503")
    assert await refusal(replaced(asked, b"authorization", other)) == "AuthorizationHeaderMalformed"


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
async def test_an_authorization_that_is_none_is_refused_by_name(authorization: str, code: str) -> None:
    asked = replaced(by_header("GET", TARGET), b"authorization", authorization.encode())
    assert await refusal(asked) == code


@pytest.mark.parametrize(
    "date", [b"", b"yesterday", b"20260504", b"20260504T123015", b"20261304T123015Z", b"Mon, 99 May"]
)
async def test_a_date_that_cannot_be_read_is_refused(date: bytes) -> None:
    assert await refusal(replaced(by_header("GET", TARGET), b"x-amz-date", date)) == "AccessDenied"
    by_date = by_header("GET", TARGET, [("Date", "now")])
    assert await refusal(replaced(by_date, b"date", date)) == "AccessDenied"


async def test_a_date_that_is_not_signed_counts_for_nothing() -> None:
    asked = by_header("GET", TARGET)
    moved = [(b"date" if name == b"x-amz-date" else name, value) for name, value in asked.headers]
    fewer = header(asked, b"authorization").replace(b";x-amz-date", b"")
    assert await refusal(replaced(with_headers(asked, moved), b"authorization", fewer)) == "AccessDenied"


@pytest.mark.parametrize("access_key_id", ["", "a%00", "a%20b", "%C3%A9", "a" * 129])
async def test_what_cannot_be_an_access_key_is_not_even_looked_for(access_key_id: str) -> None:
    async def nobody(access_key_id: str) -> Known:
        raise AssertionError(access_key_id)

    for sign in (by_query, by_old_query):
        asked = sign("GET", TARGET)
        changed = msgspec.structs.replace(asked, query=asked.query.replace(ID.encode(), access_key_id.encode()))
        with pytest.raises(S3Error):
            await signing.verify(changed, NOW, nobody)


async def test_the_hash_header_is_required() -> None:
    asked = by_header("GET", TARGET)
    bare = with_headers(asked, [pair for pair in asked.headers if pair[0] != b"x-amz-content-sha256"])
    names = header(asked, b"authorization").replace(b"x-amz-content-sha256;", b"")
    assert await refusal(replaced(bare, b"authorization", names)) == "InvalidRequest"


async def test_session_tokens_are_refused() -> None:
    assert await refusal(by_header("GET", "/team/a", [("x-amz-security-token", "t")])) == "InvalidToken"
    assert await refusal(by_query("GET", "/team/a?X-Amz-Security-Token=t")) == "InvalidToken"


@pytest.mark.parametrize("path", [b"/team/%ff", b"/team/%zz", b"/team/%", b"/team/\xff", b"team/a", b"", b"*"])
async def test_a_path_that_cannot_be_read_is_refused(path: bytes) -> None:
    assert await refusal(msgspec.structs.replace(by_header("GET", "/team/a"), path=path)) == "InvalidURI"


@pytest.mark.parametrize("query", [b"a=%ff", b"%zz", b"a=%F", b"a=\xc3"])
async def test_a_query_that_cannot_be_read_is_refused(query: bytes) -> None:
    assert await refusal(msgspec.structs.replace(by_header("GET", "/team/a"), query=query)) == "InvalidURI"


async def test_signed_chunks_need_the_new_signature() -> None:
    said = ("x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
    assert await refusal(by_old_query("PUT", "/team/a", [said])) == "InvalidRequest"


# What is not S3 at all


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
async def test_other_requests_are_left_alone(query: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    asked = RawRequest("GET", b"/", query, headers)
    assert not has_s3_credentials(dict(asked.headers), asked.query)
    assert await refusal(asked), "and are nobody's, should they come here nevertheless"


def test_credentials_are_read_in_one_place() -> None:
    """No file of the S3 path but those of the signature knows where a request keeps them."""
    folder = Path(signing.__file__).parents[1]
    of_signatures = {"signing.py", "signature_fields.py", "signature_v2.py", "presigning.py"}
    for file in sorted(folder.rglob("*.py")):
        if file.name not in of_signatures:
            assert not re.search(r"X-Amz-Credential|AWSAccessKeyId|[\"']authorization[\"']", file.read_text(), re.I), (
                file
            )
