"""Whether a spec has the form of format 1, as its JSON schema says, but with a fault for each place."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from teamspace.workflows.domain.language import predicates, references
from teamspace.workflows.domain.language.faults import ROOT, Place, SpecFault
from teamspace.workflows.domain.language.json_types import expect, type_of

MAX_STEPS = 1000
MAX_SPEC_STEPS = 100
MAX_RETRY = 10
MAX_VERSION = 2**53 - 1
MAX_TITLE, MAX_DESCRIPTION = 200, 2000
INPUT_TYPES = ("string", "number", "integer", "boolean", "object", "array")
STEP_KINDS = ("tool", "map", "choice")
PREDICATES = (*predicates.ONE_OPERAND, *predicates.TWO_OPERANDS)

Faults = Iterator[SpecFault]
Check = Callable[[Any, Place], Faults]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_TOOL = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


def check(raw: Any) -> Faults:
    """Yield what is wrong with the spec outside of its steps, and with the number of steps."""
    if (faults := list(expect(raw, ROOT, "object"))) or not isinstance(raw, dict):
        yield from faults
        return
    yield from _fields(raw, ROOT, _SPEC, ("slug", "start", "max_steps", "steps"))


def check_step(raw: Any, place: Place) -> Faults:
    """Yield what is wrong with one step."""
    if not isinstance(raw, dict):
        yield from expect(raw, place, "object")
        return
    kind = raw.get("kind")
    if "kind" not in raw:
        yield SpecFault.at(place, "workflows.spec_missing", field="kind")
    elif not isinstance(kind, str) or kind not in _STEPS:
        yield SpecFault.at(place / "kind", "workflows.spec_one_of", choices=", ".join(STEP_KINDS))
    else:
        checks, required = _STEPS[kind]
        yield from _fields(raw, place, checks, required)


def _fields(raw: dict[str, Any], place: Place, checks: Mapping[str, Check], required: tuple[str, ...]) -> Faults:
    for field in required:
        if field not in raw:
            yield SpecFault.at(place, "workflows.spec_missing", field=field)
    for field, value in raw.items():
        if field in checks:
            yield from checks[field](value, place / field)
        else:
            yield SpecFault.at(place / field, "workflows.spec_unknown_field")


# Values


def _any(value: Any, place: Place) -> Faults:
    yield from ()


def _boolean(value: Any, place: Place) -> Faults:
    yield from expect(value, place, "boolean")


def _format(value: Any, place: Place) -> Faults:
    if type_of(value) != "integer" or value != 1:
        yield SpecFault.at(place, "workflows.spec_format")


def _number(least: int, most: int) -> Check:
    def check(value: Any, place: Place) -> Faults:
        if type_of(value) != "integer":
            yield from expect(value, place, "integer")
        elif not least <= value <= most:
            yield SpecFault.at(place, "workflows.spec_range", least=least, most=most)

    return check


def _text(limit: int | None) -> Check:
    def check(value: Any, place: Place) -> Faults:
        yield from expect(value, place, "string")
        if limit and isinstance(value, str) and len(value) > limit:
            yield SpecFault.at(place, "workflows.spec_too_long", limit=limit)

    return check


def _name(value: Any, place: Place) -> Faults:
    yield from expect(value, place, "string")
    if isinstance(value, str) and not _NAME.fullmatch(value):
        yield SpecFault.at(place, "workflows.spec_name", limit=63)


def _tool(value: Any, place: Place) -> Faults:
    yield from expect(value, place, "string")
    if isinstance(value, str) and not _TOOL.fullmatch(value):
        yield SpecFault.at(place, "workflows.spec_name", limit=64)


def _slug(value: Any, place: Place) -> Faults:
    yield from expect(value, place, "string")
    if isinstance(value, str) and not _SLUG.fullmatch(value):
        yield SpecFault.at(place, "workflows.spec_slug", limit=63)


# Parts of a spec


def _steps(value: Any, place: Place) -> Faults:
    yield from expect(value, place, "array")
    if isinstance(value, list) and not 1 <= len(value) <= MAX_SPEC_STEPS:
        yield SpecFault.at(place, "workflows.spec_number_of_steps", limit=MAX_SPEC_STEPS, count=len(value))


def _inputs(value: Any, place: Place) -> Faults:
    yield from expect(value, place, "object")
    if not isinstance(value, dict):
        return
    for name, declared in value.items():
        yield from _name(name, place / name)
        yield from expect(declared, place / name, "object")
        if isinstance(declared, dict):
            yield from _fields(declared, place / name, {"type": _input_type, "description": _text(None)}, ("type",))


def _input_type(value: Any, place: Place) -> Faults:
    if value not in INPUT_TYPES:
        yield SpecFault.at(place, "workflows.spec_one_of", choices=", ".join(INPUT_TYPES))


def _arguments(value: Any, place: Place) -> Faults:
    yield from expect(value, place, "object")
    if isinstance(value, dict):
        yield from _object(value, place)


def _over(value: Any, place: Place) -> Faults:
    if isinstance(value, list) or (isinstance(value, dict) and "$ref" in value):
        yield from _binding(value, place)
    else:
        yield SpecFault.at(place, "workflows.spec_over")


def _binding(value: Any, place: Place) -> Faults:
    if isinstance(value, list):
        for position, each in enumerate(value):
            yield from _binding(each, place / position)
    elif isinstance(value, dict):
        special = "$ref" if "$ref" in value else "$lit" if "$lit" in value else None
        yield from _object(value, place) if special is None else _special(value, special, place)


def _object(value: dict[str, Any], place: Place) -> Faults:
    for name, each in value.items():
        if not name or name.startswith("$"):
            yield SpecFault.at(place / name, "workflows.spec_field_name")
        else:
            yield from _binding(each, place / name)


def _special(value: dict[str, Any], field: str, place: Place) -> Faults:
    for other in value:
        if other != field:
            yield SpecFault.at(place / other, "workflows.spec_not_alone", field=field)
    if field == "$ref":
        text = value[field]
        if not isinstance(text, str):
            yield from expect(text, place / field, "string")
        elif references.parse(text) is None:
            yield SpecFault.at(place / field, "workflows.spec_reference")


def _predicate(value: Any, place: Place) -> Faults:
    yield from expect(value, place, "object")
    if not isinstance(value, dict):
        return
    if len(value) != 1:
        yield SpecFault.at(place, "workflows.spec_predicate", choices=", ".join(PREDICATES))
    for name, operands in value.items():
        if name not in PREDICATES:
            yield SpecFault.at(place / name, "workflows.spec_one_of", choices=", ".join(PREDICATES))
        elif name in predicates.TWO_OPERANDS and not (isinstance(operands, list) and len(operands) == 2):
            yield SpecFault.at(place / name, "workflows.spec_pair")
        else:
            yield from _binding(operands, place / name)


_SPEC: dict[str, Check] = {
    "format": _format,
    "slug": _slug,
    "version": _number(1, MAX_VERSION),
    "title": _text(MAX_TITLE),
    "description": _text(MAX_DESCRIPTION),
    "inputs": _inputs,
    "start": _name,
    "max_steps": _number(1, MAX_STEPS),
    "steps": _steps,
}
_COMMON: dict[str, Check] = {"id": _name, "kind": _any, "retry": _number(0, MAX_RETRY)}
_CALL: dict[str, Check] = {**_COMMON, "tool": _tool, "with": _arguments, "end": _boolean}
_STEPS: dict[str, tuple[dict[str, Check], tuple[str, ...]]] = {
    "tool": (_CALL, ("id", "tool")),
    "map": ({**_CALL, "over": _over}, ("id", "over", "tool")),
    "choice": ({**_COMMON, "when": _predicate, "then": _name, "else": _name}, ("id", "when", "then", "else")),
}
