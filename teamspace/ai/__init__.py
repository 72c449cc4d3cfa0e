"""Chat with models: one metered turn, on any executor that has the model."""

from teamspace.ai.domain.registry import Registry
from teamspace.ai.domain.turns import Models

__all__ = ["Models", "Registry"]
