"""Requests to models and their answers, and a client for OpenAI-compatible model servers.

The same two shapes are the input and the result of a chat job, what executors get and return, and what `teamspace
worker` uses. Only `wire.py` knows the format of the model servers.
"""

from teamspace.completions.client import complete, list_models, stream
from teamspace.completions.errors import CompletionError
from teamspace.completions.schemas import (
    MAX_CHARACTERS,
    Delta,
    Message,
    ModelAnswer,
    ModelEndpoint,
    ModelRequest,
    Speaker,
    TokenUsage,
    estimate_prompt,
    estimate_tokens,
    estimate_usage,
)

__all__ = [
    "MAX_CHARACTERS",
    "CompletionError",
    "Delta",
    "Message",
    "ModelAnswer",
    "ModelEndpoint",
    "ModelRequest",
    "Speaker",
    "TokenUsage",
    "complete",
    "estimate_prompt",
    "estimate_tokens",
    "estimate_usage",
    "list_models",
    "stream",
]
