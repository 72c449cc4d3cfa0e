"""JSON types of values: their names, and whether a value has one."""

from collections.abc import Iterator
from typing import Any

from teamspace.workflows.domain.language.faults import Place, SpecFault

ALL_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})


def type_of(value: Any) -> str:
    """Return the JSON type of a value. Only a number without a point is an `integer`, as for the tools of this server."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
    return "object"


def accepts(type_name: str) -> frozenset[str]:
    """Return the types of the values that a type takes: numbers include whole ones."""
    return frozenset({"number", "integer"}) if type_name == "number" else frozenset({type_name})


def expect(value: Any, place: Place, type_name: str) -> Iterator[SpecFault]:
    """Yield a fault if the value has another type."""
    if (got := type_of(value)) not in accepts(type_name):
        yield SpecFault.at(place, "workflows.spec_type", expected=type_name, got=got)


def listed(types: frozenset[str]) -> str:
    """Return types as text."""
    return ", ".join(sorted(types))
