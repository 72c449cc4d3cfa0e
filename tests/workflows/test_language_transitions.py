"""What follows a step, and what a dry run tells of it."""

from typing import Any

import pytest

from teamspace.core.messages import render
from teamspace.quota import Spend
from teamspace.workflows.domain.language.bindings import BindingScope
from teamspace.workflows.domain.language.simulation import Simulation, simulate
from teamspace.workflows.domain.language.specs import WorkflowSpec
from teamspace.workflows.domain.language.transitions import (
    Begin,
    Fail,
    Finish,
    advance,
    begin,
    jobs_of,
    measure,
    measure_input,
)
from teamspace.workflows.domain.language.validation import validate
from tests.workflows import interpreter, specs
from tests.workflows.test_language_shipped import INDEX_DOCUMENTS, PROCESS_UPLOAD, SHAPES, TRANSLATE_CHAT
from tests.workflows.test_language_validation import choice, each, give, ref, spec


def valid(*steps: dict[str, Any], **more: Any) -> WorkflowSpec:
    return validate(spec(*steps, **more), specs.find_tool)


def test_a_run_begins_with_its_first_step_that_has_work() -> None:
    found = valid(each("a", []), each("b", ref("steps.a.output.results")), give("c"), max_steps=1)
    assert begin(found, "a", 0, {}) == Begin("c", 1, ("a", "b"))
    assert advance(found, "c", 1, {}) == Finish()


def test_a_run_of_empty_maps_ends_at_once() -> None:
    found = valid(each("a", ref("input.rows")), each("b", []), inputs={"rows": {"type": "array"}})
    assert begin(found, "a", 0, measure_input(found, {"rows": []})) == Finish(("a", "b"))
    assert begin(found, "a", 0, measure_input(found, {"rows": [1, 2]})) == Begin("a", 2)
    assert advance(found, "a", 2, {"a": 2}) == Finish(("b",))


def test_a_terminal_step_ends_the_run_even_if_it_is_an_empty_map() -> None:
    found = valid(choice("a", "b", "c"), each("b", [], end=True), give("c"))
    assert advance(found, "a", 1, {}, branch=True) == Finish(("b",))
    assert advance(found, "a", 1, {}, branch=False) == Begin("c", 1)
    with pytest.raises(ValueError, match="choice"):
        advance(found, "a", 1, {})


def test_the_limit_of_jobs_is_all_or_nothing() -> None:
    found = valid(give("a"), each("b", ref("steps.a.output.result")), choice("c", "d", "d"), give("d"), max_steps=5)
    assert advance(found, "a", 1, {"b": 4}) == Begin("b", 4)
    refused = advance(found, "a", 1, {"b": 5})
    assert refused == Fail(
        "b", "max_steps_exceeded", "workflows.max_steps_exceeded", {"step": "b", "needed": 6, "limit": 5}
    )
    assert isinstance(refused, Fail) and "allows 5" in render(refused.key, refused.params)
    assert advance(found, "b", 4, {"b": 3}) == Begin("c", 1)
    assert isinstance(advance(found, "b", 5, {"b": 4}), Fail)
    assert isinstance(advance(found, "c", 5, {"b": 3}, branch=True), Fail)


def test_a_map_over_something_else_fails_with_the_maps_that_passed() -> None:
    found = valid(
        give("a"), each("b", []), each("c", ref("steps.a.output.result")), each("d", ref("steps.c.output.results"))
    )
    failed = advance(found, "a", 1, {})
    assert failed == Fail("c", "not_a_list", "workflows.not_a_list", {"step": "c"}, ("b",))
    assert jobs_of(found, "d", {"c": 3}) == 3
    assert jobs_of(found, "d", {}) is None


def test_lists_are_measured_where_maps_go_over_them() -> None:
    found = valid(
        give("a"),
        each("b", ref("steps.a.output.result")),
        each("c", ref("steps.a.output.result.rows.0")),
        each("d", ref("input.rows")),
        each("e", ref("input.data.rows")),
        inputs={"rows": {"type": "array"}, "data": {"type": "object"}},
    )
    assert measure(found, "a", [1, 2, 3]) == {"b": 3}
    assert measure(found, "a", {"rows": [[1], 5]}) == {"c": 1}
    assert measure(found, "a", "text") == {}
    assert measure(found, "b", [1, 2]) == {}
    assert measure_input(found, {"rows": [], "data": {"rows": [1]}}) == {"d": 0, "e": 1}
    assert measure_input(found, {"rows": "no", "data": {}}) == {}


# Dry runs


def scope(given: dict[str, Any]) -> BindingScope:
    return BindingScope(
        input=given, outputs={}, run_id="", team_id="team-1", user_id="user-1", locale="nl", principal_locale="en"
    )  # fmt: skip


