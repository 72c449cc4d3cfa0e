"""Results of tools as MCP clients get them."""

from collections.abc import Mapping
from typing import Any

from teamspace.core.errors import Refusal
from teamspace.mcp.domain import resources
from teamspace.tools import ToolResult


def to_content(result: ToolResult) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": result.shown}]
    if result.is_artifact and (uri := _uri_of(result.value)):
        content.append(_to_link(uri, result.value))
    structured = {"structuredContent": result.value} if isinstance(result.value, dict) else {}
    return {"content": content, "isError": False, **structured}


def to_error(refusal: Refusal) -> dict[str, Any]:
    """What a tool refuses is a result, which the model gets to see, and not a fault of the protocol."""
    return {"content": [{"type": "text", "text": refusal.detail}], "isError": True}


def _uri_of(artifact: Mapping[str, Any]) -> str | None:
    """Return the URI of the note or object that an artifact stands for."""
    for key, kind in (("object_id", "files"), ("note_id", "notes")):
        if id := artifact.get(key):
            return resources.to_uri(kind, id)
    return None


def _to_link(uri: str, artifact: Mapping[str, Any]) -> dict[str, Any]:
    link = {"type": "resource_link", "uri": uri, "name": artifact["title"] or uri}
    return link | ({"mimeType": artifact["content_type"]} if artifact.get("content_type") else {})
