"""Requests to models and their answers, and a client for OpenAI-compatible model servers.

The same two shapes are the input and the result of a chat job, what executors get and return, and what `teamspace
worker` uses. Only `wire.py` and `tool_calls.py` know the format of the model
servers.
"""

from teamspace.completions import structured
from teamspace.completions.client import complete, list_models, stream
from teamspace.completions.errors import CompletionError
from teamspace.completions.schemas import (
    IMAGE_TOKENS,
    MAX_CHARACTERS,
    AnyText,
    Content,
    Delta,
    Function,
    FunctionCall,
    FunctionChoice,
    FunctionName,
    FunctionTool,
    ImagePart,
    ImageUrl,
    JsonObject,
    JsonSchema,
    Message,
    ModelAnswer,
    ModelEndpoint,
    ModelRequest,
    NamedSchema,
    Part,
    ResponseFormat,
    Speaker,
    TextPart,
    TokenUsage,
    ToolCall,
    estimate_call,
    estimate_prompt,
    estimate_tokens,
    estimate_usage,
    text_of,
)
from teamspace.completions.structured import SchemaMismatch

__all__ = [
    "IMAGE_TOKENS",
    "MAX_CHARACTERS",
    "AnyText",
    "CompletionError",
    "Content",
    "Delta",
    "Function",
    "FunctionCall",
    "FunctionChoice",
    "FunctionName",
    "FunctionTool",
    "ImagePart",
    "ImageUrl",
    "JsonObject",
    "JsonSchema",
    "Message",
    "ModelAnswer",
    "ModelEndpoint",
    "ModelRequest",
    "NamedSchema",
    "Part",
    "ResponseFormat",
    "SchemaMismatch",
    "Speaker",
    "TextPart",
    "TokenUsage",
    "ToolCall",
    "complete",
    "estimate_call",
    "estimate_prompt",
    "estimate_tokens",
    "estimate_usage",
    "list_models",
    "stream",
    "structured",
    "text_of",
]
