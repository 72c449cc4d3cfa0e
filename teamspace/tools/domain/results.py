"""What models see of a tool's result."""

from typing import Any

import msgspec

from teamspace.core import pools
from teamspace.core.tables import Tool
from teamspace.tools.schemas import Artifact, ToolResult

MAX_SHOWN = 16 * 1024
"""In bytes."""
_MAX_LINE = 1000
_THREAD_BYTES = 64 * 1024
"""Longer results are converted in a thread."""


async def to_result(row: Tool, value: Any) -> ToolResult:
    """Return the complete value and its short form: an artifact as one line, a text as it is, others as JSON."""
    if isinstance(value, Artifact):
        if value.kind not in row.artifacts:
            raise TypeError(f"the tool {row.name} returned a {value.kind}, which its row does not declare")
        return ToolResult(value.to_value(), _one_line(value), is_artifact=True)
    if isinstance(value, str):
        text = value.encode(errors="replace")
        return ToolResult(value, _bounded(text), len(text))
    encoded = msgspec.json.encode(value)
    is_long = len(encoded) > _THREAD_BYTES
    plain = await pools.TEXT.run(msgspec.to_builtins, value) if is_long else msgspec.to_builtins(value)
    return ToolResult(plain, _bounded(encoded), len(encoded))


def _one_line(artifact: Artifact) -> str:
    about = f"{artifact.title}: {artifact.summary}" if artifact.summary else artifact.title
    line = f"[{artifact.kind}] {' '.join(about.split())[:_MAX_LINE]}"
    return f"{line} (object {artifact.object_id})" if artifact.object_id else line


def _bounded(encoded: bytes) -> str:
    if len(encoded) <= MAX_SHOWN:
        return encoded.decode()
    note = f" … [cut: {MAX_SHOWN} of {len(encoded)} bytes]"
    return encoded[: MAX_SHOWN - len(note.encode())].decode(errors="ignore") + note
