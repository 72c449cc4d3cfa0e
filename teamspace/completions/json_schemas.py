"""JSON schemas as people send them: checked before use, and compiled so that every check of a value is bounded.

Nothing is fetched, patterns run in linear time, and the steps that a check takes are counted before it runs: the
validator itself cannot be interrupted, and alternatives that refer to each other would take exponential time.
"""

from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import unquote

import jsonschema_rs
import msgspec
from jsonschema_rs import ValidationError

from teamspace.core.errors import BadRequest

MAX_BYTES = 64 * 1024
MAX_DEPTH = 50
MAX_PATTERNS = 64
MAX_STEPS = 300_000
"""To check a value: less than 100 ms, and a second to count."""
MAX_STEPS_OF_NOTHING = 50_000
"""To check null, which has no parts: what a schema alone can cause."""
_PATTERNS = jsonschema_rs.RegexOptions(size_limit=64 * 1024)
"""The linear engine; patterns with lookarounds and backreferences are not valid."""
_STEPS_PER_CHARACTER = 10
"""Of a text that is matched with a pattern."""
_MAX_REASON = 300
_MASK = "the value"
"""Stands for values in messages, which could be long."""

_DATA = frozenset({"const", "enum", "default", "examples"})
"""Keywords that hold any JSON, no schemas."""
_UNSUPPORTED = frozenset({"$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor"})
_SAME_VALUE = ("not", "if", "then", "else")
_SAME_VALUE_LISTS = ("allOf", "anyOf", "oneOf")
_SAME_VALUE_MAPS = ("dependentSchemas", "dependencies")
_EACH_VALUE = ("additionalProperties", "unevaluatedProperties")
_EACH_ITEM = ("items", "additionalItems", "contains", "unevaluatedItems")

Schema = dict[str, Any] | bool


class TooComplex(Exception):
    """The check would take too long."""


class InvalidValue(Exception):
    """A value does not fit its schema: where (a JSON pointer) and why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path, self.reason = path, reason


def check(schema: dict[str, Any], at: str) -> None:
    """Raise BadRequest, with the place below the pointer `at`, if the schema cannot be used. For a thread."""
    _check_size(schema, at)
    _check_keywords(schema, at)
    try:
        _compile(schema)
        _count_steps(schema, None, MAX_STEPS_OF_NOTHING)
    except ValidationError as fault:
        raise BadRequest.at(at + pointer(fault.instance_path), "schema.invalid", reason=_reason(fault)) from None
    except TooComplex:
        raise BadRequest.at(at, "schema.too_complex") from None


def validate(schema: dict[str, Any], value: Any) -> None:
    """Raise InvalidValue if the value does not fit a schema that was checked before, or cannot be checked. For a thread."""
    try:
        _count_steps(schema, value, MAX_STEPS)
        _compile(schema).validate(value)
    except ValidationError as fault:
        raise InvalidValue(pointer(fault.instance_path), _reason(fault)) from None
    except TooComplex:
        raise InvalidValue("", "checking it would take too long") from None
    except (ValueError, RecursionError):
        raise InvalidValue("", "it is nested too deeply") from None


def pointer(path: Iterable[str | int]) -> str:
    """Return the JSON pointer of a path."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def resolve(schema: Schema, reference: str) -> Schema | None:
    """Return what a local reference (`#`, `#/...`) names; None if there is no such schema."""
    found: Any = schema
    for part in unquote(reference).removeprefix("#").split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        elif isinstance(found, dict) and name in found:
            found = found[name]
        else:
            return None
    return found if isinstance(found, dict | bool) else None


def _compile(schema: dict[str, Any]) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(
        schema, pattern_options=_PATTERNS, offline=True, validate_formats=True, mask=_MASK
    )


def _reason(fault: ValidationError) -> str:
    printable = "".join(character for character in fault.message[:_MAX_REASON] if character.isprintable())
    return printable.rstrip(".")


