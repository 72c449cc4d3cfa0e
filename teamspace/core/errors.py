"""Named refusals. A verb raises one, its class carries status and code, the gate writes the problem body.

    Refusal
    ├── BadRequest 400
    │   └── InvalidThemeToken
    ├── Unauthenticated 401
    │   ├── InvalidCredentials, TotpRequired, TotpInvalid, TokenExpired
    ├── TenantSuspended 402
    ├── Forbidden 403
    │   ├── FeatureDisabled, OrgSuspended, OutOfScope, ReauthRequired, SelfRoleChange
    ├── NotFound 404, MethodNotAllowed 405
    ├── Conflict 409
    │   ├── AlreadyBootstrapped, IdempotencyConflict, NotCancellable, SingleTenant, StaleClaim
    ├── VersionMismatch 412, TooLarge 413, UnsupportedType 415, ResponseRefused 422, HeadersTooLarge 431
    ├── RateLimited 429
    │   ├── QuotaExceeded, TooManyAttempts
    ├── InternalError 500, ExecutorFailed 502, NoExecutor 503, Overloaded 503
    └── StorageFull 507

A capability subclasses by name (`NoteNotFound(NotFound)`); code and status follow. A detail never
repeats the id that was asked for: what is absent and what is hidden must look alike to the byte.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec


class FieldError(msgspec.Struct, frozen=True):
    """One fault of a request body or query: where (a JSON pointer) and what."""

    pointer: str
    message: str


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """The body of every refusal (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    field: str | None = None
    errors: tuple[FieldError, ...] | None = None
    retry_after: int | None = None
    version: int | None = None
    ratio: float | None = None
    required: float | None = None
    against: str | None = None
    dimension: str | None = None
    level: str | None = None
    resets_at: str | None = None


class Refusal(Exception):
    """The request is refused, for a reason the caller may know."""

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str]
    recorded: ClassVar[bool] = False
    """Whether it goes on the audit trail of whoever was refused: it is about their rights, or a proof that failed."""

    def __init__(self, detail: str, *, headers: Mapping[str, str] | None = None, **extra: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.headers = dict(headers or {})
        self.extra = extra

    def problem(self, request_id: str) -> Problem:
        return Problem(
            type=f"urn:teamspace:problem:{self.code}", title=self.title, status=self.status,
            detail=self.detail, code=self.code, request_id=request_id, **self.extra,
        )  # fmt: skip


class BadRequest(Refusal):
    status, code, title = 400, "invalid_request", "The request is not valid"

    @classmethod
    def at(cls, pointer: str, message: str) -> "BadRequest":
        """One field is wrong: `pointer` says which."""
        return cls(f"{pointer}: {message}", errors=(FieldError(pointer, message),))


class InvalidThemeToken(BadRequest):
    """A theme token is unknown, malformed or too faint; `against` is the token whose contrast was measured."""

    code, title = "invalid_theme_token", "A theme token is not valid"


class Unauthenticated(Refusal):
    status, code, title = 401, "unauthenticated", "A valid credential is needed"

    def __init__(self, detail: str = "Send a valid bearer token in the Authorization header.") -> None:
        super().__init__(detail, headers={"www-authenticate": "Bearer"})


class InvalidCredentials(Unauthenticated):
    code, title = "invalid_credentials", "The sign-in failed"
    recorded = True

    def __init__(self, detail: str = "The username or the password is wrong.") -> None:
        super().__init__(detail)


class TotpRequired(Unauthenticated):
    code, title = "totp_required", "A second factor is needed"

    def __init__(self) -> None:
        super().__init__("Send the code of the authenticator app, or a recovery code, as totp.")


class TotpInvalid(Unauthenticated):
    code, title = "totp_invalid", "The second factor failed"
    recorded = True

    def __init__(self) -> None:
        super().__init__("The code is wrong, has expired, or was used before.")


class TokenExpired(Unauthenticated):
    code, title = "token_expired", "The token has expired"

    def __init__(self) -> None:
        super().__init__("This token has expired: sign in again or issue a new one.")


class TenantSuspended(Refusal):
    status, code, title = 402, "tenant_suspended", "The workspace is suspended and read-only"

    def __init__(self) -> None:
        super().__init__("This workspace is suspended: it can be read, not changed.")


class Forbidden(Refusal):
    status, code, title = 403, "forbidden", "This is not allowed"
    recorded = True


class FeatureDisabled(Forbidden):
    code, title = "feature_disabled", "The feature is off for this team"
    recorded = False


class OrgSuspended(Forbidden):
    code, title = "org_suspended", "The company is suspended and read-only"
    recorded = False

    def __init__(self) -> None:
        super().__init__("The company is suspended: it can be read, not changed.")


class OutOfScope(Forbidden):
    code, title = "out_of_scope", "The token's scope does not reach this"


class ReauthRequired(Forbidden):
    code, title = "reauth_required", "A fresh proof of identity is needed"


class SelfRoleChange(Forbidden):
    code, title = "self_role_change", "Nobody changes their own role"


class NotFound(Refusal):
    status, code, title = 404, "not_found", "There is no such thing here"

    def __init__(self, detail: str = "It does not exist, or you may not see it.") -> None:
        super().__init__(detail)


class MethodNotAllowed(Refusal):
    status, code, title = 405, "method_not_allowed", "The path does not take this method"


class Conflict(Refusal):
    """`at` points at the field that cannot have this value now."""

    status, code, title = 409, "conflict", "The request conflicts with the present state"

    def __init__(self, detail: str, *, at: str | None = None) -> None:
        super().__init__(detail, errors=(FieldError(at, detail),) if at else None)


class AlreadyBootstrapped(Conflict):
    code, title = "already_bootstrapped", "The instance has been set up before"


class IdempotencyConflict(Conflict):
    code, title = "idempotency_conflict", "The idempotency key was used for another request"


class NotCancellable(Conflict):
    code, title = "not_cancellable", "It cannot be cancelled any more"


class StaleClaim(Conflict):
    """The job is not in these hands, or not any more."""

    code, title = "stale_claim", "The claim does not hold"


class SingleTenant(Conflict):
    code, title = "single_tenant", "The instance holds one company"


class VersionMismatch(Refusal):
    """Somebody else wrote in between; `version` is what is there now."""

    status, code, title = 412, "version_mismatch", "The resource has changed"

    def __init__(self, version: int) -> None:
        detail = f"The current version is {version}: read it again before writing."
        super().__init__(detail, version=version, headers={"etag": f'"{version}"'})


class PreconditionFailed(Refusal):
    """What is there is not what a condition of the request asks for."""

    status, code, title = 412, "version_mismatch", "The resource has changed"


class InvalidRange(Refusal):
    status, code, title = 416, "invalid_range", "The range cannot be served"


class TooLarge(Refusal):
    status, code, title = 413, "too_large", "The body is too large"


class UnsupportedType(Refusal):
    status, code, title = 415, "unsupported_type", "The content type is not supported"


class ResponseRefused(Refusal):
    """What a model or a worker answered is not what was asked for."""

    status, code, title = 422, "response_refused", "The answer breaks its schema"


class HeadersTooLarge(Refusal):
    status, code, title = 431, "too_large", "The request headers are too large"


class RateLimited(Refusal):
    """Too many requests; `retry_after` seconds from now there is room again, or never by time alone."""

    status, code, title = 429, "rate_limited", "Too many requests"

    def __init__(self, detail: str, retry_after: int | None, **extra: Any) -> None:
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        super().__init__(detail, retry_after=retry_after, headers=headers, **extra)


class QuotaExceeded(RateLimited):
    """A limit on spending leaves no room; `dimension`, `level` and `resets_at` say which and until when."""

    code, title = "quota_exceeded", "The quota is used up"


class TooManyAttempts(RateLimited):
    code, title = "too_many_attempts", "Too many failed attempts"
    recorded = True


class NotReady(Refusal):
    status, code, title = 503, "not_ready", "The server is not ready"


class InternalError(Refusal):
    status, code, title = 500, "internal_error", "Something went wrong on the server"


class ExecutorFailed(Refusal):
    """What runs the model did not; `retryable` says whether it may another time."""

    status, code, title = 502, "executor_failed", "The executor failed"

    def __init__(self, detail: str, *, retryable: bool = True) -> None:
        super().__init__(detail)
        self.retryable = retryable


class NoExecutor(Refusal):
    status, code, title = 503, "no_executor", "No executor can take this"

    def __init__(self, detail: str, retry_after: int = 30) -> None:
        super().__init__(detail, retry_after=retry_after, headers={"retry-after": str(retry_after)})


class Overloaded(Refusal):
    """Refused before it could be slow; the caller comes back after `retry_after` seconds."""

    status, code, title = 503, "overloaded", "The server is busy"

    def __init__(self, detail: str = "Try again shortly.", retry_after: int = 1) -> None:
        super().__init__(detail, retry_after=retry_after, headers={"retry-after": str(retry_after)})


class StorageFull(Refusal):
    status, code, title = 507, "storage_full", "The write could not be stored"
