"""Model work: one turn with a model, metered, on whatever executor has it."""

from teamspace.ai.domain.registry import Registry
from teamspace.ai.domain.turns import Models

__all__ = ["Models", "Registry"]
