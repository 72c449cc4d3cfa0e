"""What the references of a step read: whether it is there by then, and what is known of it."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from teamspace.workflows.domain.language import references, value_shapes
from teamspace.workflows.domain.language.arguments import ComparisonBudget
from teamspace.workflows.domain.language.drafts import Draft
from teamspace.workflows.domain.language.faults import Place, SpecFault
from teamspace.workflows.domain.language.flow import Flow
from teamspace.workflows.domain.language.json_types import listed
from teamspace.workflows.domain.language.references import Reference
from teamspace.workflows.domain.language.specs import CallStep, ChoiceStep, MapStep, ToolShape
from teamspace.workflows.domain.language.value_shapes import ANY, ValueShape

FindTool = Callable[[str], ToolShape | None]


class Reader(msgspec.Struct, frozen=True):
    """A step, as the place from which references are read."""

    draft: Draft
    flow: Flow | None
    """None if the spec has faults that hide the ways through it."""
    find_tool: FindTool
    budget: ComparisonBudget
    step_id: str
    item: ValueShape | None = None
    """What is known of the item; None outside of a map's arguments."""


def check(reader: Reader, binding: Any, place: Place) -> Iterator[SpecFault]:
    """Yield what is wrong with the references in a binding."""
    if isinstance(binding, list):
        for position, each in enumerate(binding):
            yield from check(reader, each, place / position)
    elif isinstance(binding, dict) and "$lit" not in binding:
        if reference := references.reference_in(binding):
            yield from _check_reference(reader, reference, place / "$ref")
        else:
            for name, each in binding.items():
                yield from check(reader, each, place / name)


def shape_of(reader: Reader, binding: Any) -> ValueShape:
    """Return what is known of a binding; everything is possible where a reference has a fault."""
    if reference := references.reference_in(binding):
        shape: ValueShape | None = _source(reader, reference)
        for part in reference.path:
            shape = shape.part(part) if shape else None
        return shape or ANY
    if isinstance(binding, dict) and "$lit" in binding:
        return value_shapes.of_value(binding["$lit"])
    return value_shapes.of_value(binding)


def item_shape(reader: Reader, step: MapStep) -> ValueShape:
    """Return what is known of the items of a map."""
    if isinstance(step.over, list):
        return value_shapes.any_of([shape_of(reader, each) for each in step.over])
    return shape_of(reader, step.over).items or ANY


def _check_reference(reader: Reader, reference: Reference, place: Place) -> Iterator[SpecFault]:
    if fault := _fault_of_source(reader, reference, place):
        yield fault
        return
    shape = _source(reader, reference)
    for part in reference.path:
        inner = shape.part(part)
        if inner is None:
            yield SpecFault.at(place, "workflows.spec_no_part", part=part, types=_described(shape))
            return
        shape = inner


def _fault_of_source(reader: Reader, reference: Reference, place: Place) -> SpecFault | None:
    match reference.source:
        case "input":
            if reader.draft.inputs is not None and reference.name not in reader.draft.inputs:
                return SpecFault.at(place, "workflows.spec_no_input", input=reference.name)
        case "item" | "index":
            if reader.item is None:
                return SpecFault.at(place, "workflows.spec_item_outside", reference=reference.source)
        case "result" | "results":
            return _fault_of_step(reader, reference, place)
    return None


def _fault_of_step(reader: Reader, reference: Reference, place: Place) -> SpecFault | None:
    name, draft = reference.name, reader.draft
    if name not in draft.positions:
        return SpecFault.at(place, "workflows.spec_reads_no_step", step=name) if draft.names_all_steps else None
    step = draft.find(name)
    if isinstance(step, ChoiceStep):
        return SpecFault.at(place, "workflows.spec_reads_choice", step=name)
    if isinstance(step, MapStep) and reference.source == "result":
        return SpecFault.at(place, "workflows.spec_result_of_map", step=name)
    if isinstance(step, CallStep) and reference.source == "results":
        return SpecFault.at(place, "workflows.spec_results_of_call", step=name)
    if name == reader.step_id:
        return SpecFault.at(place, "workflows.spec_reads_itself")
    if reader.flow and not reader.flow.has_run(name, reader.step_id):
        return SpecFault.at(place, "workflows.spec_not_run", step=name)
    return None


def _source(reader: Reader, reference: Reference) -> ValueShape:
    match reference.source:
        case "input":
            declared = reader.draft.inputs or {}
            return value_shapes.of_input(declared[reference.name]) if reference.name in declared else ANY
        case "item":
            return reader.item or ANY
        case "index":
            return value_shapes.WHOLE_NUMBER
        case "result":
            step = reader.draft.find(reference.name)
            return value_shapes.of_result(_returns(reader, step)) if isinstance(step, CallStep) else ANY
        case "results":
            step = reader.draft.find(reference.name)
            return value_shapes.of_results(_returns(reader, step)) if isinstance(step, MapStep) else ANY
    return value_shapes.TEXT


def _returns(reader: Reader, step: CallStep | MapStep) -> frozenset[str] | None:
    tool = reader.find_tool(step.tool)
    return tool.returns if tool else None


def _described(shape: ValueShape) -> str:
    fields = f" with {', '.join(shape.fields)}" if shape.fields else ""
    return listed(shape.types) + fields
