"""Data types of OpenAI's chat protocol, as its clients write and read them.

Fields that are unknown here are ignored: clients send every option that OpenAI has.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

MAX_MESSAGES = 2000
MAX_PARTS = 2000
"""In all messages together; converting more would hold the event loop."""
_MAX_TOOLS = 256


# Requests


class WireImage(msgspec.Struct, frozen=True):
    url: str
    detail: str | None = None


class WirePart(msgspec.Struct, frozen=True):
    type: Literal["text", "image_url"]
    text: str | None = None
    image_url: WireImage | None = None


class WireFunctionCall(msgspec.Struct, frozen=True):
    name: Annotated[str, msgspec.Meta(max_length=200)]
    arguments: str = ""


class WireToolCall(msgspec.Struct, frozen=True):
    id: Annotated[str, msgspec.Meta(max_length=200)]
    function: WireFunctionCall
    type: Literal["function"] = "function"


class WireMessage(msgspec.Struct, frozen=True):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[WirePart] | None = None
    name: str | None = None
    tool_calls: Annotated[list[WireToolCall], msgspec.Meta(max_length=_MAX_TOOLS)] | None = None
    tool_call_id: str | None = None
    function_call: Any = None


class WireFunction(msgspec.Struct, frozen=True):
    name: Annotated[str, msgspec.Meta(pattern="^[a-zA-Z0-9_-]{1,64}$")]
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class WireTool(msgspec.Struct, frozen=True, kw_only=True):
    type: Literal["function"] = "function"
    function: WireFunction


class WireFunctionName(msgspec.Struct, frozen=True):
    name: str


class WireToolChoice(msgspec.Struct, frozen=True):
    type: Literal["function"]
    function: WireFunctionName


class WireSchema(msgspec.Struct, frozen=True):
    name: str = "answer"
    schema: dict[str, Any] | None = None
    description: str | None = None
    strict: bool | None = None


class WireResponseFormat(msgspec.Struct, frozen=True):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: WireSchema | None = None


class WireStreamOptions(msgspec.Struct, frozen=True):
    include_usage: bool | None = None


_Tokens = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]


class CompletionRequest(msgspec.Struct, frozen=True):
    """A request for a chat completion. Options that are not listed are ignored."""

    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    """`default`, or an id of `GET /v1/models`."""
    messages: Annotated[list[WireMessage], msgspec.Meta(min_length=1, max_length=MAX_MESSAGES)]
    tools: Annotated[list[WireTool], msgspec.Meta(max_length=_MAX_TOOLS)] | None = None
    tool_choice: Literal["auto", "none", "required"] | WireToolChoice | None = None
    parallel_tool_calls: bool | None = None
    response_format: WireResponseFormat | None = None
    max_tokens: _Tokens | None = None
    max_completion_tokens: _Tokens | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    stop: list[str] | str | None = None
    stream: bool | None = None
    stream_options: WireStreamOptions | None = None
    n: int | None = None
    """Only 1."""
    logprobs: bool | None = None
    """Only false."""
    modalities: list[str] | None = None
    """Only text."""
    functions: Any = None
    """Replaced by `tools`; refused."""
    function_call: Any = None
    """Replaced by `tool_choice`; refused."""
    audio: Any = None
    """Refused."""
    web_search_options: Any = None
    """Refused."""


# Responses


class CompletionCall(msgspec.Struct, frozen=True):
    name: str
    arguments: str


class CompletionToolCall(msgspec.Struct, frozen=True):
    id: str
    type: Literal["function"]
    function: CompletionCall


class CompletionMessage(msgspec.Struct, frozen=True, kw_only=True):
    role: Literal["assistant"] = "assistant"
    content: str | None
    """Null if the model only calls tools."""
    refusal: None = None
    tool_calls: list[CompletionToolCall] | UnsetType = UNSET


FinishReason = Literal["stop", "length", "tool_calls", "content_filter"]


class CompletionChoice(msgspec.Struct, frozen=True, kw_only=True):
    index: Literal[0] = 0
    message: CompletionMessage
    logprobs: None = None
    finish_reason: FinishReason


class CompletionUsage(msgspec.Struct, frozen=True):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: CompletionUsage
    system_fingerprint: None = None


class ChunkToolCall(msgspec.Struct, frozen=True):
    index: int
    id: str
    type: Literal["function"]
    function: CompletionCall


class ChunkDelta(msgspec.Struct, frozen=True, omit_defaults=True):
    role: Literal["assistant"] | UnsetType = UNSET
    content: str | UnsetType = UNSET
    tool_calls: list[ChunkToolCall] | UnsetType = UNSET


class ChunkChoice(msgspec.Struct, frozen=True, kw_only=True):
    index: Literal[0] = 0
    delta: ChunkDelta
    logprobs: None = None
    finish_reason: FinishReason | None = None


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    system_fingerprint: None = None
    choices: list[ChunkChoice]
    usage: CompletionUsage | UnsetType | None = UNSET
    """Only in the last chunk, if the client has requested it; null before."""


class ModelCard(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str
    """The executor that has it."""


class ModelCards(msgspec.Struct, frozen=True, kw_only=True):
    object: Literal["list"] = "list"
    data: list[ModelCard]


class ErrorDetail(msgspec.Struct, frozen=True):
    message: str
    type: str
    param: str | None
    """The field at fault, such as `messages[0].content`."""
    code: str | None


class ErrorBody(msgspec.Struct, frozen=True):
    """The body of every error response of this protocol."""

    error: ErrorDetail
