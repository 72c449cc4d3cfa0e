"""Chat with models: turns, streams, and the gateway through which the server uses models."""

from teamspace.ai.domain import resolving, sources
from teamspace.ai.domain.gateway import Gateway, GatewayAnswer, Models
from teamspace.ai.domain.output import Output
from teamspace.ai.domain.registry import Registry
from teamspace.ai.domain.sources import Sources
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

__all__ = [
    "MAX_BODY",
    "STOPPED",
    "BlockingLimit",
    "ChatAnswer",
    "ChatBody",
    "Citation",
    "DryRun",
    "Estimate",
    "Gateway",
    "GatewayAnswer",
    "Models",
    "Output",
    "Prompt",
    "Registry",
    "Sources",
    "TurnInput",
    "Turns",
    "end_in_conversation",
    "end_with_fault",
    "fault_of",
    "get_outcome",
    "resolving",
    "sources",
    "state_of",
]
