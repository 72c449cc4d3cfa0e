"""The format of OpenAI-compatible model servers: the only place where it is written and read."""

import re
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Iterator
from typing import Annotated, Any, Literal

import msgspec

from teamspace.completions.errors import MALFORMED, CompletionError, failure, stream_failure
from teamspace.completions.schemas import (
    MAX_CHARACTERS,
    AnyText,
    Delta,
    FunctionChoice,
    FunctionTool,
    JsonObject,
    Message,
    ModelAnswer,
    ModelRequest,
    ResponseFormat,
    TokenUsage,
    estimate_usage,
)
from teamspace.completions.tool_calls import NULL, PartialCalls
from teamspace.core.egress import EgressFailed

_MAX_MODELS = 20
MAX_LINE = 1024 * 1024
_FIELDS = frozenset({b"event", b"id", b"retry"})
"""Fields of server-sent events, besides `data`, which carry nothing here."""
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
_Count = Annotated[int, msgspec.Meta(ge=0, le=500_000_000)]
"""Two of them are at most the total that a usage can have."""


class _Schema(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    schema: dict[str, Any]
    description: str | None = None
    strict: bool | None = None


class _SchemaFormat(msgspec.Struct, frozen=True, tag="json_schema"):
    json_schema: _Schema


class _Request(msgspec.Struct, frozen=True, omit_defaults=True):
    messages: list[Message]
    model: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    response_format: JsonObject | _SchemaFormat | None = None
    tools: list[FunctionTool] = []
    tool_choice: Literal["auto", "none", "required"] | FunctionChoice | None = None
    stream: bool = False
    stream_options: dict[str, bool] | None = None


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: _Count
    completion_tokens: _Count


class _Content(msgspec.Struct, frozen=True):
    content: str | None = None
    tool_calls: msgspec.Raw = NULL


class _Choice(msgspec.Struct, frozen=True):
    message: _Content
    finish_reason: str | None = None


class _Response(msgspec.Struct, frozen=True):
    choices: tuple[_Choice]
    """One is requested. A list would be decoded to its end, however long it is."""
    model: str | None = None
    usage: msgspec.Raw = NULL


class _Billed(msgspec.Struct, frozen=True):
    """What can be read of a response that is otherwise malformed."""

    usage: msgspec.Raw


class _ChunkChoice(msgspec.Struct, frozen=True):
    delta: _Content = _Content()
    finish_reason: str | None = None


class _Chunk(msgspec.Struct, frozen=True):
    choices: tuple[_ChunkChoice] | None = None
    model: str | None = None
    usage: msgspec.Raw = NULL
    error: msgspec.Raw = NULL


class _EmptyChunk(msgspec.Struct, frozen=True):
    """A chunk without a choice, such as one with the usage."""

    choices: msgspec.Raw
    model: str | None = None
    usage: msgspec.Raw = NULL
    error: msgspec.Raw = NULL


_NO_CHOICE = _ChunkChoice()
_CHUNK, _EMPTY_CHUNK = msgspec.json.Decoder(_Chunk), msgspec.json.Decoder(_EmptyChunk)


class _Model(msgspec.Struct, frozen=True, gc=False):
    id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class _Models(msgspec.Struct, frozen=True):
    data: list[_Model] = []


def to_wire(request: ModelRequest, default_model: str | None, *, stream: bool = False) -> bytes:
    return msgspec.json.encode(
        _Request(
            request.conversation, request.model or default_model, request.max_tokens, request.temperature,
            _format(request.response_format), request.tools, request.tool_choice, stream,
            {"include_usage": True} if stream else None,
        )
    )  # fmt: skip


def from_wire(request: ModelRequest, body: bytes) -> ModelAnswer:
    calls = PartialCalls()
    try:
        response = msgspec.json.decode(body, type=_Response)
        choice = response.choices[0]
        calls.add(choice.message.tool_calls)
        return _answer(
            request, choice.message.content or "", calls, response.model, choice.finish_reason, _usage(response.usage)
        )
    except MALFORMED:
        raise CompletionError("model.invalid", usage=_billed(body)) from None
    except CompletionError as fault:
        fault.usage = fault.usage or _billed(body)
        raise


async def from_wire_stream(
    request: ModelRequest, pieces: AsyncIterable[bytes]
) -> AsyncGenerator[Delta | ModelAnswer, None]:
    """Read a streamed response: yield its deltas, those that arrive together as one, then the whole answer.

    Every failure is a CompletionError with what was spent until then, also one to get a piece.
    """
    partial, lines = _PartialAnswer(request), _DataLines()
    try:
        async for piece in pieces:
            if delta := partial.add_all(lines.feed(piece)):
                yield delta
            if partial.has_ended:
                break
        else:
            if delta := partial.add_all(lines.close()):
                yield delta
        yield partial.answer()
    except CompletionError as fault:
        fault.usage = partial.spent or fault.usage
        raise
    except EgressFailed as fault:
        failed = failure(fault, request)
        failed.usage = partial.spent or failed.usage
        raise failed from fault


def models_from_wire(body: bytes) -> list[str]:
    """Return the names of the listed models; none if the response is not a list of models."""
    try:
        return [model.id for model in msgspec.json.decode(body, type=_Models).data[:_MAX_MODELS]]
    except MALFORMED:
        return []


class _PartialAnswer:
    """What has arrived of a streamed answer."""

    def __init__(self, request: ModelRequest) -> None:
        self._request = request
        self._texts: list[str] = []
        self._length = 0
        self._calls = PartialCalls()
        self._model: str | None = None
        self._finish_reason: str | None = None
        self._usage: TokenUsage | None = None
        self.has_ended = False
        self._fault: CompletionError | None = None

    def add_all(self, lines: Iterable[bytes]) -> Delta | None:
        """Add the parts that have arrived together, and return their text. A fault in one is raised after its text."""
        before = len(self._texts)
        try:
            for data in lines:
                self.has_ended = self.has_ended or data == b"[DONE]"
                if not self.has_ended:
                    self._add(data)
        except CompletionError as fault:
            self._fault, self.has_ended = fault, True
        texts = self._texts[before:]
        return Delta("".join(texts), len(texts)) if texts else None

    def _add(self, data: bytes) -> None:
        try:
            chunk = _read_chunk(data)
            choice = chunk.choices[0] if chunk.choices else _NO_CHOICE
            self._calls.add(choice.delta.tool_calls)
        except MALFORMED:
            raise _invalid_stream() from None
        if chunk.error != NULL:
            raise stream_failure(data)
        self._model = chunk.model or self._model
        if chunk.usage != NULL:
            self._usage = _usage(chunk.usage) or self._usage
        self._finish_reason = choice.finish_reason or self._finish_reason
        if text := choice.delta.content:
            self._length += len(text)
            if self._length > MAX_CHARACTERS:
                raise _too_long()
            self._texts.append(text)

    def answer(self) -> ModelAnswer:
        if self._fault is not None:
            raise self._fault
        if self._finish_reason is None:
            raise CompletionError("model.ended_early")
        try:
            return _answer(
                self._request, "".join(self._texts), self._calls, self._model, self._finish_reason, self.spent
            )
        except MALFORMED:
            raise _invalid_stream() from None

    @property
    def spent(self) -> TokenUsage | None:
        """The reported usage, or an estimate for the text that has arrived."""
        text = "".join(self._texts) + self._calls.text
        return self._usage or (estimate_usage(self._request, text, len(self._texts)) if text else None)


class _DataLines:
    """Splits a stream of server-sent events into its data lines. Model servers send one line per event."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, piece: bytes) -> Iterator[bytes]:
        *lines, last = piece.split(b"\n")
        if lines and self._rest:
            lines[0] = bytes(self._rest + lines[0])
            self._rest.clear()
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()
            elif line:
                _check_line(line)
        self._rest += last
        if len(self._rest) > MAX_LINE:
            raise _invalid_stream()

    def close(self) -> Iterator[bytes]:
        """Return the last line, if the stream ends without a line break."""
        return self.feed(b"\n")


def _check_line(line: bytes) -> None:
    """Raise unless a line without data is another field, a comment or empty."""
    name, _, _ = line.removesuffix(b"\r").partition(b":")
    if name and name not in _FIELDS:
        raise _invalid_stream()


def _answer(
    request: ModelRequest, text: str, calls: PartialCalls, model: str | None, finish_reason: str | None,
    usage: TokenUsage | None,
) -> ModelAnswer:  # fmt: skip
    usage = usage or estimate_usage(request, text + calls.text)
    if len(text) > MAX_CHARACTERS:
        raise _too_long(usage)
    tool_calls = calls.whole()
    finish_reason = (finish_reason or "stop")[:40]
    if tool_calls and finish_reason == "stop":  # what some servers say
        finish_reason = "tool_calls"
    return ModelAnswer(text, usage, (model or request.model or "")[:200], finish_reason, tool_calls)


def _format(wanted: ResponseFormat | None) -> JsonObject | _SchemaFormat | None:
    """Return the format with its schema in the one way that model servers know."""
    if wanted is None or isinstance(wanted, AnyText):
        return None
    if isinstance(wanted, JsonObject):
        return wanted
    named = wanted.named
    name = _NOT_IN_NAMES.sub("_", named.name)[:64] or "answer"
    return _SchemaFormat(_Schema(name, named.schema, named.description, named.strict))


def _read_chunk(data: bytes) -> _Chunk:
    try:
        return _CHUNK.decode(data)
    except msgspec.ValidationError:
        chunk = _EMPTY_CHUNK.decode(data)
        if bytes(chunk.choices).strip(b"[ ]"):
            raise
        return _Chunk(None, chunk.model, chunk.usage, chunk.error)


def _usage(reported: msgspec.Raw) -> TokenUsage | None:
    """Return the usage that the server reported; None if it is missing or implausible."""
    if reported == NULL:
        return None
    try:
        usage = msgspec.json.decode(reported, type=_Usage)
    except MALFORMED:
        return None
    return TokenUsage.of(usage.prompt_tokens, usage.completion_tokens)


def _billed(body: bytes) -> TokenUsage | None:
    """Return the usage in a response that is otherwise malformed."""
    try:
        return _usage(msgspec.json.decode(body, type=_Billed).usage)
    except MALFORMED:
        return None


def _invalid_stream() -> CompletionError:
    return CompletionError("model.invalid_stream")


def _too_long(usage: TokenUsage | None = None) -> CompletionError:
    return CompletionError("model.too_long", retryable=False, unhealthy=False, usage=usage)
