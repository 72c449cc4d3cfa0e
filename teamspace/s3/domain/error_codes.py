"""Map refusals to S3 error codes."""

from collections.abc import Mapping

from teamspace.core import errors
from teamspace.core.errors import Refusal
from teamspace.s3.domain.errors import S3Error

# fmt: off
CODES: Mapping[type[Refusal], str] = {
    errors.BadRequest:         "InvalidArgument",
    errors.Conflict:           "AccessDenied",
    errors.Forbidden:          "AccessDenied",
    errors.HeadersTooLarge:    "InvalidRequest",
    errors.InvalidRange:       "InvalidRange",
    errors.NotFound:           "NoSuchKey",
    errors.OrgSuspended:       "AccessDenied",
    errors.OutOfScope:         "AccessDenied",
    errors.Overloaded:         "SlowDown",
    errors.PreconditionFailed: "PreconditionFailed",
    errors.QuotaExceeded:      "QuotaExceeded",
    errors.RateLimited:        "SlowDown",
    errors.StorageFull:        "InsufficientStorage",
    errors.TenantSuspended:    "AccessDenied",
    errors.TokenExpired:       "InvalidAccessKeyId",
    errors.TooLarge:           "EntityTooLarge",
    errors.Unauthenticated:    "InvalidAccessKeyId",
    errors.VersionMismatch:    "PreconditionFailed",
}
"""Conflict is a key used by an object the caller cannot see; S3 has no code for that but AccessDenied."""
# fmt: on


def as_s3_error(refusal: S3Error | Refusal) -> S3Error:
    if isinstance(refusal, S3Error):
        return refusal
    code = next((CODES[kind] for kind in type(refusal).__mro__ if kind in CODES), "InternalError")
    # The ETag of a refusal is a version number, which S3 clients do not know.
    headers = {name: value for name, value in refusal.headers.items() if name != "etag"}
    return S3Error(code, str(refusal) or code, headers)
