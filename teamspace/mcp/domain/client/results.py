"""What a server's answer to a call becomes: a value, a text, or an artifact."""

from typing import Any

from teamspace.core.errors import ToolFailed
from teamspace.core.tables import ArtifactKind
from teamspace.mcp.schemas import CallPart, CallResult
from teamspace.tools import Artifact

MAX_MESSAGE = 1000
"""Characters of a server's error."""
_MAX_SUMMARY = 600
_KINDS: dict[str, ArtifactKind] = {"image": "image", "link": "link"}


def shows_parts(result: CallResult) -> bool:
    """Return whether images, files and links of a result are shown at all."""
    return not result.is_error and result.structured is None


def to_value(server: str, title: str, result: CallResult) -> Any:
    """Return the structured value if there is one, otherwise the texts; with images, files or links, an artifact.

    Models see only one line of an artifact, so long texts stay texts. Raises ToolFailed if the call has failed.
    """
    text = "\n\n".join(part.text for part in result.parts if part.is_text)
    if result.is_error:
        raise ToolFailed("mcp.refused", server=server, message=text[:MAX_MESSAGE] or "no reason")
    if result.structured is not None:
        return result.structured
    others = [part for part in result.parts if not part.is_text]
    described = "\n".join(map(_describe, others))
    if not others or len(text) > _MAX_SUMMARY:
        return f"{text}\n\n{described}".strip()
    first = next((part for part in others if part.object_id), others[0])
    return Artifact(
        kind=_KINDS.get(first.kind, "document"), title=first.title or title, content_type=first.content_type,
        summary=f"{text} {described}".strip()[:_MAX_SUMMARY], object_id=first.object_id, version_id=first.version_id,
        extra={"text": text, "parts": [_to_dict(part) for part in others]},
    )  # fmt: skip


def _describe(part: CallPart) -> str:
    """Return what a model is told of an image, a file or a link."""
    size = f"{part.size} bytes" if part.size is not None else None
    kept = f"kept as {part.key}" if part.key else "not kept" if part.size is not None else None
    about = [part.content_type, size, part.uri, kept]
    return f"[{', '.join([part.kind, *filter(None, about)])}] {part.title} {part.text}".strip()


def _to_dict(part: CallPart) -> dict[str, Any]:
    fields = {name: getattr(part, name) for name in part.__struct_fields__}
    return {name: value for name, value in fields.items() if value not in (None, "")}
