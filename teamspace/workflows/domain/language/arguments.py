"""Whether what a step passes to its tool fits the JSON schema of the tool's arguments.

Checked are types, listed values, limits, fields and items, and alternatives of these; the call checks all of it again,
with the values of the run. Where a reference stands, only what is known of it is compared.
"""

from collections.abc import Callable, Iterator
from typing import Any

from teamspace.workflows.domain.language import limits
from teamspace.workflows.domain.language.faults import Place, SpecFault
from teamspace.workflows.domain.language.json_types import ALL_TYPES, accepts, listed, type_of
from teamspace.workflows.domain.language.predicates import are_equal
from teamspace.workflows.domain.language.references import reference_in
from teamspace.workflows.domain.language.value_shapes import ValueShape

MAX_COMPARISONS = 50_000
"""Of one spec; what comes later is left to the call. A tool of another program can have thousands of alternatives."""

_ALTERNATIVES = ("anyOf", "oneOf")
_MAX_CHOICES = 20

Faults = Iterator[SpecFault]


class ComparisonBudget:
    """Counts the comparisons of one spec, and remembers which types its schemas take."""

    def __init__(self) -> None:
        self._left = MAX_COMPARISONS
        self._types = dict[int, frozenset[str]]()
        self._schemas = list[Any]()

    def spend(self, comparisons: int = 1) -> bool:
        """Return whether so many comparisons may still be made."""
        self._left -= comparisons
        return self._left >= 0

    def types_of(self, schema: Any) -> frozenset[str]:
        """Return the types of the values that a schema takes."""
        if not isinstance(schema, dict):
            return ALL_TYPES
        if id(schema) not in self._types:
            self._schemas.append(schema)  # no other object gets its id
            self._types[id(schema)] = self._find_types(schema)
        return self._types[id(schema)]

    def _find_types(self, schema: dict[str, Any]) -> frozenset[str]:
        types = ALL_TYPES
        names = schema.get("type")
        if isinstance(names, str | list):
            types = _union(accepts(str(name)) for name in ([names] if isinstance(names, str) else names))
        if (choices := _choices(schema)) is not None:
            types &= _union(accepts(type_of(each)) for each in choices)
        for forms in _forms(schema):
            types &= _union(self.types_of(form) for form in forms)
        return types


class Comparison:
    """Compares the arguments of one call with the tool's schema."""

    def __init__(self, budget: ComparisonBudget, shape_of: Callable[[Any], ValueShape]) -> None:
        self._budget, self._shape_of = budget, shape_of

    def check_call(self, tool: str, schema: dict[str, Any], arguments: dict[str, Any], place: Place) -> Faults:
        """Yield the arguments that are missing, unknown or do not fit."""
        known = _object(schema.get("properties"))
        for name in _list(schema.get("required")):
            if name not in arguments:
                yield SpecFault.at(place, "workflows.spec_argument_missing", name=str(name), tool=tool)
        is_open = bool(schema.get("additionalProperties")) or "patternProperties" in schema
        for name, binding in arguments.items():
            if name in known:
                yield from self._check(binding, known[name], place / name)
            elif not is_open:
                yield SpecFault.at(place / name, "workflows.spec_argument_unknown", tool=tool)

    def _check(self, binding: Any, schema: Any, place: Place, is_literal: bool = False) -> Faults:
        if not isinstance(schema, dict) or not self._budget.spend():
            return
        if not is_literal and reference_in(binding):
            yield from self._check_types(self._shape_of(binding).types, schema, place / "$ref")
        elif not is_literal and isinstance(binding, dict) and "$lit" in binding:
            yield from self._check(binding["$lit"], schema, place / "$lit", is_literal=True)
        else:
            yield from self._check_value(binding, schema, place, is_literal)

    def _check_value(self, value: Any, schema: dict[str, Any], place: Place, is_literal: bool) -> Faults:
        faults = list(self._check_types(frozenset({type_of(value)}), schema, place))
        if not faults:
            faults += self._check_listed(value, schema, place)
        if not faults:
            faults += limits.check(value, schema, place)
        yield from faults
        if faults:
            return
        if isinstance(value, list):
            for position, each in enumerate(value):
                yield from self._check(each, schema.get("items"), place / position, is_literal)
        elif isinstance(value, dict):
            yield from self._check_fields(value, schema, place, is_literal)
        for forms in _forms(schema):
            yield from self._check_forms(value, forms, place, is_literal)

    def _check_types(self, types: frozenset[str], schema: dict[str, Any], place: Place) -> Faults:
        taken = self._budget.types_of(schema)
        if taken and not taken & types:
            yield SpecFault.at(place, "workflows.spec_type", expected=listed(taken), got=listed(types))

    def _check_listed(self, value: Any, schema: dict[str, Any], place: Place) -> Faults:
        choices = _choices(schema)
        if choices is None or isinstance(value, list | dict) or not self._budget.spend(len(choices)):
            return
        if not any(are_equal(value, each) for each in choices):
            texts = [str(each) for each in choices[:_MAX_CHOICES]]
            yield SpecFault.at(place, "workflows.spec_one_of", choices=", ".join(texts))

    def _check_fields(self, value: dict[str, Any], schema: dict[str, Any], place: Place, is_literal: bool) -> Faults:
        known, others = _object(schema.get("properties")), schema.get("additionalProperties")
        required = _list(schema.get("required"))
        if not self._budget.spend(len(required) + len(value)):
            return
        for name in required:
            if name not in value:
                yield SpecFault.at(place, "workflows.spec_missing", field=str(name))
        for name, each in value.items():
            if name in known:
                yield from self._check(each, known[name], place / name, is_literal)
            elif others is False and "patternProperties" not in schema:
                yield SpecFault.at(place / name, "workflows.spec_unknown_field")
            else:
                yield from self._check(each, others, place / name, is_literal)

    def _check_forms(self, value: Any, forms: list[Any], place: Place, is_literal: bool) -> Faults:
        """Yield faults if no form fits: those of the only form for this type, or one for all."""
        own = frozenset({type_of(value)})
        similar = [form for form in forms if self._budget.spend() and own & self._budget.types_of(form)]
        if len(similar) == 1:
            yield from self._check(value, similar[0], place, is_literal)
        elif similar and all(self._has_fault(value, form, place, is_literal) for form in similar):
            yield SpecFault.at(place, "workflows.spec_no_form")

    def _has_fault(self, value: Any, schema: Any, place: Place, is_literal: bool) -> bool:
        return next(self._check(value, schema, place, is_literal), None) is not None


def _choices(schema: dict[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    return choices if isinstance(choices := schema.get("enum"), list) else None


def _forms(schema: dict[str, Any]) -> Iterator[list[Any]]:
    for keyword in _ALTERNATIVES:
        if isinstance(forms := schema.get(keyword), list) and forms:
            yield forms


def _union(types: Iterator[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*types)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