def ten_each(tool: str, arguments: dict[str, Any]) -> Spend:
    return Spend(1, 10)


def shown(simulation: Simulation) -> list[tuple[str, int | None, int, bool]]:
    return [(step.id, step.jobs, step.most_jobs, step.is_certain) for step in simulation.steps]


def test_a_decided_choice_is_followed_one_way() -> None:
    found = validate(PROCESS_UPLOAD, SHAPES.get)
    given = {"locales": ["es", "nl"], "object_id": "o", "schema": {}, "template": ""}
    told = simulate(found, scope(given), ten_each)
    assert shown(told) == [
        ("text", 1, 1, True), ("fields", 1, 1, True), ("has_form", 1, 1, True), ("translate_source", 2, 2, True)
    ]  # fmt: skip
    assert (told.least_jobs, told.most_jobs, told.requests, told.tokens, told.will_fail) == (5, 5, 4, 40, False)


def test_an_undecided_choice_is_followed_both_ways_and_the_dearer_counts() -> None:
    found = valid(
        give("a"), choice("b", "c", "d", {"exists": ref("steps.a.output.result")}), each("c", [1, 2, 3], end=True), give("d")
    )  # fmt: skip
    told = simulate(found, scope({}), ten_each)
    assert shown(told) == [("a", 1, 1, True), ("b", 1, 1, True), ("c", 3, 3, False), ("d", 1, 1, False)]
    assert (told.least_jobs, told.most_jobs, told.requests, told.tokens) == (3, 5, 4, 40)


def test_a_map_over_a_result_may_take_all_jobs_that_are_left() -> None:
    told = simulate(validate(INDEX_DOCUMENTS, SHAPES.get), scope({}), ten_each)
    assert shown(told) == [("find", 1, 1, True), ("extract", None, 49, True)]
    assert (told.least_jobs, told.most_jobs, told.requests, told.tokens) == (1, 50, 50, 500)


def test_each_item_is_estimated_with_its_own_arguments() -> None:
    asked = list[dict[str, Any]]()

    def by_length(tool: str, arguments: dict[str, Any]) -> Spend:
        asked.append(arguments)
        return Spend(1, len(str(arguments.get("text", "unknown"))))

    found = validate(TRANSLATE_CHAT, SHAPES.get)
    told = simulate(found, scope({"message": "Hello"}), by_length)
    assert asked == [
        {"text": "Hello"},
        {"source": "en", "target": "es"},
        {"source": "en", "target": "nl"},
        {"source": "en", "target": "is"},
        *[{"target": "en"}] * 3,
    ]
    assert [step.tokens for step in told.steps] == [5, 21, 21]


def test_a_dry_run_says_that_a_run_cannot_succeed() -> None:
    found = valid(give("a"), each("b", ref("input.rows")), give("c"), inputs={"rows": {"type": "array"}}, max_steps=5)
    told = simulate(found, scope({"rows": [1] * 9}), ten_each)
    assert told.will_fail and [step.id for step in told.steps] == ["a", "b"]
    assert (told.steps[1].fault, told.steps[1].params["needed"]) == ("workflows.max_steps_exceeded", 10)
    assert (told.most_jobs, told.requests) == (1, 1)
    found = valid(give("a"), each("b", ref("input.data.rows")), inputs={"data": {"type": "object"}})
    told = simulate(found, scope({"data": {}}), ten_each)
    assert told.will_fail and told.steps[1].fault == "workflows.not_a_list"


def test_a_map_with_long_arguments_is_estimated_once() -> None:
    calls = list[str]()

    def count(tool: str, arguments: dict[str, Any]) -> Spend:
        calls.append(tool)
        return Spend(1, 1)

    value = {"item": ref("item"), "many": [0] * 10_000}
    told = simulate(valid(each("a", [0] * 1000, value)), scope({}), count)
    assert len(calls) == 1 and told.requests == 1000


def test_no_run_takes_more_than_its_dry_run_says() -> None:
    for seed in range(400):
        case = specs.valid(seed)
        found = validate(case.raw, specs.find_tool)
        told = simulate(found, scope(case.input), ten_each)
        ran = interpreter.run(case.raw, case.input, specs.TOOLS, {**interpreter.IDS, "principal.locale": "en"})
        simulated = {step.id: step for step in told.steps}
        spent = sum(jobs for step_id, jobs in ran.trace if found.step(step_id).__struct_config__.tag != "choice")
        assert ran.used <= told.most_jobs and spent <= told.requests, seed
        assert all(jobs <= simulated[step_id].most_jobs for step_id, jobs in ran.trace), seed
        if ran.state == "succeeded":
            assert not told.will_fail and ran.used >= told.least_jobs, seed
            assert {step.id for step in told.steps if step.is_certain} <= {step_id for step_id, _ in ran.trace}, seed
