"""Chat with models: turns, streams, and the gateway through which the server uses models."""

from teamspace.ai.domain import resolving, sources
from teamspace.ai.domain.attaching import EntityKnowledge, Library
from teamspace.ai.domain.gateway import Gateway, GatewayAnswer, Models
from teamspace.ai.domain.gateway import estimate as estimate_call
from teamspace.ai.domain.once import ask_once, forget_answers
from teamspace.ai.domain.output import Output
from teamspace.ai.domain.quotes import SearchableText
from teamspace.ai.domain.quotes import clean as clean_quote
from teamspace.ai.domain.registry import Registry
from teamspace.ai.domain.sources import PromptSource, Sources
from teamspace.ai.domain.turns import (
    STOPPED,
    Turns,
    end_in_conversation,
    end_with_fault,
    fault_of,
    get_outcome,
    state_of,
)
from teamspace.ai.schemas import (
    MAX_BODY,
    BlockingLimit,
    ChatAnswer,
    ChatBody,
    Citation,
    DryRun,
    Estimate,
    Prompt,
    TurnInput,
)
from teamspace.ai.store import INVARIANTS

__all__ = [
    "INVARIANTS",
    "MAX_BODY",
    "STOPPED",
    "BlockingLimit",
    "ChatAnswer",
    "ChatBody",
    "Citation",
    "DryRun",
    "EntityKnowledge",
    "Estimate",
    "Gateway",
    "GatewayAnswer",
    "Library",
    "Models",
    "Output",
    "Prompt",
    "PromptSource",
    "Registry",
    "SearchableText",
    "Sources",
    "TurnInput",
    "Turns",
    "ask_once",
    "clean_quote",
    "end_in_conversation",
    "end_with_fault",
    "estimate_call",
    "fault_of",
    "forget_answers",
    "get_outcome",
    "resolving",
    "sources",
    "state_of",
]
