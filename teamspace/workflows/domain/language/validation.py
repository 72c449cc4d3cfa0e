"""Proves that a spec can run, or names every place where it cannot.

The cost is linear in the size of the spec, whatever it contains.
"""

import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec

from teamspace.core.errors import BadRequest
from teamspace.workflows.domain.language import drafts, flow, meaning
from teamspace.workflows.domain.language.arguments import ComparisonBudget
from teamspace.workflows.domain.language.bindings import MAX_DEPTH
from teamspace.workflows.domain.language.faults import ROOT, Place, SpecFault, refuse
from teamspace.workflows.domain.language.json_types import accepts, type_of
from teamspace.workflows.domain.language.readings import FindTool, Reader
from teamspace.workflows.domain.language.specs import WorkflowSpec

MAX_BYTES = 128 * 1024
"""Of a spec as JSON."""


def validate(raw: Any, find_tool: FindTool) -> WorkflowSpec:
    """Return the spec; raise InvalidSpec with every fault and its place. A spec over 32 KB belongs in a thread."""
    refuse(_check_size(raw))
    refuse(_check(raw, find_tool))
    return drafts.complete(raw)


def check_input(spec: WorkflowSpec, input: Mapping[str, Any]) -> None:
    """Raise BadRequest, naming the input, if one is missing, unknown or has another type than declared."""
    for name in input:
        if name not in spec.inputs:
            raise BadRequest.at((ROOT / "input" / name).pointer, "workflows.spec_input_unknown")
    for name, declared in spec.inputs.items():
        place = (ROOT / "input" / name).pointer
        if name not in input:
            raise BadRequest.at(place, "workflows.spec_input_missing", type=declared.type)
        if (got := type_of(input[name])) not in accepts(declared.type):
            raise BadRequest.at(place, "workflows.spec_input_type", expected=declared.type, got=got)


def _check(raw: Any, find_tool: FindTool) -> Iterator[SpecFault]:
    if not isinstance(raw, dict):
        yield SpecFault.at(ROOT, "workflows.spec_type", expected="object", got=type_of(raw))
        return
    draft, form = drafts.read(raw)
    form += drafts.check_names(draft)
    yield from form
    ways = None
    if not form:
        spec = drafts.complete(raw)
        ways = flow.explore(spec)
        yield from flow.check_reached(spec, ways)
    find, budget = cache(find_tool), ComparisonBudget()
    for position, step in draft.steps.items():
        yield from meaning.check(step, position, Reader(draft, ways, find, budget, step.id))


def _check_size(raw: Any) -> Iterator[SpecFault]:
    """Yield what keeps a value from being a spec at all: it is too large, too deep or no JSON."""
    todo: list[tuple[Any, Place, int]] = [(raw, ROOT, 0)]
    while todo:
        value, place, depth = todo.pop()
        if isinstance(value, dict | list):
            if depth == MAX_DEPTH:
                yield SpecFault.at(place, "workflows.spec_too_deep", limit=MAX_DEPTH)
                return
            parts = value.items() if isinstance(value, dict) else enumerate(value)
            todo += [(each, place / part, depth + 1) for part, each in parts]
        if not _is_json(value):
            yield SpecFault.at(place, "workflows.spec_not_json")
            return
    try:
        size = len(msgspec.json.encode(raw))
    except UnicodeEncodeError:
        yield SpecFault.at(ROOT, "workflows.spec_not_json")
        return
    if size > MAX_BYTES:
        yield SpecFault.at(ROOT, "workflows.spec_too_large", size=size, limit=MAX_BYTES)


def _is_json(value: Any) -> bool:
    if isinstance(value, dict):
        return all(isinstance(name, str) for name in value)
    return (
        value is None or isinstance(value, str | list | int) or (isinstance(value, float) and math.isfinite(value))
    )  # a boolean is an int
