"""A client for OpenAI-compatible model servers.

Used by the server for its push executors, and by `teamspace worker`.
"""

from typing import Annotated, Any

import msgspec

from teamspace.core.egress import Egress, EgressFailed, EgressFault, NetworkReach, Timeouts
from teamspace.core.errors import KeyedError
from teamspace.core.messages import Key, Param

MAX_CHARACTERS = 1024 * 1024
_MAX_TOKENS = 1_000_000_000
_MAX_MODELS = 20
_MAX_ERROR = 300
_COMPLETION_TIMEOUTS = Timeouts(read=280, total=290)
"""A response that is not streamed sends nothing until it is complete."""
_PROBE_TIMEOUTS = Timeouts(connect=3, read=3, total=3)
_MALFORMED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class ModelEndpoint(msgspec.Struct, frozen=True):
    """A model server, and which hosts a request to it may reach."""

    url: str
    reach: NetworkReach
    key: str | None = None
    model: str | None = None


class CompletionRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    messages: list[dict[str, str]]
    model: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None


class Completion(msgspec.Struct, frozen=True):
    text: str
    model: str
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int


class CompletionError(KeyedError):
    """The completion failed; the message may be shown to the requester."""

    def __init__(self, key: Key, /, *, retryable: bool, unhealthy: bool, **params: Param) -> None:
        super().__init__(key, **params)
        self.retryable = retryable
        self.unhealthy = unhealthy
        """Whether the model server itself has a problem, so that other requests would fail too."""


_Count = Annotated[int, msgspec.Meta(ge=0, le=_MAX_TOKENS)]


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: _Count
    completion_tokens: _Count


class _Message(msgspec.Struct, frozen=True):
    content: str | None = None


class _Choice(msgspec.Struct, frozen=True):
    message: _Message
    finish_reason: str | None = None


class _Response(msgspec.Struct, frozen=True):
    choices: Annotated[list[_Choice], msgspec.Meta(min_length=1)]
    model: str | None = None
    usage: msgspec.Raw = msgspec.Raw(b"null")


class _Model(msgspec.Struct, frozen=True):
    id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class _Models(msgspec.Struct, frozen=True):
    data: list[_Model] = []


async def complete(egress: Egress, endpoint: ModelEndpoint, request: CompletionRequest) -> Completion:
    """Request a completion; every failure raises CompletionError."""
    headers = {"content-type": "application/json", **_authorization(endpoint)}
    try:
        response = await egress.call(
            "POST", f"{endpoint.url}/chat/completions", endpoint.reach,
            headers=headers, body=msgspec.json.encode(request), timeouts=_COMPLETION_TIMEOUTS,
        )  # fmt: skip
    except EgressFailed as fault:
        raise CompletionError(_FAILURES[fault.reason], retryable=True, unhealthy=True) from fault
    if response.status != 200:
        raise _refusal(response.status, response.body)
    return _completion(request, response.body)


async def list_models(egress: Egress, endpoint: ModelEndpoint) -> list[str] | None:
    """Return the names of the listed models, perhaps none; None if the server is unreachable or denies access."""
    try:
        response = await egress.call(
            "GET", f"{endpoint.url}/models", endpoint.reach, headers=_authorization(endpoint), timeouts=_PROBE_TIMEOUTS
        )
    except EgressFailed:
        return None
    if response.status >= 500 or response.status in (401, 403, 429):
        return None
    try:
        return [model.id for model in msgspec.json.decode(response.body, type=_Models).data[:_MAX_MODELS]]
    except _MALFORMED:
        return []


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens: four characters each."""
    return -(-len(text) // 4)


def _authorization(endpoint: ModelEndpoint) -> dict[str, str]:
    return {"authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}


def _completion(request: CompletionRequest, body: bytes) -> Completion:
    try:
        response = msgspec.json.decode(body, type=_Response)
    except _MALFORMED:
        raise CompletionError("model.invalid", retryable=True, unhealthy=True) from None
    choice = response.choices[0]
    text = choice.message.content or ""
    if len(text) > MAX_CHARACTERS:
        raise CompletionError("model.too_long", retryable=False, unhealthy=False)
    usage = _usage(request, response.usage, text)
    return Completion(
        text, (response.model or request.model or "")[:200], (choice.finish_reason or "stop")[:40], usage.prompt_tokens,
        usage.completion_tokens,
    )  # fmt: skip


def _usage(request: CompletionRequest, usage: msgspec.Raw, text: str) -> _Usage:
    """Return the usage that the server reported, or an estimate if it is missing or implausible."""
    try:
        return msgspec.json.decode(usage, type=_Usage)
    except _MALFORMED:
        return _Usage(sum(estimate_tokens(message["content"]) for message in request.messages), estimate_tokens(text))


# fmt: off
_FAILURES: dict[EgressFault, Key] = {
    EgressFault.UNREACHABLE: "model.unreachable",
    EgressFault.UNRESOLVED:  "model.unresolved",
    EgressFault.TIMEOUT:     "model.no_answer",
    EgressFault.NOT_HTTP:    "model.not_http",
    EgressFault.COMPRESSED:  "model.compressed",
    EgressFault.TOO_LARGE:   "model.response_too_large",
}
_REFUSALS: dict[int, tuple[Key, bool, bool]] = {
    # status: key, retryable, unhealthy
    401: ("model.key", False, True),
    403: ("model.key", False, True),
    404: ("model.no_model", False, False),
    408: ("model.timed_out", True, True),
    413: ("model.request_too_large", False, False),
    429: ("model.overloaded", True, True),
}
# fmt: on


def _refusal(status: int, body: bytes) -> CompletionError:
    if known := _REFUSALS.get(status):
        key, retryable, unhealthy = known
        return CompletionError(key, retryable=retryable, unhealthy=unhealthy)
    if 400 <= status < 500:
        if reason := _error_message(body):
            return CompletionError("model.rejected_because", reason=reason, retryable=False, unhealthy=False)
        return CompletionError("model.rejected", retryable=False, unhealthy=False)
    if 300 <= status < 400:
        return CompletionError("model.redirects", retryable=False, unhealthy=True)
    return CompletionError("model.failed", status=status, retryable=True, unhealthy=True)


def _error_message(body: bytes) -> str:
    """Return the server's error message, which helps the author of the request."""
    try:
        response: Any = msgspec.json.decode(body)
    except _MALFORMED:
        return ""
    error = response.get("error") if isinstance(response, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    if not isinstance(message, str) or not message.strip():
        return ""
    printable = "".join(character for character in message.strip()[:_MAX_ERROR] if character.isprintable())
    return printable.rstrip(".")
