"""Whose request it is: the one place that reads credentials from a request, before anything else does."""

import hmac
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeAlias, TypeVar

import msgspec

from teamspace.s3.domain import claims, legacy
from teamspace.s3.domain.canonical import Asked, Plain, canonical, plain, single
from teamspace.s3.domain.claims import Claim
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.payload import UNSIGNED, Payload, Seed, announced, kind_of
from teamspace.s3.domain.signature import signature, signing_key

_ACCESS_KEY_ID = re.compile(r"[\w.-]{1,128}", re.ASCII)
_ONLY_IN_LINKS = frozenset({b"X-Amz-Algorithm", b"X-Amz-Signature"})
_ONLY_IN_OLD_LINKS = frozenset({b"AWSAccessKeyId", b"Signature"})


class Key(Protocol):
    @property
    def secret(self) -> str: ...


K = TypeVar("K", bound=Key)
Keys: TypeAlias = Callable[[str], Awaitable[K]]


class Verified(msgspec.Struct, Generic[K], frozen=True):
    """A request that its key has signed: the path and the query that were signed, without the credentials."""

    key: K
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    presigned: bool
    payload: Payload


def recognised(headers: Mapping[bytes, bytes], query: bytes) -> bool:
    """Whether a request speaks S3, which says nothing yet of whether it may."""
    if headers.get(b"authorization", b"").startswith((b"AWS4-", b"AWS ")):
        return True
    if b"Signature" not in query and b"X-Amz-Algorithm" not in query:
        return False
    names = {part.partition(b"=")[0] for part in query.split(b"&")}
    return bool(names & _ONLY_IN_LINKS) or names >= _ONLY_IN_OLD_LINKS


async def verify(asked: Asked, now: float, keys: Keys[K], bucket_of_host: str = "") -> Verified[K]:
    """The request with its key, or a Fault; `keys` refuses an access key that is none."""
    request = plain(asked)
    in_header, in_link, in_old_link = _mechanisms(asked, request)
    if in_header + in_link + in_old_link > 1:
        raise Fault("InvalidArgument", "Only one auth mechanism allowed")
    if request.headers.get("x-amz-security-token") or dict(request.query).get("X-Amz-Security-Token"):
        raise Fault("InvalidToken", "There are no temporary credentials here: sign without a session token.")
    if in_header:
        return await _by_claim(request, claims.from_header(request, now), keys, presigned=False)
    if in_link:
        return await _by_claim(request, claims.from_query(request, now), keys, presigned=True)
    if in_old_link:
        return await _by_old_link(asked, request, now, keys, bucket_of_host)
    raise Fault("AccessDenied", "Access Denied")


def _mechanisms(asked: Asked, request: Plain) -> tuple[bool, bool, bool]:
    headers = [value for name, value in asked.headers if name == b"authorization" and value.strip()]
    names = [name for name, _ in request.query if name in claims.IN_QUERY or name in legacy.IN_QUERY]
    if len(headers) > 1 or len(set(names)) < len(names):
        raise Fault("InvalidArgument", "The request holds the same credentials twice.")
    return bool(headers), not claims.IN_QUERY.isdisjoint(names), {"AWSAccessKeyId", "Signature"} <= set(names)


async def _by_claim(request: Plain, claim: Claim, keys: Keys[K], *, presigned: bool) -> Verified[K]:
    kind_of(claim.digest)  # first of all, as a query may hold what has no place in a header
    key = await _key(claim.access_key_id, keys)
    signer = signing_key(key.secret, claim.scope)
    text = canonical(request, claim.signed, claim.digest)
    _compare(claim.signature, signature(signer, claim.moment, claim.scope, text))
    seed = Seed(signer, claim.moment, str(claim.scope), claim.signature)
    query = [pair for pair in request.query if pair[0] not in claims.IN_QUERY]
    return _verified(key, request, query, presigned, announced(claim.digest, request.headers, seed))


async def _by_old_link(asked: Asked, request: Plain, now: float, keys: Keys[K], bucket_of_host: str) -> Verified[K]:
    legacy.check(request, now)
    fields = dict(request.query)
    key = await _key(fields["AWSAccessKeyId"], keys)
    _compare(fields["Signature"], legacy.signature(asked, request, bucket_of_host, key.secret))
    query = [pair for pair in request.query if pair[0] not in legacy.IN_QUERY and not legacy.is_copy(request, *pair)]
    digest = request.headers.get("x-amz-content-sha256", UNSIGNED)
    return _verified(key, request, query, True, announced(digest, request.headers, None))


async def _key(access_key_id: str, keys: Keys[K]) -> K:
    if not _ACCESS_KEY_ID.fullmatch(access_key_id):
        raise Fault("InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.")
    return await keys(access_key_id)


def _verified(
    key: K, request: Plain, query: Sequence[tuple[str, str]], presigned: bool, payload: Payload
) -> Verified[K]:
    headers = {name: value for name, value in request.headers.items() if name != "authorization"}
    return Verified(key, request.path, single(query), headers, presigned, payload)


def _compare(given: str, expected: str) -> None:
    """In a time that tells nothing of where they differ."""
    if not hmac.compare_digest(given.encode(), expected.encode()):
        raise Fault(
            "SignatureDoesNotMatch",
            "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
        )
