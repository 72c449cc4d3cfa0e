"""A request to a model, its answer, and where to send it."""

from enum import StrEnum
from typing import Annotated, Self

import msgspec

from teamspace.core.egress import INSTANCE, NetworkReach

MAX_CHARACTERS = 1024 * 1024
"""The longest answer that is accepted."""


class Speaker(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    role: Speaker
    content: str


class Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="text"):
    """A part of a prompt."""

    text: str


class ModelRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One chat turn: a prompt and the messages before it."""

    prompt: str | list[Text]
    system: str | None = None
    messages: list[Message] = []
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    executor: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    """The name of an executor; only operators may choose one."""
    max_tokens: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None

    @property
    def conversation(self) -> list[Message]:
        """All messages for the model, in their order: instructions, earlier messages, prompt."""
        system = [Message(Speaker.SYSTEM, self.system)] if self.system else []
        prompt = self.prompt if isinstance(self.prompt, str) else "\n".join(part.text for part in self.prompt)
        return [*system, *self.messages, Message(Speaker.USER, prompt)]


_Tokens = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]


class TokenUsage(msgspec.Struct, frozen=True):
    prompt_tokens: _Tokens
    completion_tokens: _Tokens
    total_tokens: _Tokens

    @classmethod
    def of(cls, prompt_tokens: int, completion_tokens: int) -> Self:
        return cls(prompt_tokens, completion_tokens, prompt_tokens + completion_tokens)


class ModelAnswer(msgspec.Struct, frozen=True):
    """The model's answer and its token usage."""

    text: str
    usage: TokenUsage
    model: str = ""
    finish_reason: str = "stop"


class Delta(msgspec.Struct, frozen=True):
    """The next part of a streamed answer."""

    text: str


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
    """Estimate the number of tokens of a request."""
    return sum(estimate_tokens(message.content) for message in request.conversation)


def estimate_usage(request: ModelRequest, text: str) -> TokenUsage:
    """Estimate the usage of a request that was answered with this text."""
    return TokenUsage.of(estimate_prompt(request), estimate_tokens(text))
