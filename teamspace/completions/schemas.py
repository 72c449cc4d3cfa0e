"""A request to a model, its answer, and where to send it."""

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

import msgspec
from msgspec import UNSET

from teamspace.core.egress import INSTANCE, NetworkReach

MAX_CHARACTERS = 1024 * 1024
"""The longest answer that is accepted."""
TYPICAL_ANSWER = 512
"""Tokens to expect of an answer of unknown length. Expecting the maximum would refuse requests of idle teams."""
IMAGE_TOKENS = 1000
"""An estimate: models count images by their size in pixels, each in its own way."""


class Speaker(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class TextPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="text"):
    """A part of a message."""

    text: str


class ImageUrl(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    url: str
    """A `data:` URL: the server fetches nothing for a prompt."""
    detail: Literal["auto", "low", "high"] | None = None


class ImagePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="image_url"):
    """A part of a message."""

    image_url: ImageUrl


Part = TextPart | ImagePart
Content = str | list[Part]


class FunctionCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(max_length=200)]
    arguments: str
    """JSON, as the model wrote it: it can be invalid."""


class ToolCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model's request to call a function."""

    id: Annotated[str, msgspec.Meta(max_length=200)]
    function: FunctionCall
    type: Literal["function"] = "function"


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    role: Speaker
    content: Content | None = None
    """None if an assistant only calls tools."""
    tool_calls: list[ToolCall] = []
    tool_call_id: str | None = None
    """In a message of a tool: the call that it answers."""
    name: str | None = None


class Function(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A function that the model may call; `parameters` is a JSON schema."""

    name: Annotated[str, msgspec.Meta(pattern="^[a-zA-Z0-9_-]{1,64}$")]
    description: str | None = None
    parameters: dict[str, Any] = {}
    strict: bool | None = None


class FunctionTool(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="function"):
    function: Function


class FunctionName(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str


class FunctionChoice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="function"):
    function: FunctionName


class AnyText(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="text"):
    """A response format: no restriction."""


class JsonObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="json_object"):
    """A response format: any JSON object."""


class NamedSchema(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    schema: dict[str, Any]
    name: str = "answer"
    description: str | None = None
    strict: bool | None = None


class JsonSchema(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="json_schema"):
    """A response format: JSON that a schema accepts; given as `json_schema`, or short as `schema`."""

    json_schema: NamedSchema | None = None
    schema: dict[str, Any] | None = None

    @property
    def named(self) -> NamedSchema:
        """The schema, whichever way it is given; the empty one, which accepts everything, if it is not given."""
        return self.json_schema or NamedSchema(self.schema or {})


ResponseFormat = AnyText | JsonObject | JsonSchema


class ModelRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One turn of a model: the messages before it, and a prompt."""

    prompt: Content = ""
    """Empty if the last message is what the model answers, such as the result of a tool."""
    system: str | None = None
    messages: list[Message] = []
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    executor: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    """The name of an executor; only operators may choose one."""
    max_tokens: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    response_format: ResponseFormat | None = None
    tools: list[FunctionTool] = []
    tool_choice: Literal["auto", "none", "required"] | FunctionChoice | None = None

    @property
    def conversation(self) -> list[Message]:
        """All messages for the model, in their order: instructions, earlier messages, prompt."""
        system = [Message(Speaker.SYSTEM, self.system)] if self.system else []
        prompt = [Message(Speaker.USER, self.prompt)] if self.prompt or not self.messages else []
        return [*system, *self.messages, *prompt]


_MAX_TOKENS = 1_000_000_000
_Tokens = Annotated[int, msgspec.Meta(ge=0, le=_MAX_TOKENS)]


class TokenUsage(msgspec.Struct, frozen=True):
    prompt_tokens: _Tokens
    completion_tokens: _Tokens
    total_tokens: _Tokens

    @classmethod
    def of(cls, prompt_tokens: int, completion_tokens: int) -> Self:
        """Return a usage that can be read again: what servers report is added up."""
        prompt_tokens, completion_tokens = min(prompt_tokens, _MAX_TOKENS), min(completion_tokens, _MAX_TOKENS)
        return cls(prompt_tokens, completion_tokens, min(prompt_tokens + completion_tokens, _MAX_TOKENS))

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        return TokenUsage.of(self.prompt_tokens + other.prompt_tokens, self.completion_tokens + other.completion_tokens)


class ModelAnswer(msgspec.Struct, frozen=True):
    """The model's answer and its token usage."""

    text: str
    usage: TokenUsage
    model: str = ""
    finish_reason: str = "stop"
    tool_calls: list[ToolCall] = []
    parsed: Any = UNSET
    """The text as JSON, if the request has a response format for JSON; absent otherwise."""


class Delta(msgspec.Struct, frozen=True):
    """The next text of a streamed answer."""

    text: str
    parts: int = 1
    """How many parts of the model server's stream it consists of. Each has one token at least."""


class ModelEndpoint(msgspec.Struct, frozen=True):
    """A model server, and which hosts a request to it may reach."""

    url: str
    reach: NetworkReach
    key: str | None = None
    model: str | None = None
    """The model for requests that name none."""
    on_behalf_of: str = INSTANCE
    """The company whose data is sent. Its connections are used for no other."""


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens: four characters each."""
    return -(-len(text) // 4)


def estimate_prompt(request: ModelRequest) -> int:
    """Estimate the number of tokens of a request: its messages, its functions, and the schema of its answer."""
    return sum(_estimate_message(message) for message in request.conversation) + _estimate_declared(request)


def text_of(content: Content | None) -> str:
    """Return the text of a message, without its images."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part.text for part in content if isinstance(part, TextPart))


def _estimate_message(message: Message) -> int:
    images = (
        0 if isinstance(message.content, str | None) else sum(isinstance(part, ImagePart) for part in message.content)
    )
    calls = sum(estimate_tokens(call.function.name + call.function.arguments) for call in message.tool_calls)
    return estimate_tokens(text_of(message.content)) + images * IMAGE_TOKENS + calls


def _estimate_declared(request: ModelRequest) -> int:
    declared: list[msgspec.Struct] = list(request.tools)
    if isinstance(request.response_format, JsonSchema):
        declared.append(request.response_format.named)
    return -(-len(msgspec.json.encode(declared)) // 4) if declared else 0


def estimate_usage(request: ModelRequest, text: str, parts: int = 0) -> TokenUsage:
    """Estimate the usage of a request that was answered with this text. Each part of its stream has one token at least."""
    return TokenUsage.of(estimate_prompt(request), max(estimate_tokens(text), parts))


def estimate_call(request: ModelRequest) -> TokenUsage:
    """Estimate the usage of a request whose answer is not known."""
    answer = min(request.max_tokens or TYPICAL_ANSWER, TYPICAL_ANSWER)
    return TokenUsage.of(estimate_prompt(request), answer)
