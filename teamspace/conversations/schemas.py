"""Data types of conversations."""

from enum import StrEnum
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from teamspace.completions import TokenUsage
from teamspace.core.messages import Param
from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission as P
from teamspace.core.tables import DomainEvent
from teamspace.sharing import Grant, OwnedRow, Shareable

CONVERSATIONS = Shareable("conversations", "conversation", (P.NOTES_READ, P.NOTES_WRITE), repeated=("updated_at",))
"""A grant to read it, or to continue it: the words with which a note is shared."""
Title = Annotated[str, msgspec.Meta(max_length=1000)]
Content = str | list[dict[str, Any]]
"""A text, or the parts of a chat request's prompt."""


class TurnRole(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class TurnState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


class Access(StrEnum):
    """What a person may do with a conversation; each level includes those before it."""

    READ = "read"
    CONTINUE = "continue"
    MANAGE = "manage"


class TurnError(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a turn failed, or what is missing in it."""

    code: str
    message: str
    key: str | None = None
    """The key of the message in the catalog's namespace `refusals`."""
    params: dict[str, Param] = {}


class TurnForgotten(DomainEvent, frozen=True):
    """Event: a turn was deleted. What packages keep of the job that answered it is deleted in the same transaction."""

    id: str


class ConversationRow(OwnedRow, frozen=True):
    """A conversation as stored."""

    title: str
    excerpt: str
    turns: int
    ended: int
    size: int
    characters: int
    created_at: str
    updated_at: str


class TurnRow(msgspec.Struct, frozen=True):
    """A turn as stored; `content` is JSON."""

    id: str
    conversation_id: str
    org_id: str
    number: int
    parent_id: str | None
    author_id: str | None
    role: TurnRole
    state: TurnState
    size: int
    characters: int
    content: str
    created_at: str
    usage: TokenUsage | None = None
    citations: list[dict[str, Any]] | None = None
    steps: list[dict[str, Any]] | None = None
    model: str | None = None
    executor: str | None = None
    simulated: bool = False
    finish_reason: str | None = None
    error: TurnError | None = None


class StoredTurn(msgspec.Struct, frozen=True):
    """A turn before the one that is running."""

    id: str
    role: TurnRole
    state: TurnState
    content: Content
    """As it was stored: parts that refer to files or notes contain the reference."""


class HistorySize(msgspec.Struct, frozen=True):
    """An upper bound of what a new turn of a conversation is sent with."""

    characters: int
    references: list[dict[str, Any]]
    """What its prompts refer to, each once; a bounded number."""


class EncodedPrompt(msgspec.Struct, frozen=True):
    """A prompt as it is stored, with what is shown of it; made before its transaction begins."""

    content: str
    size: int
    characters: int
    parts: int
    references: tuple[str, ...] = ()
    """The parts that are neither texts nor images, as JSON."""
    title: str = ""
    excerpt: str = ""


class Answer(msgspec.Struct, frozen=True):
    """An answer as JSON, as far as it fits in its conversation."""

    content: str
    is_complete: bool
    text: str
    citations: str | None = None
    steps: str | None = None

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(len(part.encode()) for part in (self.content, self.citations, self.steps) if part)


class BegunTurn(msgspec.Struct, frozen=True):
    """A turn that is running: the prompt, and the answer to come."""

    id: str
    conversation_id: str
    prompt_id: str


class Turn(msgspec.Struct, frozen=True, omit_defaults=True):
    id: str
    parent_id: str | None
    """The turn before it. Several turns with the same parent are branches."""
    role: TurnRole
    content: Content
    state: TurnState
    created_at: str
    author: str | None = None
    """Who wrote a prompt."""
    usage: TokenUsage | None = None
    citations: list[dict[str, Any]] | None = None
    steps: list[dict[str, Any]] | None = None
    """What an agent has done; absent if no agent answered."""
    model: str | None = None
    executor: str | None = None
    simulated: bool = False
    """Whether no model answered, but the simulated one."""
    finish_reason: str | None = None
    """How the answer ended: `stop`, `length`, `stopped`, `tool_limit`, `quota`, or what the model says."""
    error: TurnError | None = None


class Conversation(msgspec.Struct, frozen=True):
    id: str
    title: str
    """Empty until it is given or the first prompt with text arrives."""
    owner: str
    team_id: str
    shared_with: list[Grant]
    turns: list[Turn]
    """All branches, in the order of creation."""
    created_at: str
    updated_at: str


class ConversationItem(msgspec.Struct, frozen=True):
    """A conversation in a list, with an excerpt of its newest turn."""

    id: str
    title: str
    owner: str
    excerpt: str
    shared: bool
    """Whether it is shared with anyone."""
    created_at: str
    updated_at: str


class NewConversation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: Title | UnsetType = UNSET
    """By default the first line of the first prompt."""


class ConversationChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: Title


class ConversationQuery(Paging, frozen=True, forbid_unknown_fields=True):
    shared: Literal["1"] | None = None
    """`1` lists only conversations that others shared with the caller."""
