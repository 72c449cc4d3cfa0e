"""How a completion can fail."""

from typing import Any

import msgspec

from teamspace.completions.schemas import ModelRequest, TokenUsage, estimate_call
from teamspace.core.egress import EgressFailed, EgressFault, Progress
from teamspace.core.errors import KeyedError
from teamspace.core.messages import Key, Param

MALFORMED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises for bytes that are not the expected JSON."""
_MAX_LENGTH = 300
_MAX_BYTES = 64 * 1024
"""No error message is longer, and decoding more would hold the event loop."""


class CompletionError(KeyedError):
    """The completion failed; the message may be shown to the requester."""

    def __init__(
        self, key: Key, /, *, retryable: bool = True, unhealthy: bool = True, usage: TokenUsage | None = None,
        **params: Param,
    ) -> None:  # fmt: skip
        super().__init__(key, **params)
        self.retryable = retryable
        self.unhealthy = unhealthy
        """Whether the model server itself has a problem, so that other requests would fail too."""
        self.usage = usage
        """What was spent nevertheless: the model answered, but the answer cannot be used, or may have answered. None if
        nothing indicates that."""


# fmt: off
_FAILURES: dict[EgressFault, Key] = {
    EgressFault.UNREACHABLE:     "model.unreachable",
    EgressFault.UNRESOLVED:      "model.unresolved",
    EgressFault.TIMEOUT:         "model.no_answer",
    EgressFault.NOT_HTTP:        "model.not_http",
    EgressFault.COMPRESSED:      "model.compressed",
    EgressFault.TOO_LARGE:       "model.response_too_large",
    EgressFault.TOO_MANY_PIECES: "model.too_many_pieces",
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


def failure(fault: EgressFailed, request: ModelRequest) -> CompletionError:
    """Return the error for a request without a usable response.

    If it was sent, its end is unknown, and it has cost the estimate. What happens after the beginning of a response can be
    due to the request alone.
    """
    usage = None if fault.progress is Progress.NOT_SENT else estimate_call(request)
    return CompletionError(_FAILURES[fault.reason], usage=usage, unhealthy=fault.progress is not Progress.ANSWERED)


def refusal(status: int, body: bytes) -> CompletionError:
    """Return the error for a response with another status than 200."""
    if known := _REFUSALS.get(status):
        key, retryable, unhealthy = known
        return CompletionError(key, retryable=retryable, unhealthy=unhealthy)
    if 400 <= status < 500:
        if reason := error_message(body):
            return CompletionError("model.rejected_because", reason=reason, retryable=False, unhealthy=False)
        return CompletionError("model.rejected", retryable=False, unhealthy=False)
    if 300 <= status < 400:
        return CompletionError("model.redirects", retryable=False)
    if status == 500 and (reason := error_message(body)):
        # llama.cpp's response to an image that its model cannot take: other requests would be answered.
        return CompletionError("model.failed_because", reason=reason, unhealthy=False)
    return CompletionError("model.failed", status=status)


def stream_failure(data: bytes) -> CompletionError:
    """Return the error for a chunk that reports one."""
    reason = error_message(data)
    return CompletionError("model.failed_because", reason=reason) if reason else CompletionError("model.failed_midway")


def error_message(body: bytes) -> str:
    """Return the server's error message, which helps the author of the request, or an empty text."""
    if len(body) > _MAX_BYTES:
        return ""
    try:
        response: Any = msgspec.json.decode(body)
    except MALFORMED:
        return ""
    error = response.get("error") if isinstance(response, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    if not isinstance(message, str) or not message.strip():
        return ""
    printable = "".join(character for character in message.strip()[:_MAX_LENGTH] if character.isprintable())
    return printable.rstrip(".")
