"""Data types of routes and jobs that use models. A request to a model and its answer are in `completions`."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from teamspace.completions import (
    FunctionChoice,
    FunctionTool,
    ImagePart,
    Message,
    ResponseFormat,
    TextPart,
    TokenUsage,
    ToolCall,
)
from teamspace.quota import Dimension, Level

MAX_BODY = 2 * 1024 * 1024
"""In bytes; images are part of the body. Larger ones are stored, and referred to."""
MAX_TEXT = 600_000
"""Bytes of a request besides its images. It is encoded and decoded several times on its way."""
MAX_PROMPT = 400_000
MAX_MESSAGES = 2_000
MAX_PARTS = 200
MAX_TOOLS = 128
Id = Annotated[str, msgspec.Meta(max_length=100)]
SourceType = Literal["object", "note"]


class Echo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    prompt: Annotated[str, msgspec.Meta(min_length=1, max_length=100_000)]


class EchoAnswer(msgspec.Struct, frozen=True):
    text: str
    usage: TokenUsage
    model: str = "echo"
    finish_reason: str = "stop"


class ObjectPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="object", omit_defaults=True):
    """An object of the repository that the caller can read: its text, or the image that it is."""

    object_id: Id
    version: Annotated[int, msgspec.Meta(ge=1, lt=2**53)] | None = None
    """The newest by default."""


class NotePart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="note"):
    """A note that the caller can read."""

    note_id: Id


class EntityPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="entity"):
    """An entity of the knowledge graph: what documents that the caller can read say about it."""

    entity_id: Id


Reference = ObjectPart | NotePart | EntityPart
ChatPart = TextPart | ImagePart | Reference
Prompt = (
    Annotated[str, msgspec.Meta(max_length=MAX_PROMPT)] | Annotated[list[ChatPart], msgspec.Meta(max_length=MAX_PARTS)]
)


class ChatInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a model is asked. Unlike a ModelRequest, it can refer to things of the team.

    Without the limits of what a person asks: this server asks remote workers more, with the texts of what a prompt
    refers to, its own instructions, and all tools of a team.
    """

    prompt: str | list[ChatPart] = ""
    system: str | None = None
    messages: list[Message] = []
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    executor: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    """The name of an executor; only operators may choose one."""
    max_tokens: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    response_format: ResponseFormat | None = None
    tools: list[FunctionTool] = []
    """Functions that the caller offers: if the model calls one, the answer has `tool_calls`."""
    tool_choice: Literal["auto", "none", "required"] | FunctionChoice | None = None


class ChatBody(ChatInput, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a person asks a model."""

    prompt: Prompt = ""
    system: Annotated[str, msgspec.Meta(max_length=MAX_PROMPT)] | None = None
    messages: Annotated[list[Message], msgspec.Meta(max_length=MAX_MESSAGES)] = []
    tools: Annotated[list[FunctionTool], msgspec.Meta(max_length=MAX_TOOLS)] = []
    """Functions that the caller offers: if the model calls one, the answer has `tool_calls`."""
    conversation_id: Id | None = None
    """The conversation that the turn continues and is stored in; without one, nothing is kept but the job."""
    parent_id: Id | UnsetType | None = UNSET
    """The turn to continue after; absent for the newest, null for the beginning of the conversation."""
    regenerate: Id | None = None
    """An answer in the conversation: its prompt is answered again."""
    dry_run: bool = False
    """Only return what the turn would cost and who would answer."""


class TurnInput(ChatInput, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The input of a turn's job."""

    executor_name: str = ""
    is_simulated: bool = False
    conversation_id: str | None = None
    context_tokens: int = 0
    """An estimate of what the conversation and the referenced things add to the prompt."""
    worker: str | None = None
    """The executor whose remote workers answer it; None if this server asks the model."""
    is_streamed: bool = False
    """Whether the answer can be read while it is made."""


class CitedSource(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an answer cites."""

    type: SourceType
    id: str
    title: str
    version: int | None = None
    version_id: str | None = None


class Citation(msgspec.Struct, frozen=True, omit_defaults=True):
    """A quote in an answer, and where the server has found it."""

    number: int
    """Its number in the answer; equal for equal words of one source."""
    source: CitedSource | None
    """None if there is no such source."""
    start: int | None
    end: int | None
    """Where the words are in the text of the version."""
    quote: str
    verified: bool
    reason: Literal["no_source", "not_readable", "not_found", "too_short"] | None = None
    """Why it is not verified."""


class SchemaFault(msgspec.Struct, frozen=True):
    """How an answer does not match the response format."""

    message: str
    path: str
    """A JSON pointer into the answer."""
    raw: str
    """The beginning of the answer."""


class ChatAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A finished turn."""

    id: str
    text: str
    parsed: Any = UNSET
    """The answer as JSON, if a response format asked for that."""
    schema_error: SchemaFault | UnsetType = UNSET
    """Of a streamed answer that does not match its response format."""
    model: str
    executor: str
    simulated: bool = False
    usage: TokenUsage
    finish_reason: str
    tool_calls: list[ToolCall] | UnsetType = UNSET
    citations: list[Citation] = []


class Estimate(msgspec.Struct, frozen=True):
    requests: int
    tokens: int


class BlockingLimit(msgspec.Struct, frozen=True):
    dimension: Dimension
    level: Level
    resets_at: str | None
    """None if it does not reset: a slot of `ai.concurrency` is free when a running request ends."""


class DryRun(msgspec.Struct, frozen=True, kw_only=True):
    """What a request would cost, who would answer, and which limit would refuse it."""

    dry_run: bool = True
    executor: str
    model: str | None
    estimate: Estimate
    admitted: bool
    blocked_by: BlockingLimit | None


class IndexConversation(msgspec.Struct, frozen=True):
    conversation_id: str


class Indexed(msgspec.Struct, frozen=True):
    """The result of indexing: nothing but that it is done."""
