"""How a completion can fail."""

from typing import Any

import msgspec

from teamspace.completions.schemas import TokenUsage

MALFORMED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises for bytes that are not the expected JSON."""
_MAX_LENGTH = 300
_MAX_BYTES = 64 * 1024
"""No error message is longer, and decoding more would hold the event loop."""


class CompletionError(Exception):
    """The completion failed; the message may be shown to the requester."""

    def __init__(
        self, message: str, *, retryable: bool = True, unhealthy: bool = True, usage: TokenUsage | None = None
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.unhealthy = unhealthy
        """Whether the model server itself has a problem, so that other requests would fail too."""
        self.usage = usage
        """What was spent nevertheless: the model answered, but the answer cannot be used. None if that is unknown."""


# fmt: off
_REFUSALS: dict[int, tuple[str, bool, bool]] = {
    # status: message, retryable, unhealthy
    401: ("The model server rejects the configured key.", False, True),
    403: ("The model server rejects the configured key.", False, True),
    404: ("The model server does not have this model, or no chat completions at this URL.", False, False),
    408: ("The model server timed out.", True, True),
    413: ("The model server rejects the request as too large.", False, False),
    429: ("The model server is overloaded.", True, True),
}
# fmt: on


def refusal(status: int, body: bytes) -> CompletionError:
    """Return the error for a response with another status than 200."""
    if known := _REFUSALS.get(status):
        message, retryable, unhealthy = known
        return CompletionError(message, retryable=retryable, unhealthy=unhealthy)
    if 400 <= status < 500:
        return CompletionError(
            f"The model server rejects the request{error_message(body)}.", retryable=False, unhealthy=False
        )
    if 300 <= status < 400:
        return CompletionError("The model server redirects to another URL, which is not followed.", retryable=False)
    return CompletionError(f"The model server failed with status {status}.")


def error_message(body: bytes) -> str:
    """Return the server's error message, which helps the author of the request."""
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
    return f": {printable.rstrip('.')}"
