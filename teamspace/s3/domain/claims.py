"""What a request says of its own signature, in a header or in the query, and whether it says so in time."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import mktime_tz, parsedate_tz
from functools import lru_cache

import msgspec

from teamspace.s3.domain.canonical import Plain
from teamspace.s3.domain.faults import Fault
from teamspace.s3.domain.payload import UNSIGNED
from teamspace.s3.domain.signature import ALGORITHM, LONGEST_LIFE, Scope

SKEW = 15 * 60
_REQUIRED = frozenset({
    "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-Signature", "X-Amz-SignedHeaders",
})  # fmt: skip
IN_QUERY = _REQUIRED | {"X-Amz-Content-Sha256", "X-Amz-Security-Token"}
_IN_HEADER = frozenset({"Credential", "SignedHeaders", "Signature"})
_HEADER, _QUERY = "AuthorizationHeaderMalformed", "AuthorizationQueryParametersError"
_MOMENT = re.compile(r"\d{8}T\d{6}Z", re.ASCII)
_SECONDS = re.compile(r"-?\d{1,9}", re.ASCII)


class Claim(msgspec.Struct, frozen=True):
    access_key_id: str
    scope: Scope
    moment: str
    signed: tuple[str, ...]
    digest: str
    signature: str


def from_header(request: Plain, now: float) -> Claim:
    fields = _fields(request.headers["authorization"])
    signed = _signed(fields["SignedHeaders"], request.headers, _HEADER)
    moment = _moment(request.headers, signed)
    if abs(now - _time(moment)) > SKEW:
        raise Fault(
            "RequestTimeTooSkewed", "The difference between the request time and the current time is too large."
        )
    access_key_id, scope = _credential(fields["Credential"], moment[:8], _HEADER)
    digest = request.headers.get("x-amz-content-sha256")
    if digest is None:
        raise Fault("InvalidRequest", "Missing required header for this request: x-amz-content-sha256")
    return Claim(access_key_id, scope, moment, signed, digest, fields["Signature"])


def from_query(request: Plain, now: float) -> Claim:
    fields = dict(request.query)
    if not fields.keys() >= _REQUIRED or fields["X-Amz-Algorithm"] != ALGORITHM:
        raise Fault(_QUERY, f"Query-string authentication takes {ALGORITHM} and all of {_listed(_REQUIRED)}.")
    moment = fields["X-Amz-Date"]
    _check_life(_time(moment), fields["X-Amz-Expires"], now)
    signed = _signed(fields["X-Amz-SignedHeaders"], request.headers, _QUERY)
    access_key_id, scope = _credential(fields["X-Amz-Credential"], moment[:8], _QUERY)
    digest = request.headers.get("x-amz-content-sha256", fields.get("X-Amz-Content-Sha256", UNSIGNED))
    return Claim(access_key_id, scope, moment, signed, digest, fields["X-Amz-Signature"])


def _fields(authorization: str) -> dict[str, str]:
    algorithm, _, rest = authorization.partition(" ")
    if algorithm != ALGORITHM:
        raise Fault("InvalidArgument", f"The authorization mechanism is not supported: use {ALGORITHM}.")
    parts = [part.strip().partition("=") for part in rest.split(",")]
    fields = {name: value for name, _, value in parts}
    if len(parts) != len(_IN_HEADER) or fields.keys() != _IN_HEADER:
        raise Fault(_HEADER, f"The authorization header must hold {_listed(_IN_HEADER)}, each once.")
    return fields


@lru_cache(maxsize=1024)  # a client says the same all day
def _credential(text: str, date_of_request: str, code: str) -> tuple[str, Scope]:
    match text.split("/"):
        case [access_key_id, date, region, "s3", "aws4_request"] if access_key_id:
            if date != date_of_request:
                raise Fault(
                    code, f'Invalid credential date "{date}": it is not that of the request, "{date_of_request}".'
                )
            return access_key_id, Scope(date, region)
    raise Fault(code, "The credential must be <access key>/<date>/<region>/s3/aws4_request.")


def _signed(text: str, headers: Mapping[str, str], code: str) -> tuple[str, ...]:
    """The names of signed headers: the host is among them, and all that tell S3 what to do."""
    names = _names(text)
    if "host" not in names:
        raise Fault(code, "The signed headers must be in order, in lower case, each once, and the host one of them.")
    if not headers.keys() >= set(names):
        raise Fault("SignatureDoesNotMatch", "A header that was signed is not in the request.")
    if unsigned := {name for name in headers if name.startswith("x-amz-") and name not in names}:
        raise Fault(
            "AccessDenied", f"There were headers present in the request which were not signed: {_listed(unsigned)}"
        )
    return names


@lru_cache(maxsize=1024)
def _names(text: str) -> tuple[str, ...]:
    """None at all unless they are in order, and each once."""
    names = text.split(";")
    return tuple(names) if names == sorted(set(names)) else ()


def _moment(headers: Mapping[str, str], signed: tuple[str, ...]) -> str:
    """The time of signing as it was signed; a plain Date counts only when it is signed itself."""
    if "x-amz-date" in headers:
        return headers["x-amz-date"]
    date = headers["date"] if "date" in signed else ""
    if _MOMENT.fullmatch(date):
        return date
    try:
        parsed = parsedate_tz(date)
        return datetime.fromtimestamp(mktime_tz(parsed), UTC).strftime("%Y%m%dT%H%M%SZ") if parsed else ""
    except (ValueError, OverflowError):
        return ""


@lru_cache(maxsize=1024)
def _time(moment: str) -> float:
    try:
        if _MOMENT.fullmatch(moment) and (time := datetime.fromisoformat(moment).timestamp()) > 0:
            return time
    except ValueError:
        pass
    raise Fault("AccessDenied", "AWS authentication requires a valid Date or x-amz-date header")


def _check_life(begun: float, seconds: str, now: float) -> None:
    if not _SECONDS.fullmatch(seconds):
        raise Fault(_QUERY, "X-Amz-Expires must be a number of seconds.")
    if not 1 <= int(seconds) <= LONGEST_LIFE:
        raise Fault("AccessDenied", f"A link may be valid for 1 to {LONGEST_LIFE} seconds.")
    if begun > now + SKEW:
        raise Fault("AccessDenied", "Request is not valid yet")
    if begun + int(seconds) < now:
        raise Fault("AccessDenied", "Request has expired")


def _listed(names: set[str] | frozenset[str]) -> str:
    return ", ".join(sorted(names))
