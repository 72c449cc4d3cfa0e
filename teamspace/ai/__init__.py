"""Chat with models: turns, streams, and the gateway through which the server uses models."""

from teamspace.ai.domain import resolving, sources
from teamspace.ai.domain.gateway import Gateway, GatewayAnswer, Models
from teamspace.ai.domain.output import Output
from teamspace.ai.domain.registry import Registry
from teamspace.ai.domain.sources import Sources
from teamspace.ai.domain.turns import STOPPED, Turns, fault_of, get_outcome, read_shown, to_error
from teamspace.ai.schemas import MAX_BODY, ChatAnswer, ChatBody, Citation, DryRun, Prompt, TurnInput

__all__ = [
    "MAX_BODY",
    "STOPPED",
    "ChatAnswer",
    "ChatBody",
    "Citation",
    "DryRun",
    "Gateway",
    "GatewayAnswer",
    "Models",
    "Output",
    "Prompt",
    "Registry",
    "Sources",
    "TurnInput",
    "Turns",
    "fault_of",
    "get_outcome",
    "read_shown",
    "resolving",
    "sources",
    "to_error",
]
