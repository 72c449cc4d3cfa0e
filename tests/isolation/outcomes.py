"""Expected outcomes of requests, and how responses are checked."""

from typing import Any

import httpx2
import msgspec

from tests.support.plain_request import path_of

REQUEST_ID = "isolation-request"
_COMMON_HEADERS = {"x-content-type-options": "nosniff", "x-api-version": "1", "x-request-id": REQUEST_ID}


class Outcome(msgspec.Struct, frozen=True):
    """A status; for a refusal also its code, and a word that its detail must contain."""

    status: int = 200
    code: str = ""
    names: str = ""

    @property
    def refused(self) -> bool:
        return self.status >= 400

    def __str__(self) -> str:
        return " ".join(str(part) for part in (self.status, self.code, self.names) if part)


FOR_A_MINUTE, REVALIDATED = "public, max-age=60", "public, no-cache"
FOR_GOOD = "public, max-age=31536000, immutable"

OK, CREATED, ACCEPTED, EMPTY = Outcome(200), Outcome(201), Outcome(202), Outcome(204)
UNAUTHENTICATED = Outcome(401, "unauthenticated")
TOKEN_EXPIRED = Outcome(401, "token_expired")
TENANT_SUSPENDED = Outcome(402, "tenant_suspended")
FORBIDDEN = Outcome(403, "forbidden")
ORG_SUSPENDED = Outcome(403, "org_suspended")
INVALID_SPEC = Outcome(400, "invalid_spec")
HIDDEN = Outcome(404, "not_found")
CONFLICT = Outcome(409, "conflict")
NOT_JSON = Outcome(415, "unsupported_type")
EMPTY_QUERY = Outcome(400, "invalid_request", "`q`")
NO_LOCALE = Outcome(400, "invalid_request", "`locale`")
NO_NUMBER = Outcome(400, "invalid_request", "`number`")
NO_TARGET = Outcome(400, "invalid_request", "`to`")
NO_TEXT = Outcome(400, "invalid_request", "`text`")
USER_ERROR = Outcome(400, "plugin_error")
NO_DRAFT = Outcome(409, "no_draft")
STALE_CLAIM = Outcome(409, "stale_claim")
ALREADY_BOOTSTRAPPED = Outcome(409, "already_bootstrapped")


def forbidden(permission: str) -> Outcome:
    return Outcome(403, "forbidden", permission)


def out_of_scope(permission: str) -> Outcome:
    return Outcome(403, "out_of_scope", permission)


def invalid(field: str) -> Outcome:
    return Outcome(400, "invalid_request", field)


def faults(answer: httpx2.Response, expected: Outcome, *, cached: str = "") -> list[str]:
    """Return what is wrong with a response: its outcome, the shape of a refusal, or the common headers."""
    if answer.status_code != expected.status:
        return [f"expected {expected}, got {answer.status_code} {answer.text[:300]}"]
    found = _header_faults(answer, cached)
    return found + _refusal_faults(answer, expected) if expected.refused and not _is_page(answer) else found


def _header_faults(answer: httpx2.Response, cached: str) -> list[str]:
    required = dict(_COMMON_HEADERS)
    if path_of(answer).startswith("/api/"):
        required["cache-control"] = (cached if answer.status_code == 200 else "") or "private, no-store"
    if path_of(answer) == "/beta-sdk.js" or (cached == FOR_GOOD and answer.status_code == 200):
        required["cross-origin-resource-policy"] = "cross-origin"
    if answer.status_code == 401:
        required["www-authenticate"] = "Bearer"
    if answer.status_code >= 400:
        required["content-type"] = _error_type(answer)
    return [
        f"the header {name} is {answer.headers.get(name)!r}, not {value!r}"
        for name, value in required.items()
        if answer.headers.get(name) != value
    ]


def _error_type(answer: httpx2.Response) -> str:
    if _is_page(answer):
        return "text/html; charset=utf-8"
    return "application/json" if _is_openai(answer) else "application/problem+json"


def code_of(answer: httpx2.Response) -> str:
    """Return the code of a refusal; a page has only its status."""
    if _is_page(answer):
        return {403: "forbidden", 404: "not_found"}[answer.status_code]
    code: str = answer.json()["error"]["code"] if _is_openai(answer) else answer.json()["code"]
    return code


def _is_page(answer: httpx2.Response) -> bool:
    """Whether people open the route in a browser."""
    return path_of(answer).startswith("/s/")


def _is_openai(answer: httpx2.Response) -> bool:
    """Whether the route writes errors as OpenAI does."""
    return path_of(answer).startswith("/v1/")


def _refusal_faults(answer: httpx2.Response, expected: Outcome) -> list[str]:
    problem: dict[str, Any] = answer.json()
    if _is_openai(answer):
        return _openai_faults(problem["error"], expected)
    found = [
        f"the problem has no {name}" for name in ("type", "title", "detail", "request_id") if not problem.get(name)
    ]
    if (problem.get("status"), problem.get("code")) != (expected.status, expected.code):
        found.append(f"expected {expected}, got the problem {problem}")
    if expected.names not in problem.get("detail", ""):
        found.append(f"the detail does not name {expected.names}: {problem.get('detail')}")
    return found


def _openai_faults(error: dict[str, Any], expected: Outcome) -> list[str]:
    code = "invalid_api_key" if expected.status == 401 else expected.code
    found = [] if error["code"] == code else [f"expected {expected}, got the error {error}"]
    if expected.names not in error["message"]:
        found.append(f"the message does not name {expected.names}: {error['message']}")
    return found
