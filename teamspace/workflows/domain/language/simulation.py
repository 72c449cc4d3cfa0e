"""What a run would take, without running it: jobs, requests and tokens, at most.

Values that only a run has are unknown. Of a choice that depends on them both branches are followed, and a map over them
is counted with all the jobs that `max_steps` leaves.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from teamspace.core.messages import Param
from teamspace.quota import Spend
from teamspace.workflows.domain.language import bindings, predicates, transitions
from teamspace.workflows.domain.language.bindings import BindingScope
from teamspace.workflows.domain.language.flow import following_of
from teamspace.workflows.domain.language.references import Reference, reference_in
from teamspace.workflows.domain.language.specs import CallStep, ChoiceStep, MapStep, SpecStep, WorkflowSpec
from teamspace.workflows.domain.language.transitions import Fail

Estimate = Callable[[str, dict[str, Any]], Spend]
"""What one call of a tool spends at most, by those of its arguments that are known."""

_FREE = Spend(0, 0)
MAX_BOUND_VALUES = 200_000
"""That a simulation binds for the items of one map."""


class SimulatedStep(msgspec.Struct, frozen=True):
    """A step that the run can come to."""

    id: str
    kind: str
    tool: str | None
    jobs: int | None
    """None if that depends on values of the run."""
    most_jobs: int
    requests: int
    tokens: int
    is_certain: bool
    """Whether every run with this input comes to it."""
    fault: str | None = None
    """The key of the reason if the run fails here for certain."""
    params: dict[str, Param] = {}


class Simulation(msgspec.Struct, frozen=True):
    """All steps that a run can come to, in order, and what the most expensive way takes."""

    steps: tuple[SimulatedStep, ...]
    least_jobs: int
    most_jobs: int
    requests: int
    tokens: int
    will_fail: bool
    """Whether every way ends in a step that cannot start."""


class _Sum(msgspec.Struct, frozen=True):
    """What the ways to a step take."""

    least_jobs: int
    most_jobs: int
    requests: int
    tokens: int

    def plus(self, step: SimulatedStep) -> "_Sum":
        return _Sum(
            self.least_jobs + (step.jobs or 0), self.most_jobs + step.most_jobs,
            self.requests + step.requests, self.tokens + step.tokens,
        )  # fmt: skip

    def or_else(self, other: "_Sum | None") -> "_Sum":
        """The bounds if a run takes one of two ways."""
        if other is None:
            return self
        return _Sum(
            min(self.least_jobs, other.least_jobs), max(self.most_jobs, other.most_jobs),
            max(self.requests, other.requests), max(self.tokens, other.tokens),
        )  # fmt: skip


def simulate(spec: WorkflowSpec, scope: BindingScope, estimate: Estimate) -> Simulation:
    """Return what a run with the scope's input would take; the scope has no outputs and no run."""
    counts = transitions.measure_input(spec, scope.input)
    ways: dict[str, _Sum] = {spec.start: _Sum(0, 0, 0, 0)}
    branches = _branches(spec, scope)
    certain = _certain(spec, branches)
    steps, end = list[SimulatedStep](), None
    will_fail = True
    for step in spec.steps:
        if (before := ways.get(step.id)) is None:
            continue
        simulated = _simulate_step(spec, step, scope, before, counts, estimate, step.id in certain)
        steps.append(simulated)
        after = before.plus(simulated)
        following = () if simulated.fault else branches[step.id]
        for each in following:
            ways[each] = after.or_else(ways.get(each))
        if not following:
            end = after.or_else(end)
            will_fail = will_fail and simulated.fault is not None
    assert end is not None
    most = min(end.most_jobs, spec.max_steps)
    return Simulation(tuple(steps), min(end.least_jobs, most), most, end.requests, end.tokens, will_fail)


def _simulate_step(
    spec: WorkflowSpec, step: SpecStep, scope: BindingScope, before: _Sum, counts: Mapping[str, int],
    estimate: Estimate, is_certain: bool,
) -> SimulatedStep:  # fmt: skip
    jobs = transitions.jobs_of(spec, step.id, counts)
    left = max(0, spec.max_steps - before.least_jobs)
    fault = _fault(spec, step, before.least_jobs, counts)
    most_jobs = 0 if fault else left if jobs is None else jobs
    spend = _FREE if isinstance(step, ChoiceStep) else _spend(step, scope, most_jobs, jobs is not None, estimate)
    return SimulatedStep(
        id=step.id, kind=_kind(step), tool=None if isinstance(step, ChoiceStep) else step.tool,
        jobs=0 if fault else jobs, most_jobs=most_jobs, requests=spend.requests, tokens=spend.tokens,
        is_certain=is_certain, fault=fault.key if fault else None, params=fault.params if fault else {},
    )  # fmt: skip


