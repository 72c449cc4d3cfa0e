"""Whether the steps of a spec mean something: their tools exist, and what they read is there and fits."""

from collections.abc import Iterator
from typing import Any

import msgspec

from teamspace.workflows.domain.language import readings
from teamspace.workflows.domain.language.arguments import Comparison
from teamspace.workflows.domain.language.drafts import step_place
from teamspace.workflows.domain.language.faults import Place, SpecFault
from teamspace.workflows.domain.language.globs import MAX_GLOB
from teamspace.workflows.domain.language.json_types import listed
from teamspace.workflows.domain.language.readings import Reader
from teamspace.workflows.domain.language.references import reference_in
from teamspace.workflows.domain.language.specs import CallStep, ChoiceStep, MapStep, SpecStep

_TEXT = frozenset({"string"})
_LIST = frozenset({"array"})
_NUMBER = frozenset({"integer", "number"})
_OPERANDS: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "in": (frozenset(), _LIST),
    "contains": (_TEXT | _LIST | {"object"}, frozenset()),
    "greater_than": (_TEXT | _NUMBER, _TEXT | _NUMBER),
    "matches": (_TEXT, _TEXT),
}
"""The types that each operand can have; empty for any."""


def check(step: SpecStep, position: int, reader: Reader) -> Iterator[SpecFault]:
    """Yield what is wrong with a step of the right form."""
    place = step_place(position)
    match step:
        case CallStep():
            yield from _check_call(step, place, reader)
        case MapStep():
            yield from readings.check(reader, step.over, place / "over")
            yield from _check_over(step, place / "over", reader)
            within = msgspec.structs.replace(reader, item=readings.item_shape(reader, step))
            yield from _check_call(step, place, within)
        case ChoiceStep():
            yield from _check_choice(step, place / "when", reader)


def _check_call(step: CallStep | MapStep, place: Place, reader: Reader) -> Iterator[SpecFault]:
    yield from readings.check(reader, step.arguments, place / "with")
    tool = reader.find_tool(step.tool)
    if tool is None:
        yield SpecFault.at(place / "tool", "workflows.spec_no_tool")
        return
    comparison = Comparison(reader.budget, lambda binding: readings.shape_of(reader, binding))
    yield from comparison.check_call(step.tool, tool.arguments, step.arguments, place / "with")


def _check_over(step: MapStep, place: Place, reader: Reader) -> Iterator[SpecFault]:
    reference = reference_in(step.over)
    if reference is None:
        return
    if reference.source == "results" and reference.path:
        yield SpecFault.at(place / "$ref", "workflows.spec_over_part")
    elif "array" not in (types := readings.shape_of(reader, step.over).types):
        yield SpecFault.at(place / "$ref", "workflows.spec_over_type", got=listed(types))


def _check_choice(step: ChoiceStep, place: Place, reader: Reader) -> Iterator[SpecFault]:
    ((name, operands),) = step.when.items()
    yield from readings.check(reader, operands, place / name)
    if name not in _OPERANDS:
        return
    shapes = [readings.shape_of(reader, operand) for operand in operands]
    for side, (taken, shape) in enumerate(zip(_OPERANDS[name], shapes, strict=True)):
        if taken and not taken & shape.types:
            yield SpecFault.at(
                place / name / side, "workflows.spec_type", expected=listed(taken), got=listed(shape.types)
            )
    left, right = (shape.types for shape in shapes)
    if name == "greater_than" and not ((left & _NUMBER and right & _NUMBER) or (left & right & _TEXT)):
        yield SpecFault.at(place / name, "workflows.spec_not_comparable")
    if name == "matches" and _is_long(operands[1]):
        yield SpecFault.at(place / name / 1, "workflows.spec_too_long", limit=MAX_GLOB)


def _is_long(glob: Any) -> bool:
    return isinstance(glob, str) and len(glob) > MAX_GLOB
