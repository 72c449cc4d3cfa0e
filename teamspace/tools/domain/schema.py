"""The JSON schema of a tool's arguments, as models are given it: without references and titles."""

from typing import Any

import msgspec

MAX_BYTES = 16 * 1024


def describe(shape: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the JSON schema of a struct; raise ValueError or TypeError if it has none that models can use."""
    (reference,), components = msgspec.json.schema_components([shape], ref_template="{name}")
    schema: dict[str, Any] = _inline(reference, components, ())
    if (size := len(msgspec.json.encode(schema))) > MAX_BYTES:
        raise ValueError(f"the schema has {size} bytes, more than {MAX_BYTES}")
    return schema


def _inline(schema: Any, components: dict[str, Any], within: tuple[str, ...]) -> Any:
    if isinstance(schema, list):
        return [_inline(part, components, within) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if name := schema.get("$ref"):
        if name in within:
            raise ValueError(f"{name} contains itself")
        inner = _inline(components[name], components, (*within, name))
        return inner | {key: value for key, value in schema.items() if key != "$ref"}
    result = {key: _inline(part, components, within) for key, part in schema.items() if key not in _OWN}
    if "properties" in schema:
        result["properties"] = {name: _inline(part, components, within) for name, part in schema["properties"].items()}
    return result | {key: schema[key] for key in _KEPT if key in schema}


_KEPT = ("default", "enum", "const", "examples")
"""Keywords whose values are data, not schemas."""
_OWN = ("title", "properties", *_KEPT)
