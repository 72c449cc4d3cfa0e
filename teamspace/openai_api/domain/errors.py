"""Refusals in OpenAI's format. Its clients choose an exception by status, and show `message`, `param` and `code`."""

import re

from teamspace.core.errors import NotFound, QuotaExceeded, RateLimited, Refusal, Unauthenticated
from teamspace.core.routing import ErrorFormat
from teamspace.openai_api.schemas import ErrorBody, ErrorDetail

_CODES: dict[type[Refusal], str] = {
    Unauthenticated: "invalid_api_key",
    QuotaExceeded: "insufficient_quota",
    RateLimited: "rate_limit_exceeded",
}
_INDEX = re.compile(r"\.(\d+)(?=\.|$)")


class ModelNotFound(NotFound):
    code, title = "model_not_found", "The model does not exist"
    key = "openai.model_not_found"


def render(refusal: Refusal) -> ErrorBody:
    return ErrorBody(ErrorDetail(refusal.detail, _type(refusal), _param(refusal), code_of(type(refusal))))


def code_of(refusal: type[Refusal]) -> str:
    """Return OpenAI's code where it has one, else ours."""
    return next((code for kind, code in _CODES.items() if issubclass(refusal, kind)), refusal.code)


def _type(refusal: Refusal) -> str:
    if refusal.status >= 500:
        return "server_error"
    return code_of(type(refusal)) if isinstance(refusal, RateLimited) else "invalid_request_error"


def _param(refusal: Refusal) -> str | None:
    """Return the field at fault as OpenAI writes it: `messages[0].content`."""
    if isinstance(refusal, ModelNotFound):
        return "model"
    errors = refusal.extra.get("errors")
    return _INDEX.sub(r"[\1]", errors[0].pointer.lstrip("/").replace("/", ".")) or None if errors else None


FORMAT = ErrorFormat(ErrorBody, render, code_of)
