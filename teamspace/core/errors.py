"""Errors that the caller can act on. Domain functions raise them; the gate turns them into problem bodies.

    Refusal
    ├── BadRequest 400
    │   ├── InvalidSpec, InvalidThemeToken
    ├── UserError 400
    ├── Unauthenticated 401
    │   ├── InvalidCredentials, TotpRequired, TotpInvalid, TokenExpired
    ├── TenantSuspended 402
    ├── Forbidden 403
    │   ├── FeatureDisabled, OrgSuspended, OutOfScope, ReauthRequired, SelfReview, SelfRoleChange, ToolDisabled
    ├── NotFound 404, MethodNotAllowed 405
    ├── Conflict 409
    │   ├── AlreadyBootstrapped, AlreadyDecided, IdempotencyConflict, NoDraft, NotCancellable, NothingApproved,
    │   │   SingleTenant, StaleClaim
    ├── VersionMismatch 412, TooLarge 413, UnsupportedType 415, ResponseRefused 422, HeadersTooLarge 431
    ├── RateLimited 429
    │   ├── QuotaExceeded, TooManyAttempts
    ├── InternalError 500, ExecutorFailed 502, ToolFailed 502, NoExecutor 503, Overloaded 503
    └── StorageFull 507

A package may subclass them (`NoteNotFound(NotFound)`) and inherits code and status. A refusal names the key of its text
in the catalog, with parameters; the key belongs to this one refusal. A parameter never repeats the requested id: the
responses for a missing and for a hidden row must be byte-identical.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import msgspec

from teamspace.core.messages import Param, render


class FieldError(msgspec.Struct, frozen=True):
    """One error in a request body or query: where (a JSON pointer) and what."""

    pointer: str
    message: str
    key: str
    """The key of the message in the catalog's namespace `refusals`."""
    params: dict[str, Param]


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """The body of every error response (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    key: str
    """The key of the detail in the catalog's namespace `refusals`: it names one refusal, where `code` names a group."""
    params: dict[str, Param]
    """The parameters of its text."""
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
    """When an exhausted quota starts anew. Absent if it does not: slots are free when a running request ends, stored
    content when it is deleted."""


class KeyedError(Exception):
    """An error whose text is in the catalog, because people may read it."""

    key: str = ""
    """A class has a key if all its errors have the same text."""

    def __init__(self, key: str = "", /, **params: Param) -> None:
        self.key, self.params = key or self.key, params
        super().__init__(render(self.key, params))


class Refusal(KeyedError):
    """The request is refused, for a reason that the caller may see."""

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str]
    recorded: ClassVar[bool] = False
    """Whether it is written to the audit log of the caller's company: missing rights, or a failed authentication."""

    def __init__(self, key: str = "", /, **params: Param) -> None:
        super().__init__(key, **params)
        self.detail: str = self.args[0]
        self.headers: dict[str, str] = {}
        self.extra: dict[str, Any] = {}
        """Further fields of the problem body."""

    def with_headers(self, headers: Mapping[str, str]) -> Self:
        self.headers |= headers
        return self

    def with_fields(self, **fields: Any) -> Self:
        """Add fields to the problem body."""
        self.extra |= fields
        return self

    def __str__(self) -> str:
        return self.detail

    def problem(self, request_id: str) -> Problem:
        return Problem(
            type=f"urn:teamspace:problem:{self.code}", title=self.title, status=self.status, detail=self.detail,
            code=self.code, key=self.key, params=self.params, request_id=request_id, **self.extra,
        )  # fmt: skip


class BadRequest(Refusal):
    status, code, title = 400, "invalid_request", "The request is not valid"

    @classmethod
    def at(cls, pointer: str, key: str, /, **params: Param) -> Self:
        """Return an error about the field at `pointer`; its text reads on from the field's name."""
        refusal = cls(key, **params)
        error = FieldError(pointer, refusal.detail, key, params)
        refusal.detail = f"{pointer or 'The body'}: {error.message}"
        return refusal.with_fields(errors=(error,))


