"""Random specs: the valid ones mean what a plain interpreter says, the invalid ones are refused with the place."""

from collections.abc import Mapping
from typing import Any

import pytest

from teamspace.core.errors import InvalidSpec
from teamspace.workflows.domain.language import bindings, predicates, transitions
from teamspace.workflows.domain.language.bindings import BindingScope
from teamspace.workflows.domain.language.specs import ChoiceStep, MapStep, WorkflowSpec
from teamspace.workflows.domain.language.transitions import Fail, Finish
from teamspace.workflows.domain.language.validation import check_input, validate
from tests.workflows import interpreter, specs
from tests.workflows.interpreter import Outcome, ToolError

VALID = range(1500)
SCOPE: dict[str, Any] = {
    "run_id": "run-1", "team_id": "team-1", "user_id": "user-1", "locale": "nl", "principal_locale": "is"
}  # fmt: skip


def scope_of(given: Mapping[str, Any], outputs: Mapping[str, Any]) -> BindingScope:
    return BindingScope(input=given, outputs=outputs, **SCOPE)


def walk(spec: WorkflowSpec, given: dict[str, Any]) -> Outcome:
    """Run a spec as the engine does: by its transitions, with each step given only what it needs."""
    outcome = Outcome()
    counts = transitions.measure_input(spec, given)
    following = transitions.begin(spec, spec.start, 0, counts)
    while True:
        for passed in following.passed:
            outcome.trace.append((passed, 0))
            outcome.outputs[passed] = {"results": []}
        if isinstance(following, Finish):
            outcome.state = "succeeded"
            return outcome
        if isinstance(following, Fail):
            return interpreter.fail(outcome, following.step_id, following.code)
        step = spec.step(following.step_id)
        outcome.used += following.jobs
        outcome.trace.append((step.id, following.jobs))
        needs = bindings.needs_of(step)
        readable = {name: outcome.outputs[name] for name in needs.steps}
        scope, branch = scope_of(given if needs.input else {}, readable), None
        if isinstance(step, ChoiceStep):
            branch = predicates.evaluate(step.when, scope)
        else:
            try:
                results = [call(step, scope, index) for index in range(following.jobs)]
            except ToolError:
                return interpreter.fail(outcome, step.id, "tool")
            if isinstance(step, MapStep):
                each = [{"index": index, "result": result} for index, result in enumerate(results)]
                outcome.outputs[step.id] = {"results": each}
            else:
                outcome.outputs[step.id] = {"result": results[0]}
                counts |= transitions.measure(spec, step.id, results[0])
        following = transitions.advance(spec, step.id, outcome.used, counts, branch)


def call(step: Any, scope: BindingScope, index: int) -> Any:
    if isinstance(step, MapStep):
        item = bindings.item_at(step, scope, index)
        scope = BindingScope(input=scope.input, outputs=scope.outputs, **SCOPE, item=item, index=index)
    return specs.TOOLS[step.tool](bindings.bind(step.arguments, scope))


def test_a_valid_spec_runs_as_the_interpreter_runs_it() -> None:
    states = set()
    for seed in VALID:
        case = specs.valid(seed)
        spec = validate(case.raw, specs.find_tool)
        check_input(spec, case.input)
        expected = interpreter.run(case.raw, case.input, specs.TOOLS)
        assert walk(spec, case.input) == expected, seed
        states.add((expected.state, expected.reason))
    assert len(states) == 4  # succeeded, and failed for three reasons


@pytest.mark.parametrize("number", range(len(specs.BREAKS)))
def test_a_fault_is_refused_with_its_place(number: int) -> None:
    for seed in range(number, number + 8 * len(specs.BREAKS), len(specs.BREAKS)):
        case = specs.invalid(seed)
        with pytest.raises(InvalidSpec) as refused:
            validate(case.raw, specs.find_tool)
        found = {(error.pointer, error.key) for error in refused.value.extra["errors"]}
        assert (case.pointer, case.key) in found, seed
