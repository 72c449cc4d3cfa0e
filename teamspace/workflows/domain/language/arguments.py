"""Whether what a step passes to its tool fits the JSON schema of the tool's arguments.

Checked are types, listed values, fields and items, and alternatives of these; the call checks the rest again with the
values of the run. Where a reference stands, only what is known of it is compared.
"""

from collections.abc import Callable, Iterator
from typing import Any

from teamspace.workflows.domain.language.faults import Place, SpecFault
from teamspace.workflows.domain.language.json_types import ALL_TYPES, accepts, listed, type_of
from teamspace.workflows.domain.language.predicates import are_equal
from teamspace.workflows.domain.language.references import reference_in
from teamspace.workflows.domain.language.value_shapes import ValueShape

MAX_COMPARISONS = 200_000
"""Of one spec; what comes later is left to the call. A tool of another program can have thousands of alternatives."""

_ALTERNATIVES = ("anyOf", "oneOf")
_MAX_CHOICES = 20


class Comparison:
    """Compares bindings with schemas; one for each spec, since it counts."""

    def __init__(self, shape_of: Callable[[Any], ValueShape]) -> None:
        self.shape_of = shape_of
        self._left = MAX_COMPARISONS
        self._accepted = dict[int, frozenset[str]]()
        self._schemas = list[Any]()

    def check_call(
        self, tool: str, schema: dict[str, Any], arguments: dict[str, Any], place: Place
    ) -> Iterator[SpecFault]:
        """Yield the arguments that are missing, unknown or do not fit."""
        known = _object(schema.get("properties"))
        for name in schema.get("required", ()):
            if name not in arguments:
                yield SpecFault.at(place, "workflows.spec_argument_missing", name=name, tool=tool)
        is_open = bool(schema.get("additionalProperties")) or "patternProperties" in schema
        for name, binding in arguments.items():
            if name in known:
                yield from self._check(binding, known[name], place / name)
            elif not is_open:
                yield SpecFault.at(place / name, "workflows.spec_argument_unknown", tool=tool)

    def _check(self, binding: Any, schema: Any, place: Place, is_literal: bool = False) -> Iterator[SpecFault]:
        self._left -= 1
        if not isinstance(schema, dict) or self._left < 0:
            return
        if not is_literal and reference_in(binding):
            yield from self._check_types(self.shape_of(binding).types, schema, place)
        elif not is_literal and isinstance(binding, dict) and "$lit" in binding:
            yield from self._check(binding["$lit"], schema, place / "$lit", is_literal=True)
        else:
            yield from self._check_value(binding, schema, place, is_literal)

    def _check_value(self, value: Any, schema: dict[str, Any], place: Place, is_literal: bool) -> Iterator[SpecFault]:
        faults = list(self._check_types(frozenset({type_of(value)}), schema, place))
        if not faults:
            faults += self._check_listed(value, schema, place)
        yield from faults
        if faults:
            return
        if isinstance(value, list):
            yield from self._check_items(value, schema, place, is_literal)
        elif isinstance(value, dict):
            yield from self._check_fields(value, schema, place, is_literal)
        for keyword in _ALTERNATIVES:
            if isinstance(forms := schema.get(keyword), list):
                yield from self._check_forms(value, forms, place, is_literal)

    def _check_types(self, types: frozenset[str], schema: dict[str, Any], place: Place) -> Iterator[SpecFault]:
        taken = self._types(schema)
        if taken and not taken & types:
            yield SpecFault.at(place, "workflows.spec_type", expected=listed(taken), got=listed(types))

    def _check_listed(self, value: Any, schema: dict[str, Any], place: Place) -> Iterator[SpecFault]:
        choices = _choices(schema)
        if choices is None or isinstance(value, list | dict):
            return
        self._left -= len(choices)
        if self._left >= 0 and not any(are_equal(value, each) for each in choices):
            texts = [str(each) for each in choices[:_MAX_CHOICES]]
            yield SpecFault.at(place, "workflows.spec_one_of", choices=", ".join(texts))

    def _check_items(
        self, values: list[Any], schema: dict[str, Any], place: Place, is_literal: bool
    ) -> Iterator[SpecFault]:
        for position, each in enumerate(values):
            yield from self._check(each, schema.get("items"), place / position, is_literal)

    def _check_fields(
        self, value: dict[str, Any], schema: dict[str, Any], place: Place, is_literal: bool
    ) -> Iterator[SpecFault]:
        known, others = _object(schema.get("properties")), schema.get("additionalProperties")
        for name in _list(schema.get("required")):
            if name not in value:
                yield SpecFault.at(place, "workflows.spec_missing", field=str(name))
        for name, each in value.items():
            if name in known:
                yield from self._check(each, known[name], place / name, is_literal)
            elif others is False and "patternProperties" not in schema:
                yield SpecFault.at(place / name, "workflows.spec_unknown_field")
            else:
                yield from self._check(each, others, place / name, is_literal)

    def _check_forms(self, value: Any, forms: list[Any], place: Place, is_literal: bool) -> Iterator[SpecFault]:
        """Yield faults if no form fits: those of the only form with this type, or one for all."""
        similar = list[list[SpecFault]]()
        own = frozenset({type_of(value)})
        for form in forms:
            if isinstance(form, dict) and not own & self._types(form):
                continue
            faults = list(self._check(value, form, place, is_literal))
            if not faults:
                return
            similar.append(faults)
        if len(similar) == 1:
            yield from similar[0]
        else:
            yield SpecFault.at(place, "workflows.spec_no_form")

    def _types(self, schema: Any) -> frozenset[str]:
        """Return the types of the values that a schema takes."""
        if not isinstance(schema, dict):
            return ALL_TYPES
        if id(schema) not in self._accepted:
            self._schemas.append(schema)  # keeps the id taken
            self._accepted[id(schema)] = self._find_types(schema)
        return self._accepted[id(schema)]

    def _find_types(self, schema: dict[str, Any]) -> frozenset[str]:
        taken = ALL_TYPES
        names = schema.get("type")
        if isinstance(names, str | list):
            listed_names = [names] if isinstance(names, str) else [str(name) for name in names]
            taken = frozenset[str]().union(*(accepts(name) for name in listed_names))
        if (choices := _choices(schema)) is not None:
            taken &= frozenset[str]().union(*(accepts(type_of(each)) for each in choices))
        for keyword in _ALTERNATIVES:
            if isinstance(forms := schema.get(keyword), list):
                taken &= frozenset[str]().union(*(self._types(form) for form in forms))
        return taken


def _choices(schema: dict[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    return choices if isinstance(choices := schema.get("enum"), list) else None


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
