"""Requests signed by botocore, and the key to verify them."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from unittest.mock import patch
from urllib.parse import urlsplit

import msgspec
from botocore.auth import HmacV1QueryAuth, S3SigV4Auth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from teamspace.s3.domain.canonical import RawRequest
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.signing import Verified, verify

NOW = datetime(2026, 5, 4, 12, 30, 15, tzinfo=UTC).timestamp()
ID, SECRET = "TSKEY0000000000000AB", "aVery/Secret+Value0123456789abcdefghijkl"
HOST = "files.example.com:8443"
EXPIRES = 600
Pairs = Sequence[tuple[str, str]]


class FakeKey(msgspec.Struct, frozen=True):
    secret: str = SECRET


FAKE_KEY = FakeKey()


async def find_key(access_key_id: str) -> FakeKey:
    if access_key_id != ID:
        raise S3Error("InvalidAccessKeyId", "There is no such key.")
    return FAKE_KEY


async def verified(request: RawRequest, now: float = NOW, bucket_of_host: str = "") -> Verified[FakeKey]:
    return await verify(request, now, find_key, bucket_of_host)


async def refusal(request: RawRequest, now: float = NOW) -> str:
    """The error code, or an empty string."""
    try:
        await verified(request, now)
    except S3Error as error:
        assert error.status >= 400
        return error.code
    return ""


def by_header(
    method: str, target: str, headers: Pairs = (), *, body: bytes = b"", secret: str = SECRET, region: str = "auto",
    service: str = "s3", now: float = NOW, content_sha256: str = "",
) -> RawRequest:  # fmt: skip
    signer = _FixedPayloadHash(Credentials(ID, secret), service, region)
    signer.content_sha256 = content_sha256
    return _signed(signer, method, target, headers, now, body)


def by_query(
    method: str, target: str, headers: Pairs = (), *, secret: str = SECRET, region: str = "auto", now: float = NOW,
    expires: int = EXPIRES,
) -> RawRequest:  # fmt: skip
    return _signed(S3SigV4QueryAuth(Credentials(ID, secret), "s3", region, expires), method, target, headers, now)


def by_v2_query(
    method: str, target: str, headers: Pairs = (), *, secret: str = SECRET, now: float = NOW, expires: int = EXPIRES,
    auth_path: str | None = None,
) -> RawRequest:  # fmt: skip
    request = _signed(
        _SignatureV2(Credentials(ID, secret), int(now) + expires), method, target, headers, now, auth_path=auth_path
    )
    return with_headers(request, [header for header in request.headers if header[0] != b"date"])


def with_headers(request: RawRequest, headers: Iterable[tuple[bytes, bytes]]) -> RawRequest:
    return msgspec.structs.replace(request, headers=list(headers))


def header(request: RawRequest, name: bytes) -> bytes:
    return next(value for header_name, value in request.headers if header_name == name)


def replaced(request: RawRequest, name: bytes, value: bytes) -> RawRequest:
    return with_headers(
        request, [(header_name, value if header_name == name else old) for header_name, old in request.headers]
    )


async def split(data: bytes, sizes: Iterable[int] = ()) -> AsyncIterator[bytes]:
    """The data in chunks of these sizes, then the rest."""
    for size in sizes:
        chunk, data = data[:size], data[size:]
        yield chunk
    yield data


class _FixedPayloadHash(S3SigV4Auth):
    """Signs the given x-amz-content-sha256."""

    content_sha256 = ""

    def payload(self, request: AWSRequest) -> str:
        return self.content_sha256 or super().payload(request)


class _SignatureV2(HmacV1QueryAuth):
    def _get_date(self) -> str:
        return str(self._expires)


@contextmanager
def _clock(now: float) -> Iterator[None]:
    with patch("botocore.auth.get_current_datetime", lambda: datetime.fromtimestamp(now, UTC)):
        yield


def _signed(
    signer: S3SigV4Auth | HmacV1QueryAuth, method: str, target: str, headers: Pairs, now: float, body: bytes = b"",
    auth_path: str | None = None,
) -> RawRequest:  # fmt: skip
    request = AWSRequest(method, f"http://{HOST}{target}", data=body, auth_path=auth_path)
    request.headers["Host"] = HOST
    for name, value in headers:
        request.headers.add_header(name, value)
    with _clock(now):
        signer.add_auth(request)
    url = urlsplit(request.url)
    sent = [(name.lower().encode(), value.encode()) for name, value in request.headers.items()]
    return RawRequest(method, url.path.encode(), url.query.encode(), sent)
