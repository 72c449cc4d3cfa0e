"""JSON types of values: their names, and whether a value has one."""

from collections.abc import Iterator
from typing import Any

from teamspace.workflows.domain.language.faults import Place, SpecFault

ALL_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})


def type_of(value: Any) -> str:
    """Return the JSON type of a value; a whole number is an `integer`, however it is written."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def accepts(type_name: str) -> frozenset[str]:
    """Return the types of the values that a type takes: numbers include whole ones."""
    return frozenset({"number", "integer"}) if type_name == "number" else frozenset({type_name})


def whole_number(value: Any) -> int | None:
    """Return a value as a whole number; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if type_of(value) == "integer" else None


def expect(value: Any, place: Place, type_name: str) -> Iterator[SpecFault]:
    """Yield a fault if the value has another type."""
    if (got := type_of(value)) not in accepts(type_name):
        yield SpecFault.at(place, "workflows.spec_type", expected=type_name, got=got)


def listed(types: frozenset[str]) -> str:
    """Return types as text."""
    return ", ".join(sorted(types))
