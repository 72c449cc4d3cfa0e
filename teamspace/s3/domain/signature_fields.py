"""Parse the signature of a request, from a header or the query, and check its time."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import mktime_tz, parsedate_tz
from functools import lru_cache

import msgspec

from teamspace.s3.domain.canonical import ParsedRequest
from teamspace.s3.domain.errors import S3Error
from teamspace.s3.domain.payload import UNSIGNED
from teamspace.s3.domain.signature_v4 import ALGORITHM, MAX_EXPIRES, Scope

SKEW = 15 * 60
_REQUIRED = frozenset({
    "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-Signature", "X-Amz-SignedHeaders",
})  # fmt: skip
IN_QUERY = _REQUIRED | {"X-Amz-Content-Sha256", "X-Amz-Security-Token"}
_IN_HEADER = frozenset({"Credential", "SignedHeaders", "Signature"})
_HEADER, _QUERY = "AuthorizationHeaderMalformed", "AuthorizationQueryParametersError"
_TIMESTAMP = re.compile(r"\d{8}T\d{6}Z", re.ASCII)
_SECONDS = re.compile(r"-?\d{1,9}", re.ASCII)


class SignatureFields(msgspec.Struct, frozen=True):
    access_key_id: str
    scope: Scope
    timestamp: str
    signed_headers: tuple[str, ...]
    digest: str
    signature: str


def from_header(request: ParsedRequest, now: float) -> SignatureFields:
    fields = _parse_authorization(request.headers["authorization"])
    signed = _parse_signed_headers(fields["SignedHeaders"], request.headers, _HEADER)
    timestamp = _signing_time(request.headers, signed)
    if abs(now - _to_seconds(timestamp)) > SKEW:
        raise S3Error(
            "RequestTimeTooSkewed", "The difference between the request time and the current time is too large."
        )
    access_key_id, scope = _parse_credential(fields["Credential"], timestamp[:8], _HEADER)
    digest = request.headers.get("x-amz-content-sha256")
    if digest is None:
        raise S3Error("InvalidRequest", "Missing required header for this request: x-amz-content-sha256")
    return SignatureFields(access_key_id, scope, timestamp, signed, digest, fields["Signature"])


def from_query(request: ParsedRequest, now: float) -> SignatureFields:
    fields = dict(request.query)
    if not fields.keys() >= _REQUIRED or fields["X-Amz-Algorithm"] != ALGORITHM:
        raise S3Error(_QUERY, f"Query-string authentication needs {ALGORITHM} and all of {_join(_REQUIRED)}.")
    timestamp = fields["X-Amz-Date"]
    _check_expiry(_to_seconds(timestamp), fields["X-Amz-Expires"], now)
    signed = _parse_signed_headers(fields["X-Amz-SignedHeaders"], request.headers, _QUERY)
    access_key_id, scope = _parse_credential(fields["X-Amz-Credential"], timestamp[:8], _QUERY)
    digest = request.headers.get("x-amz-content-sha256", fields.get("X-Amz-Content-Sha256", UNSIGNED))
    return SignatureFields(access_key_id, scope, timestamp, signed, digest, fields["X-Amz-Signature"])


def _parse_authorization(authorization: str) -> dict[str, str]:
    algorithm, _, rest = authorization.partition(" ")
    if algorithm != ALGORITHM:
        raise S3Error("InvalidArgument", f"The authorization mechanism is not supported: use {ALGORITHM}.")
    parts = [part.strip().partition("=") for part in rest.split(",")]
    fields = {name: value for name, _, value in parts}
    if len(parts) != len(_IN_HEADER) or fields.keys() != _IN_HEADER:
        raise S3Error(_HEADER, f"The authorization header must contain {_join(_IN_HEADER)}, each once.")
    return fields


@lru_cache(maxsize=1024)  # a client sends the same value all day
def _parse_credential(text: str, request_date: str, code: str) -> tuple[str, Scope]:
    match text.split("/"):
        case [access_key_id, date, region, "s3", "aws4_request"] if access_key_id:
            if date != request_date:
                raise S3Error(code, f'Invalid credential date "{date}": the date of the request is "{request_date}".')
            return access_key_id, Scope(date, region)
    raise S3Error(code, "The credential must be <access key>/<date>/<region>/s3/aws4_request.")


def _parse_signed_headers(text: str, headers: Mapping[str, str], code: str) -> tuple[str, ...]:
    """Return the names of the signed headers, which must include the host and every x-amz- header."""
    names = _parse_names(text)
    if "host" not in names:
        raise S3Error(code, "The signed headers must be sorted, in lower case, each once, and include the host.")
    if not headers.keys() >= set(names):
        raise S3Error("SignatureDoesNotMatch", "A header that was signed is not in the request.")
    if unsigned := {name for name in headers if name.startswith("x-amz-") and name not in names}:
        raise S3Error(
            "AccessDenied", f"There were headers present in the request which were not signed: {_join(unsigned)}"
        )
    return names


@lru_cache(maxsize=1024)
def _parse_names(text: str) -> tuple[str, ...]:
    """Return the names, or none if they are not sorted and unique."""
    names = text.split(";")
    return tuple(names) if names == sorted(set(names)) else ()


def _signing_time(headers: Mapping[str, str], signed: tuple[str, ...]) -> str:
    """Return the signed timestamp. A Date header is used only if it is signed itself."""
    if "x-amz-date" in headers:
        return headers["x-amz-date"]
    date = headers["date"] if "date" in signed else ""
    if _TIMESTAMP.fullmatch(date):
        return date
    try:
        parsed = parsedate_tz(date)
        return datetime.fromtimestamp(mktime_tz(parsed), UTC).strftime("%Y%m%dT%H%M%SZ") if parsed else ""
    except (ValueError, OverflowError):
        return ""


@lru_cache(maxsize=1024)
def _to_seconds(timestamp: str) -> float:
    try:
        if _TIMESTAMP.fullmatch(timestamp) and (time := datetime.fromisoformat(timestamp).timestamp()) > 0:
            return time
    except ValueError:
        pass
    raise S3Error("AccessDenied", "AWS authentication requires a valid Date or x-amz-date header")


def _check_expiry(signed_at: float, seconds: str, now: float) -> None:
    if not _SECONDS.fullmatch(seconds):
        raise S3Error(_QUERY, "X-Amz-Expires must be a number of seconds.")
    if not 1 <= int(seconds) <= MAX_EXPIRES:
        raise S3Error("AccessDenied", f"A link can be valid for 1 to {MAX_EXPIRES} seconds.")
    if signed_at > now + SKEW:
        raise S3Error("AccessDenied", "Request is not valid yet")
    if signed_at + int(seconds) < now:
        raise S3Error("AccessDenied", "Request has expired")


def _join(names: set[str] | frozenset[str]) -> str:
    return ", ".join(sorted(names))
