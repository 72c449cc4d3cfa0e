"""What a call can raise. One class per status or group of codes; all are TeamspaceError.

- BadRequest 400, Unauthenticated 401, Forbidden 403 (Suspended), NotFound 404, Conflict 409 (StaleClaim)
- VersionMismatch 412, TooLarge 413 and 431, ResultRefused 422, RateLimited 429 (QuotaExceeded)
- ServerFault 500 (ExecutorFailed 502, Unavailable 503, StorageFull 507)
- StreamFailed: the last event of a stream is an error
- BadResponse: not what the API sends
- ConnectionFailed: no response
"""

from collections.abc import Mapping, Sequence

import msgspec

from teamspace.client.models import FieldError, Problem


class TeamspaceError(Exception):
    """A call failed. `code` names the reason for programs, the message says it to people."""

    def __init__(
        self, message: str, *, status: int = 0, code: str = "", problem: Problem | None = None,
        retry_after: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.problem = problem
        """The whole body of the error response, if it was one of Teamspace."""
        self.retry_after = problem.retry_after if problem and problem.retry_after is not None else retry_after
        """Seconds after which a repeat may succeed."""

    @property
    def key(self) -> str:
        """Names this one refusal, where `code` names a group."""
        return self.problem.key if self.problem else ""

    @property
    def errors(self) -> Sequence[FieldError]:
        """What is wrong with which field of the request."""
        return (self.problem.errors if self.problem else None) or ()

    @property
    def request_id(self) -> str:
        """Finds the request in the server's log."""
        return self.problem.request_id if self.problem else ""

    def __str__(self) -> str:
        fields = "; ".join(f"{error.pointer or 'body'} {error.message}" for error in self.errors)
        said = f"{self.message} ({fields})" if fields and fields not in self.message else self.message
        return f"{self.status} {self.code}: {said}" if self.status else said


class BadRequest(TeamspaceError):
    """The request is malformed: `errors` says where."""


class Unauthenticated(TeamspaceError):
    """The token is missing, wrong or expired, or the credentials are."""


class Forbidden(TeamspaceError):
    """The caller may not do this: role, scope, feature or switch."""


class Suspended(Forbidden):
    """The company or the tenant is read-only."""


class NotFound(TeamspaceError):
    """It does not exist, or the caller may not see it."""


class Conflict(TeamspaceError):
    """The current state does not allow it."""


class StaleClaim(Conflict):
    """A worker no longer holds the job."""


class VersionMismatch(TeamspaceError):
    """It has changed since it was read; `problem.version` is the current version."""


class TooLarge(TeamspaceError):
    """The body or the headers are too large."""


class ResultRefused(TeamspaceError):
    """A result does not match the schema, or the validator of its kind of job refused it."""


class RateLimited(TeamspaceError):
    """Too many requests, or too many at a time."""


class QuotaExceeded(RateLimited):
    """A quota is exhausted: `problem.dimension`, `problem.level` and `problem.resets_at` say which, until when."""

    @property
    def is_slot(self) -> bool:
        """Whether only the concurrent requests are limited: a slot is free when one of them ends."""
        return self.retry_after is not None and self.problem is not None and self.problem.resets_at is None


class ServerFault(TeamspaceError):
    """Something went wrong on the server."""


class ExecutorFailed(ServerFault):
    """The model server or worker failed."""


class Unavailable(ServerFault):
    """The server, or a model for this request, is not available now."""


class StorageFull(ServerFault):
    """The server cannot store more."""


class StreamFailed(TeamspaceError):
    """A stream ended with an error instead of a result."""


class BadResponse(TeamspaceError):
    """The response is not one of this API: perhaps the URL is wrong, or a proxy answered."""


class ConnectionFailed(TeamspaceError):
    """No complete response. If `sent`, the request may have taken effect."""

    def __init__(self, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


# fmt: off
_BY_CODE: Mapping[str, type[TeamspaceError]] = {
    "org_suspended": Suspended, "tenant_suspended": Suspended, "stale_claim": StaleClaim, "quota_exceeded": QuotaExceeded,
}
_BY_STATUS: Mapping[int, type[TeamspaceError]] = {
    400: BadRequest, 401: Unauthenticated, 402: Suspended, 403: Forbidden, 404: NotFound, 405: BadRequest, 409: Conflict,
    412: VersionMismatch, 413: TooLarge, 415: BadRequest, 416: BadRequest, 422: ResultRefused, 429: RateLimited,
    431: TooLarge, 500: ServerFault, 502: ExecutorFailed, 503: Unavailable, 507: StorageFull,
}
# fmt: on
PROXY_STATUSES = (502, 503, 504)
"""What a proxy answers if it gets no response from the server."""


def read_error(status: int, body: bytes, retry_after: str) -> TeamspaceError:
    """Return the error of a response that is not a success; `retry_after` is its header, perhaps empty."""
    wait = float(retry_after) if retry_after.isascii() and retry_after.isdigit() else None
    try:
        problem = msgspec.json.decode(body, type=Problem)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        unexplained = Unavailable if status in PROXY_STATUSES else _BY_STATUS.get(status, BadResponse)
        return unexplained("the response gives no reason", status=status, code="no_reason", retry_after=wait)
    kind = _BY_CODE.get(problem.code) or _BY_STATUS.get(status, TeamspaceError)
    return kind(problem.detail, status=status, code=problem.code, problem=problem, retry_after=wait)
