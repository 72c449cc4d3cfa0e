"""The house's refusals in S3's words."""

from collections.abc import Mapping

from teamspace.core import errors
from teamspace.core.errors import Refusal
from teamspace.s3.domain.faults import Fault

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
"""A key that is taken by what one cannot see is told as a right that is missing: S3 has no word for it."""
# fmt: on


def as_fault(refusal: Fault | Refusal) -> Fault:
    if isinstance(refusal, Fault):
        return refusal
    code = next((CODES[kind] for kind in type(refusal).__mro__ if kind in CODES), "InternalError")
    # A tag of the house's own is none that S3 clients know.
    headers = {name: value for name, value in refusal.headers.items() if name != "etag"}
    return Fault(code, str(refusal) or code, headers)