def _fault(spec: WorkflowSpec, step: SpecStep, used: int, counts: Mapping[str, int]) -> Fail | None:
    """Return why the step cannot start even if everything unknown is as small as it can be."""
    if transitions.jobs_of(spec, step.id, counts) is None and _depends_on_results(spec, step):
        counts = {**counts, step.id: 0}
    following = transitions.begin(spec, step.id, used, counts)
    return following if isinstance(following, Fail) and following.step_id == step.id else None


def _depends_on_results(spec: WorkflowSpec, step: SpecStep) -> bool:
    """Whether the list of a map is in the result of a tool, directly or through other maps."""
    while isinstance(step, MapStep) and (reference := reference_in(step.over)):
        if reference.source == "result":
            return True
        if reference.source != "results":
            return False
        step = spec.step(reference.name)
    return False


def _spend(step: CallStep | MapStep, scope: BindingScope, jobs: int, is_counted: bool, estimate: Estimate) -> Spend:
    if jobs == 0:
        return _FREE
    if isinstance(step, MapStep) and is_counted and _differ_by_item(step, jobs):
        spends = [_spend_once(step, _item_scope(step, scope, index), estimate) for index in range(jobs)]
        return Spend(sum(each.requests for each in spends), sum(each.tokens for each in spends))
    each = _spend_once(step, scope, estimate)
    return Spend(jobs * each.requests, jobs * each.tokens)


def _spend_once(step: CallStep | MapStep, scope: BindingScope, estimate: Estimate) -> Spend:
    known = {name: bindings.bind(each, scope) for name, each in step.arguments.items() if _is_known(each, scope)}
    return estimate(step.tool, known)


def _differ_by_item(step: MapStep, jobs: int) -> bool:
    """Whether each call must be estimated by itself; calls whose arguments are long to bind are not."""
    reads_item = any(each.source in ("item", "index") for each in bindings.references_in(step.arguments))
    return reads_item and bindings.size_of(step.arguments) * jobs <= MAX_BOUND_VALUES


def _item_scope(step: MapStep, scope: BindingScope, index: int) -> BindingScope:
    source = step.over[index] if isinstance(step.over, list) else step.over
    item = bindings.item_at(step, scope, index) if _is_known(source, scope) else msgspec.UNSET
    return msgspec.structs.replace(scope, item=item, index=index)


def _is_known(binding: Any, scope: BindingScope) -> bool:
    return all(_is_given(each, scope) for each in bindings.references_in(binding))


def _is_given(reference: Reference, scope: BindingScope) -> bool:
    match reference.source:
        case "result" | "results":
            return False
        case "item":
            return scope.item is not msgspec.UNSET
        case "index":
            return scope.index is not None
        case "run.id":
            return bool(scope.run_id)
    return True


def _branches(spec: WorkflowSpec, scope: BindingScope) -> dict[str, tuple[str, ...]]:
    """Return which steps can follow each step, with the choices that the input decides."""
    following = {step.id: following_of(spec, step.id) for step in spec.steps}
    for step in spec.steps:
        if isinstance(step, ChoiceStep) and _is_known(step.when, scope):
            following[step.id] = (step.then if predicates.evaluate(step.when, scope) else step.otherwise,)
        elif isinstance(step, ChoiceStep) and step.then == step.otherwise:
            following[step.id] = (step.then,)
    return following


def _certain(spec: WorkflowSpec, following: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Return the steps on every way: as many ways lead through them as there are in all."""
    to_step, to_end = {spec.start: 1}, dict[str, int]()
    for step in spec.steps:
        for each in following[step.id]:
            to_step[each] = to_step.get(each, 0) + to_step.get(step.id, 0)
    for step in reversed(spec.steps):
        to_end[step.id] = sum(to_end[each] for each in following[step.id]) if following[step.id] else 1
    ways = to_end[spec.start]
    return {step_id for step_id, count in to_step.items() if count * to_end[step_id] == ways}


def _kind(step: SpecStep) -> str:
    return str(step.__struct_config__.tag)
