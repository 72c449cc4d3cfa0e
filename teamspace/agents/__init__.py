"""The agent: a model that calls tools until it has an answer."""

from teamspace.agents.domain.runs import Agents, tidy
from teamspace.agents.store import INVARIANTS

__all__ = ["INVARIANTS", "Agents", "tidy"]
