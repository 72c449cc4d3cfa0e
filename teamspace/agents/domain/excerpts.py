"""What people see of a call: long arguments, artifacts and results by their beginning.

A step is in its run's stream, in the job's result, in the answer and in the conversation. What is long is kept elsewhere:
as an object, a note, or what the model said.
"""

from typing import Any

import msgspec

MAX_BYTES = 12 * 1024
"""Of JSON. The arguments and artifacts of all calls of a run fit into its stream together, beside its answer."""
MAX_RESULT = 64 * 1024
"""Of JSON. Results are in the run's answer, of which an event and a turn of a conversation are made."""
_MAX_CHARACTERS, _MAX_ITEMS = 2_000, 20


def of(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object as it is if it is short; otherwise its fields with the beginnings of theirs, as far as they fit."""
    if len(msgspec.json.encode(value)) <= MAX_BYTES:
        return value
    kept, left = dict[str, Any](), MAX_BYTES
    for name, field in value.items():
        short = {name: _beginning(field)}
        size = len(msgspec.json.encode(short))
        if size <= left:
            kept |= short
            left -= size
    return kept


def _beginning(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _MAX_CHARACTERS:
        return f"{value[:_MAX_CHARACTERS]} … [cut: {_MAX_CHARACTERS} of {len(value)} characters]"
    return value[:_MAX_ITEMS] if isinstance(value, list) else value