def _check_size(schema: dict[str, Any], at: str) -> None:
    try:
        size = len(msgspec.json.encode(schema))
    except RecursionError:
        size = MAX_BYTES + 1
    if size > MAX_BYTES:
        raise BadRequest.at(at, "schema.too_large", limit=MAX_BYTES)


def _check_keywords(schema: dict[str, Any], at: str) -> None:
    patterns = 0
    todo: list[tuple[str, int, Any]] = [(at, 1, schema)]
    while todo:
        place, depth, node = todo.pop()
        if depth > MAX_DEPTH:
            raise BadRequest.at(at, "schema.too_deep", limit=MAX_DEPTH)
        if isinstance(node, list):
            todo += [(f"{place}/{number}", depth + 1, item) for number, item in enumerate(node)]
        if not isinstance(node, dict):
            continue
        _check_references(node, place, is_root=depth == 1)
        patterns += isinstance(node.get("pattern"), str) + len(_dict(node.get("patternProperties")))
        todo += [(place + pointer([key]), depth + 1, item) for key, item in node.items() if key not in _DATA]
    if patterns > MAX_PATTERNS:
        raise BadRequest.at(at, "schema.too_many_patterns", limit=MAX_PATTERNS)


def _check_references(node: dict[str, Any], place: str, *, is_root: bool) -> None:
    for keyword, value in node.items():
        if keyword == "$ref" and isinstance(value, str) and value != "#" and not value.startswith("#/"):
            raise BadRequest.at(f"{place}/$ref", "schema.reference")
        if isinstance(value, str) and (keyword in _UNSUPPORTED or (keyword == "$id" and not is_root)):
            raise BadRequest.at(place + pointer([keyword]), "schema.keyword")


def _count_steps(schema: dict[str, Any], value: Any, limit: int) -> None:
    """Raise TooComplex if too many schemas, items of enums and characters would be compared in the worst case."""
    steps = 0
    references: dict[str, Schema | None] = {}
    todo: list[tuple[Any, Any]] = [(schema, value)]
    while todo:
        rule, subject = todo.pop()
        steps += 1
        if isinstance(rule, dict):
            steps += _own_steps(rule, subject)
            todo += _same_value(rule, subject)
            todo += _parts(rule, subject)
            if isinstance(reference := rule.get("$ref"), str):
                if reference not in references:
                    references[reference] = resolve(schema, reference)
                todo.append((references[reference], subject))
        if steps + len(todo) > limit:
            raise TooComplex


def _own_steps(rule: dict[str, Any], value: Any) -> int:
    steps = len(rule) + sum(len(item) for item in rule.values() if isinstance(item, list))
    if isinstance(value, str) and "pattern" in rule:
        steps += _STEPS_PER_CHARACTER * len(value)
    if isinstance(value, dict) and (patterns := len(_dict(rule.get("patternProperties")))):
        steps += patterns * _STEPS_PER_CHARACTER * sum(map(len, value))
    return steps


def _same_value(rule: dict[str, Any], value: Any) -> Iterator[tuple[Any, Any]]:
    yield from ((rule[key], value) for key in _SAME_VALUE if key in rule)
    for key in _SAME_VALUE_LISTS:
        yield from ((item, value) for item in _list(rule.get(key)))
    for key in _SAME_VALUE_MAPS:
        yield from ((item, value) for item in _dict(rule.get(key)).values())


def _parts(rule: dict[str, Any], value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the schemas that may apply to the parts of a value, each with the part."""
    if isinstance(value, dict):
        known = _dict(rule.get("properties"))
        yield from ((known[name], part) for name, part in value.items() if name in known)
        each = [rule[key] for key in _EACH_VALUE if key in rule] + list(_dict(rule.get("patternProperties")).values())
        yield from ((item, part) for item in each for part in value.values())
        if "propertyNames" in rule:
            yield from ((rule["propertyNames"], name) for name in value)
    elif isinstance(value, list):
        each = [rule[key] for key in _EACH_ITEM if isinstance(rule.get(key), dict)]
        yield from ((item, part) for item in each for part in value)
        first = _list(rule.get("prefixItems")) or _list(rule.get("items"))
        yield from zip(first, value, strict=False)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