class InvalidThemeToken(BadRequest):
    """A theme token is unknown, malformed or lacks contrast; `against` is the token it was compared with."""

    code, title = "invalid_theme_token", "A theme token is not valid"


class InvalidSpec(BadRequest):
    """A workflow spec has faults; `errors` names the place of each."""

    code, title = "invalid_spec", "The workflow spec is not valid"
    key = "workflows.spec_invalid"

    def __init__(self, errors: tuple[FieldError, ...]) -> None:
        super().__init__(count=len(errors))
        self.with_fields(errors=errors)


class UserError(Refusal):
    """A plugin refuses a request because of what the caller sent; the text is the plugin's own."""

    status, code, title = 400, "plugin_error", "The plugin refused the request"
    key = "plugins.user_error"

    def __init__(self, message: str) -> None:
        super().__init__(message=str(message)[:1000])


class Unauthenticated(Refusal):
    status, code, title = 401, "unauthenticated", "A valid credential is required"

    key = "request.unauthenticated"

    def __init__(self, key: str = "", /, **params: Param) -> None:
        super().__init__(key, **params)
        self.with_headers({"www-authenticate": "Bearer"})


class InvalidCredentials(Unauthenticated):
    code, title = "invalid_credentials", "Sign-in failed"
    key = "sign_in.wrong"
    recorded = True


class TotpRequired(Unauthenticated):
    code, title = "totp_required", "A second factor is required"
    key = "sign_in.totp_required"


class TotpInvalid(Unauthenticated):
    code, title = "totp_invalid", "The second factor is wrong"
    key = "sign_in.totp_wrong"
    recorded = True


class TokenExpired(Unauthenticated):
    code, title = "token_expired", "The token has expired"
    key = "request.token_expired"


class TenantSuspended(Refusal):
    status, code, title = 402, "tenant_suspended", "The workspace is suspended and read-only"
    key = "tenancy.workspace_suspended"


class Forbidden(Refusal):
    status, code, title = 403, "forbidden", "Not allowed"
    recorded = True


class FeatureDisabled(Forbidden):
    code, title = "feature_disabled", "The feature is off for this team"
    recorded = False


class ToolDisabled(Forbidden):
    code, title = "tool_disabled", "The tool is off for this team"
    recorded = False


class OrgSuspended(Forbidden):
    code, title = "org_suspended", "The company is suspended and read-only"
    key = "tenancy.company_suspended"
    recorded = False


class OutOfScope(Forbidden):
    code, title = "out_of_scope", "The token's scope does not include this"


class ReauthRequired(Forbidden):
    code, title = "reauth_required", "Reauthentication is required"


class SelfReview(Forbidden):
    code, title = "self_review", "You cannot review your own work"


class SelfRoleChange(Forbidden):
    code, title = "self_role_change", "You cannot change your own role"


class NotFound(Refusal):
    status, code, title = 404, "not_found", "Not found"
    key = "request.not_found"


class MethodNotAllowed(Refusal):
    status, code, title = 405, "method_not_allowed", "Method not allowed"


class Conflict(Refusal):
    """The request does not fit the current state; `at` is the JSON pointer of the field in conflict, if any."""

    status, code, title = 409, "conflict", "The request conflicts with the current state"

    def __init__(self, key: str = "", /, *, at: str | None = None, **params: Param) -> None:
        super().__init__(key, **params)
        if at:
            self.with_fields(errors=(FieldError(at, self.detail, self.key, params),))


class AlreadyBootstrapped(Conflict):
    code, title = "already_bootstrapped", "The instance is already set up"


class AlreadyDecided(Conflict):
    code, title = "already_decided", "The decision was already made"
    key = "onboarding.already_decided"


class IdempotencyConflict(Conflict):
    code, title = "idempotency_conflict", "The idempotency key was used for another request"


class NoDraft(Conflict):
    code, title = "no_draft", "There is nothing to publish"
    key = "onboarding.no_draft"


