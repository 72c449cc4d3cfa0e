"""JSON schemas as people send them: checked before use, and compiled so that every check of a value is bounded.

Nothing is fetched, patterns run in linear time, and the steps that a check takes are counted before it runs: the
validator itself cannot be interrupted, and alternatives that refer to each other would take exponential time.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Set
from typing import Any, NamedTuple
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
_MAX_EXPLANATION = 1_200_000
"""Characters, which take about 100 ms."""
_MAX_REASON = 300
_MASK = "the value"
"""Stands for values in messages, which could be long."""

_DATA = frozenset({"const", "enum", "default", "examples"})
"""Keywords that hold any JSON, no schemas."""
_UNSUPPORTED = frozenset({"$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor"})
_SAME_VALUE = ("not", "if", "then", "else")
_COMPARED = ("enum", "const", "required")
_ALTERNATIVES = ("anyOf", "oneOf")
_SAME_VALUE_MAPS = ("dependentSchemas", "dependencies")
_EACH_VALUE = ("additionalProperties", "unevaluatedProperties")
_EACH_ITEM = ("items", "additionalItems", "contains", "unevaluatedItems")
_WITH_PARTS = frozenset({
    *_EACH_VALUE, *_EACH_ITEM, "properties", "patternProperties", "propertyNames", "prefixItems", "pattern",
})  # fmt: skip

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
        validator = _compile(schema)
        if validator.is_valid(value):
            return
        if _explanation_size(schema, value) > _MAX_EXPLANATION:
            raise InvalidValue("", "it does not fit, and is too long to say where")
        validator.validate(value)
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
    unsupported = _UNSUPPORTED | ({"id"} if "draft-04" in str(schema.get("$schema")) else set())
    patterns = 0
    todo: list[tuple[str, int, Any, bool]] = [(at, 1, schema, False)]
    while todo:
        place, depth, node, is_data = todo.pop()
        if depth > MAX_DEPTH:
            raise BadRequest.at(at, "schema.too_deep", limit=MAX_DEPTH)
        if isinstance(node, list):
            todo += [(f"{place}/{number}", depth + 1, item, is_data) for number, item in enumerate(node)]
        if not isinstance(node, dict):
            continue
        if not is_data:
            _check_references(node, place, unsupported if depth == 1 else unsupported | {"$id"})
        # References can make schemas of data, so patterns count everywhere.
        patterns += isinstance(node.get("pattern"), str) + len(_dict(node.get("patternProperties")))
        todo += [(place + pointer([key]), depth + 1, item, is_data or key in _DATA) for key, item in node.items()]
    if patterns > MAX_PATTERNS:
        raise BadRequest.at(at, "schema.too_many_patterns", limit=MAX_PATTERNS)


def _check_references(node: dict[str, Any], place: str, unsupported: Set[str]) -> None:
    for keyword, value in node.items():
        if keyword == "$ref" and isinstance(value, str) and value != "#" and not value.startswith("#/"):
            raise BadRequest.at(f"{place}/$ref", "schema.reference")
        if isinstance(value, str) and keyword in unsupported:
            raise BadRequest.at(place + pointer([keyword]), "schema.keyword")


def _count_steps(schema: dict[str, Any], value: Any, limit: int) -> None:
    """Raise TooComplex if too many schemas, items of enums and characters would be compared in the worst case."""
    deque(_applied(schema, value, limit), maxlen=0)


def _explanation_size(schema: dict[str, Any], value: Any) -> int:
    """Return how much an error would hold: the validator copies the value for every alternative that it does not fit."""
    sizes: dict[int, int] = {}
    total = _measure(value, sizes)
    for plan, subject in _applied(schema, value, MAX_STEPS):
        total += plan.alternatives * sizes.get(id(subject), 0)
    return total


def _measure(value: Any, sizes: dict[int, int]) -> int:
    """Return the size of a value in characters, about, and note the sizes of its parts by their ids."""
    size = 8
    if isinstance(value, str):
        size += len(value)
    elif isinstance(value, list):
        size += sum(_measure(part, sizes) for part in value)
    elif isinstance(value, dict):
        size += sum(len(name) + _measure(part, sizes) for name, part in value.items())
    sizes[id(value)] = size
    return size


def _applied(schema: dict[str, Any], value: Any, limit: int) -> Iterator[tuple["_Plan", Any]]:
    """Yield every schema that may apply to the value or a part of it, with that part; TooComplex after too many steps."""
    steps = 0
    plans: dict[int, _Plan] = {}
    todo: list[tuple[dict[str, Any], Any]] = [(schema, value)]
    while todo:
        rule, subject = todo.pop()
        if (plan := plans.get(id(rule))) is None:
            plan = plans[id(rule)] = _plan(rule, schema)
        steps += plan.steps
        if plan.has_parts and isinstance(subject, str | list | dict):
            steps += plan.steps_of_parts(subject)
        if steps > limit:
            raise TooComplex
        yield plan, subject
        todo += [(other, subject) for other in plan.same]
        if plan.has_parts:
            todo += plan.parts(subject)


class _Plan(NamedTuple):
    """What a schema asks for, worked out once."""

    steps: int
    same: list[dict[str, Any]]
    """Schemas for the same value."""
    alternatives: int
    """How many of them are alternatives."""
    has_parts: bool
    """Whether the steps depend on the value."""
    has_pattern: bool
    patterns: int
    properties: dict[str, Any]
    each_value: list[dict[str, Any]]
    each_name: list[dict[str, Any]]
    each_item: list[dict[str, Any]]
    first_items: list[Any]

    def steps_of_parts(self, value: str | list[Any] | dict[str, Any]) -> int:
        if isinstance(value, str):
            return _STEPS_PER_CHARACTER * len(value) if self.has_pattern else 0
        if isinstance(value, list):
            return len(value) * len(self.each_item)
        names = self.patterns * _STEPS_PER_CHARACTER * sum(map(len, value)) if self.patterns else 0
        return names + len(value) * (len(self.each_value) + len(self.each_name))

    def parts(self, value: Any) -> Iterator[tuple[dict[str, Any], Any]]:
        """Yield the schemas that may apply to the parts of a value, each with the part."""
        if isinstance(value, dict):
            known = self.properties
            yield from ((known[name], part) for name, part in value.items() if name in known)
            yield from ((rule, part) for rule in self.each_value for part in value.values())
            yield from ((rule, name) for rule in self.each_name for name in value)
        elif isinstance(value, list):
            yield from ((rule, part) for rule in self.each_item for part in value)
            yield from ((rule, part) for rule, part in zip(self.first_items, value, strict=False) if rule)


def _plan(rule: dict[str, Any], root: dict[str, Any]) -> _Plan:
    options = _schemas(option for key in _ALTERNATIVES for option in _list(rule.get(key)))
    dependent = [other for key in _SAME_VALUE_MAPS for other in _dict(rule.get(key)).values()]
    referred = [resolve(root, rule["$ref"])] if isinstance(rule.get("$ref"), str) else []
    same = _schemas([*(rule.get(key) for key in _SAME_VALUE), *_list(rule.get("allOf")), *dependent, *referred])
    by_pattern = _dict(rule.get("patternProperties"))
    return _Plan(
        steps=1 + len(rule) + sum(_steps(rule.get(key)) for key in _COMPARED),
        same=[*same, *options],
        alternatives=len(options),
        has_parts=not rule.keys().isdisjoint(_WITH_PARTS),
        has_pattern="pattern" in rule,
        patterns=len(by_pattern),
        properties={name: other for name, other in _dict(rule.get("properties")).items() if isinstance(other, dict)},
        each_value=_schemas([*(rule.get(key) for key in _EACH_VALUE), *by_pattern.values()]),
        each_name=_schemas([rule.get("propertyNames")]),
        each_item=_schemas(rule.get(key) for key in _EACH_ITEM),
        first_items=[item if isinstance(item, dict) else None for item in _first_items(rule)],
    )


def _first_items(rule: dict[str, Any]) -> list[Any]:
    return _list(rule.get("prefixItems")) or _list(rule.get("items"))


def _steps(items: Any) -> int:
    """Return the steps to compare a value with each item."""
    return sum(5 if isinstance(item, list | dict) else 1 for item in _list(items))


def _schemas(candidates: Iterable[Any]) -> list[dict[str, Any]]:
    return [candidate for candidate in candidates if isinstance(candidate, dict)]


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
