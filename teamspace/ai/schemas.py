"""Data types of chats with models."""

from enum import StrEnum
from typing import Annotated

import msgspec


class Speaker(StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    role: Speaker
    content: str


Tokens = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]


class TokenUsage(msgspec.Struct, frozen=True):
    prompt_tokens: Tokens
    completion_tokens: Tokens
    total_tokens: Tokens


class ModelRequest(msgspec.Struct, frozen=True):
    """A request to a model."""

    messages: list[Message]
    model: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None


class ModelAnswer(msgspec.Struct, frozen=True):
    text: str
    model: str
    usage: TokenUsage
    finish_reason: str = "stop"


class Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="text"):
    """A part of a prompt."""

    text: str


class ChatInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
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
    def request(self) -> ModelRequest:
        system = [Message(Speaker.SYSTEM, self.system)] if self.system else []
        prompt = self.prompt if isinstance(self.prompt, str) else "\n".join(part.text for part in self.prompt)
        messages = [*system, *self.messages, Message(Speaker.USER, prompt)]
        return ModelRequest(messages, self.model, self.max_tokens, self.temperature)


class ChatResult(msgspec.Struct, frozen=True):
    """The model's answer and its token usage."""

    text: str
    usage: TokenUsage
    model: str = ""
    finish_reason: str = "stop"


class Echo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    prompt: Annotated[str, msgspec.Meta(min_length=1, max_length=100_000)]
