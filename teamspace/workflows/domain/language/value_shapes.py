"""What is known of a value before the run: the types it can have, and what its parts are."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from teamspace.workflows.domain.language.json_types import ALL_TYPES, type_of
from teamspace.workflows.domain.language.references import to_position


class ValueShape(msgspec.Struct, frozen=True):
    types: frozenset[str] = ALL_TYPES
    fields: Mapping[str, "ValueShape"] | None = None
    """Of an object; None if they are unknown."""
    items: "ValueShape | None" = None
    """Of a list; None if unknown."""

    def part(self, name: str) -> "ValueShape | None":
        """Return what is known of a part; None if there is never such a part."""
        if "object" in self.types:
            if self.fields is None:
                return ANY
            if name in self.fields:
                return self.fields[name]
        if "array" in self.types and to_position(name) is not None:
            return self.items or ANY
        return None


ANY = ValueShape()
TEXT = ValueShape(frozenset({"string"}))
WHOLE_NUMBER = ValueShape(frozenset({"integer"}))


def of_input(type_name: str) -> ValueShape:
    """An input has its type: `number` is one that need not be whole."""
    return ValueShape(frozenset({type_name}) if type_name in ALL_TYPES else ALL_TYPES)


def of_result(returns: frozenset[str] | None) -> ValueShape:
    return ANY if returns is None else ValueShape(returns)


def of_results(returns: frozenset[str] | None) -> ValueShape:
    """The results of a map: a list of `{index, result}`."""
    item = ValueShape(frozenset({"object"}), {"index": WHOLE_NUMBER, "result": of_result(returns)})
    return ValueShape(frozenset({"array"}), items=item)


def of_value(value: Any) -> ValueShape:
    return ValueShape(frozenset({type_of(value)}))


def any_of(shapes: Iterable[ValueShape]) -> ValueShape:
    """What is known of a value that has one of these shapes; their parts are not compared."""
    types = frozenset[str]().union(*(shape.types for shape in shapes))
    return ValueShape(types or ALL_TYPES)
