"""What follows a step. Only numbers are needed: how many jobs were used, and how many items each map has."""

from collections.abc import Mapping
from typing import Any

import msgspec

from teamspace.core.messages import Key, Param
from teamspace.workflows.domain.language.references import Reference, follow, reference_in
from teamspace.workflows.domain.language.specs import ChoiceStep, MapStep, WorkflowSpec


class Begin(msgspec.Struct, frozen=True):
    """A step starts with so many jobs."""

    step_id: str
    jobs: int
    passed: tuple[str, ...] = ()
    """Maps without items, which completed on the way, in order."""


class Finish(msgspec.Struct, frozen=True):
    """The run has succeeded."""

    passed: tuple[str, ...] = ()


class Fail(msgspec.Struct, frozen=True):
    """The run fails before a step starts."""

    step_id: str
    code: str
    key: Key
    params: dict[str, Param]
    passed: tuple[str, ...] = ()


Following = Begin | Finish | Fail

NOT_A_LIST: Key = "workflows.not_a_list"
MAX_STEPS_EXCEEDED: Key = "workflows.max_steps_exceeded"


def begin(spec: WorkflowSpec, step_id: str | None, used: int, counts: Mapping[str, int]) -> Following:
    """Return what happens when a run comes to a step, or with None to its end. Maps without items are passed."""
    passed = tuple[str, ...]()
    while step_id is not None:
        jobs = jobs_of(spec, step_id, counts)
        if jobs is None:
            return Fail(step_id, "not_a_list", NOT_A_LIST, {"step": step_id}, passed)
        if used + jobs > spec.max_steps:
            params: dict[str, Param] = {"step": step_id, "needed": used + jobs, "limit": spec.max_steps}
            return Fail(step_id, "max_steps_exceeded", MAX_STEPS_EXCEEDED, params, passed)
        if jobs:
            return Begin(step_id, jobs, passed)
        passed = (*passed, step_id)
        step_id = spec.next_of(step_id)
    return Finish(passed)


def advance(
    spec: WorkflowSpec, step_id: str, used: int, counts: Mapping[str, int], branch: bool | None = None
) -> Following:
    """Return what follows a step that succeeded; `branch` is what the predicate of a choice was, None for others."""
    step = spec.step(step_id)
    if not isinstance(step, ChoiceStep):
        return begin(spec, spec.next_of(step_id), used, counts)
    if branch is None:
        raise ValueError(f"{step_id} is a choice: what follows depends on its predicate")
    return begin(spec, step.then if branch else step.otherwise, used, counts)


def jobs_of(spec: WorkflowSpec, step_id: str, counts: Mapping[str, int]) -> int | None:
    """Return how many jobs a step takes; None if it is a map over something that is no list."""
    step = spec.step(step_id)
    while isinstance(step, MapStep) and step.id not in counts:
        if isinstance(step.over, list):
            return len(step.over)
        reference = reference_in(step.over)
        if reference is None or reference.source != "results" or reference.path:
            return None
        step = spec.step(reference.name)  # as many as that map had
    return counts[step.id] if isinstance(step, MapStep) else 1


def measure(spec: WorkflowSpec, step_id: str, value: Any) -> dict[str, int]:
    """Return the number of items of each map that goes over a list in this step's result."""
    return _measure(spec, "result", {step_id: value})


def measure_input(spec: WorkflowSpec, input: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of items of each map that goes over a list in the run's input."""
    return _measure(spec, "input", input)


def _measure(spec: WorkflowSpec, source: str, values: Mapping[str, Any]) -> dict[str, int]:
    found = dict[str, int]()
    for step in spec.steps:
        reference = _over(step) if isinstance(step, MapStep) else None
        if reference and reference.source == source and reference.name in values:
            items = follow(values[reference.name], reference.path)
            if isinstance(items, list):
                found[step.id] = len(items)
    return found


def _over(step: MapStep) -> Reference | None:
    return reference_in(step.over)
