"""Conversations with models: a tree of prompts and answers that belongs to a person and can be shared."""

from teamspace.conversations.access import SUBJECTS, shared_fence
from teamspace.conversations.domain.content import encode_prompt, title_of
from teamspace.conversations.domain.conversations import create, find, read_fence
from teamspace.conversations.domain.forgetting import forget_deleted
from teamspace.conversations.domain.indexing import index
from teamspace.conversations.domain.turns import MAX_HISTORY, begin_turn, end_turn, history, measure
from teamspace.conversations.schemas import (
    BegunTurn,
    Content,
    Conversation,
    NewConversation,
    StoredTurn,
    Turn,
    TurnError,
    TurnForgotten,
    TurnRole,
    TurnState,
)
from teamspace.conversations.store import INVARIANTS, KIND, OWNED_TABLES

__all__ = [
    "INVARIANTS",
    "KIND",
    "MAX_HISTORY",
    "OWNED_TABLES",
    "SUBJECTS",
    "BegunTurn",
    "Content",
    "Conversation",
    "NewConversation",
    "StoredTurn",
    "Turn",
    "TurnError",
    "TurnForgotten",
    "TurnRole",
    "TurnState",
    "begin_turn",
    "create",
    "encode_prompt",
    "end_turn",
    "find",
    "forget_deleted",
    "history",
    "index",
    "measure",
    "read_fence",
    "shared_fence",
    "title_of",
]
