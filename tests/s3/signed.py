"""Requests as botocore signs them, and the keys that verify them."""

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
LIFE = 600
Pairs = Sequence[tuple[str, str]]


class Known(msgspec.Struct, frozen=True):
    secret: str = SECRET


KNOWN = Known()


async def keys(access_key_id: str) -> Known:
    if access_key_id != ID:
        raise S3Error("InvalidAccessKeyId", "There is no such key.")
    return KNOWN


async def verified(asked: RawRequest, now: float = NOW, bucket_of_host: str = "") -> Verified[Known]:
    return await verify(asked, now, keys, bucket_of_host)


async def refusal(asked: RawRequest, now: float = NOW) -> str:
    """The code of the refusal, or nothing."""
    try:
        await verified(asked, now)
    except S3Error as fault:
        assert fault.status >= 400
        return fault.code
    return ""


def by_header(
    method: str, target: str, headers: Pairs = (), *, body: bytes = b"", secret: str = SECRET, region: str = "auto",
    service: str = "s3", now: float = NOW, content_sha256: str = "",
) -> RawRequest:  # fmt: skip
    signer = _Fixed(Credentials(ID, secret), service, region)
    signer.content_sha256 = content_sha256
    return _signed(signer, method, target, headers, now, body)


def by_query(
    method: str, target: str, headers: Pairs = (), *, secret: str = SECRET, region: str = "auto", now: float = NOW,
    life: int = LIFE,
) -> RawRequest:  # fmt: skip
    return _signed(S3SigV4QueryAuth(Credentials(ID, secret), "s3", region, life), method, target, headers, now)


def by_old_query(
    method: str, target: str, headers: Pairs = (), *, secret: str = SECRET, now: float = NOW, life: int = LIFE,
    auth_path: str | None = None,
) -> RawRequest:  # fmt: skip
    asked = _signed(_Old(Credentials(ID, secret), int(now) + life), method, target, headers, now, auth_path=auth_path)
    return with_headers(asked, [header for header in asked.headers if header[0] != b"date"])


def with_headers(asked: RawRequest, headers: Iterable[tuple[bytes, bytes]]) -> RawRequest:
    return msgspec.structs.replace(asked, headers=list(headers))


def header(asked: RawRequest, name: bytes) -> bytes:
    return next(value for given, value in asked.headers if given == name)


def replaced(asked: RawRequest, name: bytes, value: bytes) -> RawRequest:
    return with_headers(asked, [(given, value if given == name else old) for given, old in asked.headers])


async def cut(data: bytes, sizes: Iterable[int] = ()) -> AsyncIterator[bytes]:
    """The data in pieces of these sizes, and then the rest."""
    for size in sizes:
        piece, data = data[:size], data[size:]
        yield piece
    yield data


class _Fixed(S3SigV4Auth):
    """Says of the body what it is told to say."""

    content_sha256 = ""

    def payload(self, request: AWSRequest) -> str:
        return self.content_sha256 or super().payload(request)


class _Old(HmacV1QueryAuth):
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