class NotCancellable(Conflict):
    code, title = "not_cancellable", "It can no longer be cancelled"


class NothingApproved(Conflict):
    code, title = "nothing_approved", "Nothing is approved"


class StaleClaim(Conflict):
    """The caller does not hold the claim of this job, or not any more."""

    code, title = "stale_claim", "The claim is no longer valid"


class SingleTenant(Conflict):
    code, title = "single_tenant", "The instance is limited to one company"


class VersionMismatch(Refusal):
    """The resource was changed since the caller read it; `version` is the current version."""

    status, code, title = 412, "version_mismatch", "The resource has changed"
    key = "request.version"

    def __init__(self, version: int, /) -> None:
        super().__init__(version=version)
        self.with_fields(version=version).with_headers({"etag": f'"{version}"'})


class PreconditionFailed(Refusal):
    """A precondition header of the request does not match the current content."""

    status, code, title = 412, "version_mismatch", "The resource has changed"


class InvalidRange(Refusal):
    status, code, title = 416, "invalid_range", "The range cannot be served"


class TooLarge(Refusal):
    status, code, title = 413, "too_large", "The body is too large"


class UnsupportedType(Refusal):
    status, code, title = 415, "unsupported_type", "The content type is not supported"


class ResponseRefused(Refusal):
    """A model or worker returned a result that does not match the requested schema."""

    status, code, title = 422, "response_refused", "The result does not match its schema"
    retryable = False
    tokens: int | None = None
    """What it cost all the same; None if that is unknown or nothing."""


class HeadersTooLarge(Refusal):
    status, code, title = 431, "too_large", "The request headers are too large"


class RateLimited(Refusal):
    """Too many requests; retry after `retry_after` seconds. None means that waiting does not help."""

    status, code, title = 429, "rate_limited", "Too many requests"

    def __init__(self, key: str, retry_after: int | None, /, **params: Param) -> None:
        super().__init__(key, **params)
        if retry_after is not None:
            self.with_fields(retry_after=retry_after).with_headers({"retry-after": str(retry_after)})


class QuotaExceeded(RateLimited):
    """A quota is exhausted; `dimension`, `level` and `resets_at` say which and until when."""

    code, title = "quota_exceeded", "The quota is exhausted"


class TooManyAttempts(RateLimited):
    code, title = "too_many_attempts", "Too many failed attempts"
    recorded = True


class NotReady(Refusal):
    status, code, title = 503, "not_ready", "The server is not ready"


class InternalError(Refusal):
    status, code, title = 500, "internal_error", "Something went wrong on the server"


class ExecutorFailed(Refusal):
    """The executor failed; `retryable` says whether a later attempt can succeed, `tokens` what it cost all the same."""

    status, code, title = 502, "executor_failed", "The executor failed"

    def __init__(self, key: str, /, *, retryable: bool = True, tokens: int | None = None, **params: Param) -> None:
        super().__init__(key, **params)
        self.retryable = retryable
        self.tokens = tokens


class ToolFailed(Refusal):
    """A tool of another program has failed, or cannot be reached."""

    status, code, title = 502, "tool_failed", "The tool failed"


class NoExecutor(Refusal):
    status, code, title = 503, "no_executor", "No executor is available"

    def __init__(self, key: str, retry_after: int = 30, /, **params: Param) -> None:
        super().__init__(key, **params)
        self.with_fields(retry_after=retry_after).with_headers({"retry-after": str(retry_after)})


class Overloaded(Refusal):
    """The server is too busy; the caller should retry after `retry_after` seconds."""

    status, code, title = 503, "overloaded", "The server is busy"

    def __init__(self, key: str, retry_after: int = 1, /, **params: Param) -> None:
        super().__init__(key, **params)
        self.with_fields(retry_after=retry_after).with_headers({"retry-after": str(retry_after)})


class StorageFull(Refusal):
    status, code, title = 507, "storage_full", "The write could not be stored"
