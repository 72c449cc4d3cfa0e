"""Write answers as OpenAI's completions, whole or in chunks."""

from collections.abc import Iterable
from typing import Literal

import msgspec
from msgspec import UNSET

from teamspace.completions import TokenUsage, ToolCall
from teamspace.openai_api.schemas import (
    Chunk,
    ChunkChoice,
    ChunkDelta,
    ChunkToolCall,
    Completion,
    CompletionCall,
    CompletionChoice,
    CompletionMessage,
    CompletionToolCall,
    CompletionUsage,
    FinishReason,
)

_NO_CONTENT = b'"content":""'
"""Found once in the JSON of a chunk without text: a quotation mark in its other texts has a backslash."""
_FINISH: dict[str, Literal["length", "content_filter"]] = {"length": "length", "content_filter": "content_filter"}


def completion(
    id: str, created: int, model: str, *, text: str, tool_calls: list[ToolCall], finish_reason: str, usage: TokenUsage
) -> Completion:  # fmt: skip
    message = CompletionMessage(
        content=None if tool_calls and not text else text,
        tool_calls=[CompletionToolCall(call.id, "function", _call(call)) for call in tool_calls] or UNSET,
    )
    choice = CompletionChoice(message=message, finish_reason=to_finish_reason(finish_reason, tool_calls))
    return Completion(id=_id(id), created=created, model=model, choices=[choice], usage=_usage(usage))


class Chunks:
    """Writes the chunks of one streamed answer."""

    def __init__(self, id: str, created: int, model: str, *, include_usage: bool) -> None:
        self._id, self._created, self._model = _id(id), created, model
        self._include_usage = include_usage
        self._around: tuple[bytes, bytes] | None = None
        """The JSON of a chunk before and after its text."""

    def start(self, model: str | None = None) -> Chunk:
        """With the model that answers, if it is known."""
        self._model, self._around = model or self._model, None
        return self._chunk(ChunkDelta(role="assistant", content=""))

    def text(self, encoded: bytes | msgspec.Raw) -> msgspec.Raw:
        """The chunk of a text, which is given as JSON: only the text differs from one token to the next."""
        if self._around is None:
            before, mark, after = msgspec.json.encode(self._chunk(ChunkDelta(content=""))).partition(_NO_CONTENT)
            self._around = before + mark[:-2], after
        before, after = self._around
        return msgspec.Raw(b"%b%b%b" % (before, encoded, after))

    def end(self, tool_calls: list[ToolCall], finish_reason: str, usage: TokenUsage) -> Iterable[Chunk]:
        if tool_calls:
            calls = [ChunkToolCall(index, call.id, "function", _call(call)) for index, call in enumerate(tool_calls)]
            yield self._chunk(ChunkDelta(tool_calls=calls))
        yield self._chunk(ChunkDelta(), to_finish_reason(finish_reason, tool_calls))
        if self._include_usage:
            yield Chunk(id=self._id, created=self._created, model=self._model, choices=[], usage=_usage(usage))

    def _chunk(self, delta: ChunkDelta, finish_reason: FinishReason | None = None) -> Chunk:
        return Chunk(
            id=self._id, created=self._created, model=self._model,
            choices=[ChunkChoice(delta=delta, finish_reason=finish_reason)],
            usage=None if self._include_usage else UNSET,
        )  # fmt: skip


def to_finish_reason(reason: str, tool_calls: list[ToolCall]) -> FinishReason:
    return "tool_calls" if tool_calls else _FINISH.get(reason, "stop")


def _id(turn_id: str) -> str:
    return f"chatcmpl-{turn_id}"


def _call(call: ToolCall) -> CompletionCall:
    return CompletionCall(call.function.name, call.function.arguments)


def _usage(usage: TokenUsage) -> CompletionUsage:
    return CompletionUsage(usage.prompt_tokens, usage.completion_tokens, usage.total_tokens)
