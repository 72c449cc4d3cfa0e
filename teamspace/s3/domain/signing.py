"""Verify S3 signatures. No other module reads the credentials of an S3 request."""

import hmac
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeAlias, TypeVar

import msgspec

from teamspace.s3.domain import signature_fields, signature_v2
from teamspace.s3.domain.canonical import ParsedRequest, RawRequest, canonical_request, parse, single_values
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.payload import UNSIGNED, Payload, Seed, parse_kind, parse_payload
from teamspace.s3.domain.signature_fields import SignatureFields
from teamspace.s3.domain.signature_v4 import signature, signing_key

_ACCESS_KEY_ID = re.compile(r"[\w.-]{1,128}", re.ASCII)
_V4_LINK_PARAMS = frozenset({b"X-Amz-Algorithm", b"X-Amz-Signature"})
_V2_LINK_PARAMS = frozenset({b"AWSAccessKeyId", b"Signature"})


class Key(Protocol):
    @property
    def secret(self) -> str: ...


K = TypeVar("K", bound=Key)
Keys: TypeAlias = Callable[[str], Awaitable[K]]


class Verified(msgspec.Struct, Generic[K], frozen=True):
    """A request with a valid signature: the signed path and query, without the credentials."""

    key: K
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    presigned: bool
    payload: Payload


def has_s3_credentials(headers: Mapping[bytes, bytes], query: bytes) -> bool:
    """Whether a request carries S3 credentials, valid or not."""
    if headers.get(b"authorization", b"").startswith((b"AWS4-", b"AWS ")):
        return True
    if b"Signature" not in query and b"X-Amz-Algorithm" not in query:
        return False
    names = {part.partition(b"=")[0] for part in query.split(b"&")}
    return bool(names & _V4_LINK_PARAMS) or names >= _V2_LINK_PARAMS


async def verify(raw: RawRequest, now: float, keys: Keys[K], host_bucket: str = "") -> Verified[K]:
    """Return the verified request with its key, or raise S3Error; `keys` finds a key by its id, or raises."""
    request = parse(raw)
    in_header, in_v4_link, in_v2_link = _find_credentials(raw, request)
    if in_header + in_v4_link + in_v2_link > 1:
        raise S3Error("InvalidArgument", "Only one auth mechanism allowed")
    if request.headers.get("x-amz-security-token") or dict(request.query).get("X-Amz-Security-Token"):
        raise S3Error("InvalidToken", "Temporary credentials are not supported: sign without a session token.")
    if in_header:
        return await _verify_fields(request, signature_fields.from_header(request, now), keys, presigned=False)
    if in_v4_link:
        return await _verify_fields(request, signature_fields.from_query(request, now), keys, presigned=True)
    if in_v2_link:
        return await _verify_v2_link(raw, request, now, keys, host_bucket)
    raise S3Error("AccessDenied", "Access Denied")


def _find_credentials(raw: RawRequest, request: ParsedRequest) -> tuple[bool, bool, bool]:
    headers = [value for name, value in raw.headers if name == b"authorization" and value.strip()]
    names = [name for name, _ in request.query if name in signature_fields.IN_QUERY or name in signature_v2.IN_QUERY]
    if len(headers) > 1 or len(set(names)) < len(names):
        raise S3Error("InvalidArgument", "The request contains the same credentials twice.")
    return bool(headers), not signature_fields.IN_QUERY.isdisjoint(names), {"AWSAccessKeyId", "Signature"} <= set(names)


async def _verify_fields(
    request: ParsedRequest, fields: SignatureFields, keys: Keys[K], *, presigned: bool
) -> Verified[K]:
    parse_kind(fields.digest)  # checked first, since a query can contain characters that a header cannot
    key = await _find_key(fields.access_key_id, keys)
    signer = signing_key(key.secret, fields.scope)
    text = canonical_request(request, fields.signed_headers, fields.digest)
    _check_signature(fields.signature, signature(signer, fields.timestamp, fields.scope, text))
    seed = Seed(signer, fields.timestamp, str(fields.scope), fields.signature)
    query = [pair for pair in request.query if pair[0] not in signature_fields.IN_QUERY]
    return _to_verified(key, request, query, presigned, parse_payload(fields.digest, request.headers, seed))


async def _verify_v2_link(
    raw: RawRequest, request: ParsedRequest, now: float, keys: Keys[K], host_bucket: str
) -> Verified[K]:
    signature_v2.check(request, now)
    fields = dict(request.query)
    key = await _find_key(fields["AWSAccessKeyId"], keys)
    _check_signature(fields["Signature"], signature_v2.signature(raw, request, host_bucket, key.secret))
    query = [
        pair
        for pair in request.query
        if pair[0] not in signature_v2.IN_QUERY and not signature_v2.is_copy(request, *pair)
    ]
    digest = request.headers.get("x-amz-content-sha256", UNSIGNED)
    return _to_verified(key, request, query, True, parse_payload(digest, request.headers, None))


async def _find_key(access_key_id: str, keys: Keys[K]) -> K:
    if not _ACCESS_KEY_ID.fullmatch(access_key_id):
        raise S3Error("InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.")
    return await keys(access_key_id)


def _to_verified(
    key: K, request: ParsedRequest, query: Sequence[tuple[str, str]], presigned: bool, payload: Payload
) -> Verified[K]:
    headers = {name: value for name, value in request.headers.items() if name != "authorization"}
    return Verified(key, request.path, single_values(query), headers, presigned, payload)


def _check_signature(sent: str, expected: str) -> None:
    """Compare in constant time."""
    if not hmac.compare_digest(sent.encode(), expected.encode()):
        raise S3Error(
            "SignatureDoesNotMatch",
            "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
        )
