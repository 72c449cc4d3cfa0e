"""One turn with a model over the protocol that OpenAI began and most model servers speak.

For the server, which calls its push executors so, and for the worker that comes with it.
"""

from typing import Annotated, Any

import msgspec

from teamspace.core.egress import Egress, Failed, Patience, Reach

MOST_LETTERS = 1024 * 1024
_MOST_TOKENS = 1_000_000_000
_MOST_MODELS = 20
_MOST_SAID = 300
_TURN = Patience(read=280, total=290)
"""An answer that does not stream is silent until it is whole."""
_PROBE = Patience(connect=3, read=3, total=3)
_GARBLED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Endpoint(msgspec.Struct, frozen=True):
    """A model server, and how far a request to it may go."""

    url: str
    reach: Reach
    key: str | None = None
    model: str | None = None


class Ask(msgspec.Struct, frozen=True, omit_defaults=True):
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


class Fault(Exception):
    """Why there is no completion; the message may be shown to whoever asked for it."""

    def __init__(self, message: str, *, retryable: bool, ailing: bool) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.ailing = ailing
        """Whether the server is at fault, so that others who ask would fare no better."""


_Count = Annotated[int, msgspec.Meta(ge=0, le=_MOST_TOKENS)]


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: _Count
    completion_tokens: _Count


class _Said(msgspec.Struct, frozen=True):
    content: str | None = None


class _Choice(msgspec.Struct, frozen=True):
    message: _Said
    finish_reason: str | None = None


class _Answer(msgspec.Struct, frozen=True):
    choices: Annotated[list[_Choice], msgspec.Meta(min_length=1)]
    model: str | None = None
    usage: msgspec.Raw = msgspec.Raw(b"null")


class _Model(msgspec.Struct, frozen=True):
    id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class _Models(msgspec.Struct, frozen=True):
    data: list[_Model] = []


async def complete(egress: Egress, endpoint: Endpoint, ask: Ask) -> Completion:
    """One answer; whatever goes wrong is a `Fault`."""
    headers = {"content-type": "application/json", **_authorization(endpoint)}
    try:
        answer = await egress.call(
            "POST", f"{endpoint.url}/chat/completions", endpoint.reach,
            headers=headers, body=msgspec.json.encode(ask), patience=_TURN,
        )  # fmt: skip
    except Failed as fault:
        raise Fault(f"The model server {fault}.", retryable=True, ailing=True) from fault
    if answer.status != 200:
        raise _refusal(answer.status, answer.body)
    return _completion(ask, answer.body)


async def models(egress: Egress, endpoint: Endpoint) -> list[str] | None:
    """The names of the models it lists, perhaps none; nothing at all when it is not there, or does not let us in."""
    try:
        answer = await egress.call(
            "GET", f"{endpoint.url}/models", endpoint.reach, headers=_authorization(endpoint), patience=_PROBE
        )
    except Failed:
        return None
    if answer.status >= 500 or answer.status in (401, 403, 429):
        return None
    try:
        return [model.id for model in msgspec.json.decode(answer.body, type=_Models).data[:_MOST_MODELS]]
    except _GARBLED:
        return []


def tokens(text: str) -> int:
    """A rough count, where nobody counted: four letters make a token."""
    return -(-len(text) // 4)


def _authorization(endpoint: Endpoint) -> dict[str, str]:
    return {"authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}


def _completion(ask: Ask, body: bytes) -> Completion:
    try:
        answer = msgspec.json.decode(body, type=_Answer)
    except _GARBLED:
        message = "The model server answered with something else than a completion."
        raise Fault(message, retryable=True, ailing=True) from None
    choice = answer.choices[0]
    text = choice.message.content or ""
    if len(text) > MOST_LETTERS:
        raise Fault("The model's answer is longer than a megabyte.", retryable=False, ailing=False)
    usage = _usage(ask, answer.usage, text)
    return Completion(
        text, (answer.model or ask.model or "")[:200], (choice.finish_reason or "stop")[:40], usage.prompt_tokens,
        usage.completion_tokens,
    )  # fmt: skip


def _usage(ask: Ask, given: msgspec.Raw, text: str) -> _Usage:
    """As the server counted, or estimated where it did not, or not in numbers that can be."""
    try:
        return msgspec.json.decode(given, type=_Usage)
    except _GARBLED:
        return _Usage(sum(tokens(message["content"]) for message in ask.messages), tokens(text))


# fmt: off
_REFUSALS: dict[int, tuple[str, bool, bool]] = {
    # status: what is said, retryable, ailing
    401: ("The model server does not accept the key that is set up for it.", False, True),
    403: ("The model server does not accept the key that is set up for it.", False, True),
    404: ("The model server has no such model, or no chat completions at its address.", False, False),
    408: ("The model server took too long.", True, True),
    413: ("The model server finds the request too large.", False, False),
    429: ("The model server has too much to do.", True, True),
}
# fmt: on


def _refusal(status: int, body: bytes) -> Fault:
    if known := _REFUSALS.get(status):
        message, retryable, ailing = known
        return Fault(message, retryable=retryable, ailing=ailing)
    if 400 <= status < 500:
        return Fault(f"The model server does not accept the request{_said(body)}.", retryable=False, ailing=False)
    if 300 <= status < 400:
        return Fault("The model server sends us elsewhere, where we do not go.", retryable=False, ailing=True)
    return Fault(f"The model server failed with {status}.", retryable=True, ailing=True)


def _said(body: bytes) -> str:
    """What it says of a request that it does not like; whoever wrote the request needs to know."""
    try:
        given: Any = msgspec.json.decode(body)
    except _GARBLED:
        return ""
    error = given.get("error") if isinstance(given, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    if not isinstance(message, str) or not message.strip():
        return ""
    return ": " + "".join(letter for letter in message.strip()[:_MOST_SAID] if letter.isprintable()).rstrip(".")
