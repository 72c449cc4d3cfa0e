"""Values for a JSON schema: such that fit, and such that do not."""

from collections.abc import Iterator
from typing import Any

_MAX_DEPTH = 6
_BY_FORMAT = {
    "date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "time": "12:00:00", "duration": "PT1H",
    "uuid": "01a1dd94-b5f4-7000-864e-c7fd39e2472c", "decimal": "1.5",
}  # fmt: skip
_OTHERS: tuple[tuple[str, Any], ...] = (
    ("string", "text"), ("integer", 7), ("number", 7.5), ("boolean", True), ("array", []), ("object", {}), ("null", None),
)  # fmt: skip


class NoSample(Exception):
    """No value can be made for a schema; the message says what the author can do."""


def fitting(schema: dict[str, Any]) -> list[Any]:
    """Return values that fit: with everything that is allowed, and with nothing that is optional."""
    full, least = (_sample(schema, schema, is_full=is_full, depth=0) for is_full in (True, False))
    return [full] if full == least else [full, least]


def misfitting(schema: dict[str, Any], *, as_text: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield objects that do not fit, each with what is wrong; `as_text` for a query, in which every value is text."""
    candidates = _OTHERS[:1] if as_text else _OTHERS
    shape = _resolve(schema, schema)
    good = _sample(schema, schema, is_full=True, depth=0)
    for name in shape.get("required", []):
        yield f"without {name}", {key: value for key, value in good.items() if key != name}
    for name, part in shape.get("properties", {}).items():
        allowed = _types(part, schema)
        for wrong in [value for kind, value in candidates if kind not in allowed][:1]:
            yield f"with {wrong!r} as {name}", {**good, name: wrong}
    if shape.get("additionalProperties") is False:
        yield "with an unknown field", {**good, "no_such_field": 1}


def variants(schema: dict[str, Any]) -> Iterator[Any]:
    """Yield objects of the right types with unusual values, one at a time."""
    good = _sample(schema, schema, is_full=True, depth=0)
    for name, part in _resolve(schema, schema).get("properties", {}).items():
        types = _types(part, schema)
        if types & {"integer", "number"}:
            yield from ({**good, name: number} for number in (-1, 0, 10**9))
        elif "string" in types:
            yield from ({**good, name: text} for text in ("", "something else"))


def _sample(schema: dict[str, Any], root: dict[str, Any], *, is_full: bool, depth: int) -> Any:
    schema = _resolve(schema, root)
    if depth > _MAX_DEPTH:
        raise NoSample("the schema is nested too deeply")
    if examples := schema.get("examples"):
        return examples[0]
    if "const" in schema:
        return schema["const"]
    if choices := schema.get("enum"):
        return choices[-1 if is_full else 0]
    if options := schema.get("anyOf") or schema.get("oneOf"):
        wanted = [option for option in options if option.get("type") != "null"] if is_full else options
        return _sample((wanted or options)[0], root, is_full=is_full, depth=depth + 1)
    kind = schema.get("type")
    if kind == "object":
        return _object(schema, root, is_full=is_full, depth=depth)
    if kind == "array":
        return _array(schema, root, is_full=is_full, depth=depth)
    if kind == "string":
        return _string(schema)
    if kind in ("integer", "number"):
        return _number(schema)
    return {"boolean": is_full, "null": None}.get(str(kind), "sample")


def _object(schema: dict[str, Any], root: dict[str, Any], *, is_full: bool, depth: int) -> dict[str, Any]:
    required, result = set(schema.get("required", [])), dict[str, Any]()
    for name, part in schema.get("properties", {}).items():
        # Optional parts can contain themselves.
        if name in required or (is_full and depth < _MAX_DEPTH // 2):
            result[name] = _sample(part, root, is_full=is_full, depth=depth + 1)
    return result


def _array(schema: dict[str, Any], root: dict[str, Any], *, is_full: bool, depth: int) -> list[Any]:
    first = [_sample(part, root, is_full=is_full, depth=depth + 1) for part in schema.get("prefixItems", [])]
    items, least = schema.get("items"), schema.get("minItems", 0)
    wanted = max(least, 1 if is_full and depth < _MAX_DEPTH // 2 else 0) - len(first)
    if not isinstance(items, dict) or wanted <= 0:
        return first
    return first + [_sample(items, root, is_full=is_full, depth=depth + 1)] * wanted


def _string(schema: dict[str, Any]) -> str:
    if "pattern" in schema:
        raise NoSample(
            f"no value is known for the pattern {schema['pattern']}: add one with msgspec.Meta(examples=[…])"
        )
    if schema.get("contentEncoding") == "base64":
        return "c2FtcGxl"
    if given := _BY_FORMAT.get(schema.get("format", "")):
        return given
    return "sample".ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength")]


def _number(schema: dict[str, Any]) -> float:
    low, high = (
        schema.get("minimum", schema.get("exclusiveMinimum")),
        schema.get("maximum", schema.get("exclusiveMaximum")),
    )
    step = schema.get("multipleOf", 1)
    if low is not None:
        return low if "minimum" in schema and low % step == 0 else (low // step + 1) * step  # type: ignore[no-any-return]
    if high is not None and high < step:
        return high if "maximum" in schema and high % step == 0 else (high // step - (high % step == 0)) * step  # type: ignore[no-any-return]
    return step  # type: ignore[no-any-return]


def _types(schema: dict[str, Any], root: dict[str, Any]) -> set[str]:
    """Return the types that a schema allows."""
    schema = _resolve(schema, root)
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return set[str]().union(*(_types(option, root) for option in options))
    if choices := schema.get("enum") or ([schema["const"]] if "const" in schema else []):
        return {name for name, value in _OTHERS for choice in choices if type(choice) is type(value)}
    kind = schema.get("type")
    if kind is None:
        return {name for name, _ in _OTHERS}
    return {kind, "integer"} if kind == "number" else {kind}


def _resolve(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    if reference := schema.get("$ref"):
        found: dict[str, Any] = root["$defs"][reference.rpartition("/")[2]]
        return found
    return schema
