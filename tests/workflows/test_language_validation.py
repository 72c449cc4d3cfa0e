"""What the validator proves of a spec, at its limits, and what it says."""

from typing import Any

import msgspec
import pytest

from teamspace.core.errors import BadRequest, InvalidSpec
from teamspace.workflows.domain.language.specs import CallStep, ChoiceStep, MapStep, ToolShape, WorkflowSpec
from teamspace.workflows.domain.language.validation import MAX_BYTES, check_input, validate
from tests.workflows.specs import TEXT, arguments, find_tool, returning

Fault = tuple[str, str]


def give(step_id: str, value: Any = 1, **more: Any) -> dict[str, Any]:
    return {"id": step_id, "kind": "tool", "tool": "give", "with": {"value": value}, **more}


def each(step_id: str, over: Any, value: Any = 1, **more: Any) -> dict[str, Any]:
    return {"id": step_id, "kind": "map", "over": over, "tool": "give", "with": {"value": value}, **more}


def choice(step_id: str, then: str, otherwise: str, when: Any = None) -> dict[str, Any]:
    return {"id": step_id, "kind": "choice", "when": when or {"exists": 1}, "then": then, "else": otherwise}


def ref(text: str) -> dict[str, str]:
    return {"$ref": text}


def spec(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"slug": "test", "start": "a", "max_steps": 1000, "steps": list(steps), **more}


def faults(raw: Any, **tools: ToolShape) -> list[Fault]:
    """Return the faults of a spec as places and keys, without the prefix of all keys."""
    try:
        validate(raw, lambda name: tools.get(name) or find_tool(name))
    except InvalidSpec as refused:
        return [(error.pointer, error.key.removeprefix("workflows.spec_")) for error in refused.extra["errors"]]
    return []


def test_a_spec_becomes_a_struct_with_the_defaults() -> None:
    found = validate(spec(give("a", retry=2), each("b", [1]), choice("c", "d", "d"), give("d")), find_tool)
    call, many, chosen, last = found.steps
    assert isinstance(call, CallStep) and call.retry == 2 and call.arguments == {"value": 1} and not call.end
    assert isinstance(many, MapStep) and many.over == [1]
    assert isinstance(chosen, ChoiceStep) and (chosen.then, chosen.otherwise) == ("d", "d")
    assert (found.format, found.version, found.title, found.inputs) == (1, 1, "", {})
    assert [found.next_of(step_id) for step_id in "abd"] == ["b", "c", None]
    assert found.step("d") is last
    with pytest.raises(ValueError, match="depends"):
        found.next_of("c")


def test_a_spec_can_be_written_and_read_again() -> None:
    raw = spec(
        give("a"), choice("b", "c", "c"), each("c", ref("input.rows"), end=True), inputs={"rows": {"type": "array"}}
    )
    found = validate(raw, find_tool)
    written = msgspec.json.encode(found)
    assert msgspec.json.decode(written, type=WorkflowSpec) == found
    assert validate(msgspec.json.decode(written), find_tool) == found


def test_a_whole_number_is_written_without_a_point() -> None:
    """The tools of this server take no other."""
    assert faults(spec(give("a", retry=1.0), max_steps=7.0)) == [("/max_steps", "type"), ("/steps/0/retry", "type")]
    assert faults(spec({"id": "a", "kind": "tool", "tool": "count_up", "with": {"count": 3.0}})) == [
        ("/steps/0/with/count", "type")
    ]


def test_every_fault_is_told_at_once() -> None:
    raw = spec(
        give("a", ref("input.nothing")),
        {"id": "b", "kind": "tool", "tool": "nothing", "color": 1},
        each("c", ref("locale"), retry=99),
        choice("d", "a", "nowhere"),
        give("a", ref("steps.zz.output.result")),
        slug="No", start="nowhere", extra=1,
    )  # fmt: skip
    assert sorted(faults(raw)) == sorted(
        [
            ("/slug", "slug"),
            ("/extra", "unknown_field"),
            ("/start", "no_step"),
            ("/steps/0/with/value/$ref", "no_input"),
            ("/steps/1/color", "unknown_field"),
            ("/steps/2/retry", "range"),
            ("/steps/3/then", "not_later"),
            ("/steps/3/else", "no_step"),
            ("/steps/4/id", "repeated_id"),
            ("/steps/4/with/value/$ref", "reads_no_step"),
        ]
    )


def test_a_name_is_not_called_missing_while_an_id_cannot_be_read() -> None:
    raw = spec({"kind": "tool", "tool": "give"}, choice("b", "c", "c"), start="first")
    assert faults(raw) == [("/steps/0", "missing")]


@pytest.mark.parametrize("raw", [None, [], "spec", 5, True, {}, {"steps": None}, {"steps": [None, [], 1]}])
def test_anything_else_is_refused(raw: Any) -> None:
    assert faults(raw)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1: 2}, (1,), {1}, object(), b"x", "\ud800"])
def test_what_is_not_json_is_refused(value: Any) -> None:
    assert [key for _, key in faults(spec(give("a", {"$lit": value})))] == ["not_json"]


# Flow


def test_a_step_is_read_only_after_it_has_run_on_every_way() -> None:
    diamond = [choice("a", "b", "c"), give("b", end=True), give("c"), give("d", ref("steps.b.output.result"))]
    assert faults(spec(*diamond)) == [("/steps/3/with/value/$ref", "not_run")]
    joined = [give("a"), choice("b", "c", "d"), give("c"), give("d", ref("steps.a.output.result"))]
    assert faults(spec(*joined)) == []
    joined[3] = give("d", ref("steps.c.output.result"))
    assert faults(spec(*joined)) == [("/steps/3/with/value/$ref", "not_run")]
    forced = [choice("a", "b", "b"), give("b"), give("c", ref("steps.b.output.result"))]
    assert faults(spec(*forced)) == []


def test_a_step_that_no_way_leads_to_is_refused() -> None:
    assert faults(spec(give("a", end=True), give("b"))) == [("/steps/1", "unreachable")]
    assert faults(spec(give("b"), give("a"))) == [("/steps/0", "unreachable")]
    assert faults(spec(choice("a", "c", "c"), give("b"), give("c"))) == [("/steps/1", "unreachable")]


def test_a_choice_cannot_be_last_nor_lead_back() -> None:
    assert faults(spec(give("a"), choice("b", "a", "b"))) == [
        ("/steps/1/then", "not_later"),
        ("/steps/1/else", "not_later"),
    ]


def test_fifty_choices_in_a_row_have_too_many_ways_to_follow_each() -> None:
    names = [f"s{number}" for number in range(100)]
    steps = [choice(name, names[at + 1], names[min(at + 2, 99)]) for at, name in enumerate(names[:-1])]
    steps[0]["id"] = "a"
    assert faults(spec(*steps, give("s99"))) == []


# Types


def test_a_list_must_be_one() -> None:
    inputs = {"rows": {"type": "array"}, "data": {"type": "object"}, "title": {"type": "string"}}
    good = ["input.rows", "input.data.rows", "input.rows.0", "steps.a.output.result", "steps.a.output.result.x.0"]
    for text in good:
        assert faults(spec(give("a"), each("b", ref(text)), inputs=inputs)) == []
    for text in ("input.title", "input.data", "run.id"):
        assert faults(spec(give("a"), each("b", ref(text)), inputs=inputs)) == [("/steps/1/over/$ref", "over_type")]
    assert faults(spec(each("a", []), each("b", ref("steps.a.output.results")))) == []
    assert faults(spec(each("a", []), each("b", ref("steps.a.output.results.0")))) == [
        ("/steps/1/over/$ref", "over_part")
    ]


def test_one_mistake_is_told_once() -> None:
    many = {"id": "a", "kind": "map", "over": [1], "tool": "length", "with": {"of": "x"}}
    assert faults(spec(many, each("b", ref("steps.a.output.result")))) == [("/steps/1/over/$ref", "result_of_map")]
    once = {"id": "a", "kind": "tool", "tool": "length", "with": {"of": "x"}}
    assert faults(spec(once, each("b", ref("steps.a.output.results.x")))) == [
        ("/steps/1/over/$ref", "results_of_call"),
        ("/steps/1/over/$ref", "over_part"),
    ]
    assert faults(spec(give("a"), each("b", ref("input.rows")))) == [("/steps/1/over/$ref", "no_input")]


def test_a_path_must_be_able_to_lead_somewhere() -> None:
    inputs = {"rows": {"type": "array"}, "title": {"type": "string"}, "data": {"type": "object"}}
    for text in (
        "input.rows.0.x",
        "input.data.x.0",
        "steps.b.output.results.3.index",
        "steps.b.output.results.3.result.x",
    ):
        assert faults(spec(give("a"), each("b", []), give("c", ref(text)), inputs=inputs)) == []
    for text in (
        "input.title.x",
        "input.rows.first",
        "steps.b.output.results.result",
        "steps.b.output.results.0.value",
    ):
        raw = spec(give("a"), each("b", []), give("c", ref(text)), inputs=inputs)
        assert faults(raw) == [("/steps/2/with/value/$ref", "no_part")], text


def test_an_item_is_known_as_far_as_its_list_is() -> None:
    takes = ToolShape(arguments(("text",), text=TEXT), returning("string"))

    def using(over: Any, value: Any) -> list[Fault]:
        step = {"id": "b", "kind": "map", "over": over, "tool": "takes", "with": {"text": value}}
        return faults(
            spec({"id": "a", "kind": "map", "over": [1], "tool": "takes", "with": {"text": "x"}}, step), takes=takes
        )

    at = "/steps/1/with/text/$ref"
    assert using(["x", "y"], ref("item")) == []
    assert using(["x", 5], ref("item")) == []  # one of them may fit
    assert using([4, 5], ref("item")) == [(at, "type")]
    assert using(["x"], ref("item.part")) == [(at, "no_part")]
    assert using(["x"], ref("index")) == [(at, "type")]
    assert using(ref("steps.a.output.results"), ref("item.result")) == []
    assert using(ref("steps.a.output.results"), ref("item.index")) == [(at, "type")]
    assert using(ref("steps.a.output.results"), ref("item.value")) == [(at, "no_part")]
    assert using([ref("run.id"), ref("locale")], ref("item")) == []


@pytest.mark.parametrize(
    ("declared", "taken", "fits"),
    [
        ("integer", "number", True), ("number", "integer", False), ("number", "number", True), ("string", "integer", False),
        ("boolean", "integer", False), ("object", "array", False), ("array", "array", True),
    ],
)  # fmt: skip
def test_an_input_fits_an_argument_of_its_type(declared: str, taken: str, fits: bool) -> None:
    tool = ToolShape(arguments(("it",), it={"type": taken}))
    step = {"id": "a", "kind": "tool", "tool": "typed", "with": {"it": ref("input.x")}}
    found = faults(spec(step, inputs={"x": {"type": declared}}), typed=tool)
    assert found == ([] if fits else [("/steps/0/with/it/$ref", "type")])


ADDRESS = {
    "type": "object", "required": ["city"], "additionalProperties": False,
    "properties": {"city": {"type": "string", "minLength": 1}, "lines": {"type": "array", "maxItems": 2, "items": TEXT}},
}  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (ADDRESS, {"city": "Oslo", "lines": ["a", ref("locale")]}, []),
        (ADDRESS, {"lines": []}, [("", "missing")]),
        (ADDRESS, {"city": "", "street": 1}, [("/city", "too_short"), ("/street", "unknown_field")]),
        (ADDRESS, {"city": "Oslo", "lines": [1, "b"]}, [("/lines/0", "type")]),
        (ADDRESS, {"city": "Oslo", "lines": ["a", "b", "c"]}, [("/lines", "too_many")]),
        (ADDRESS, {"$lit": {"city": 5}}, [("/$lit/city", "type")]),
        (ADDRESS, {"$lit": {"city": "Oslo", "lines": [{"$ref": "locale"}]}}, [("/$lit/lines/0", "type")]),
        ({"type": ["string", "null"]}, None, []),
        ({"type": ["string", "null"]}, 5, [("", "type")]),
        ({"anyOf": [TEXT, {"type": "null"}]}, ref("index"), None),
        ({"anyOf": [ADDRESS, {"type": "null"}]}, {"city": 5}, [("/city", "type")]),
        ({"anyOf": [ADDRESS, {"type": "object", "required": ["id"]}]}, {"x": 5}, [("", "no_form")]),
        ({"oneOf": [ADDRESS, {"type": "object", "required": ["id"]}]}, {"id": 5}, []),
        ({"const": 1}, True, [("", "type")]),
        ({"enum": ["a", 1]}, "b", [("", "one_of")]),
        ({"enum": ["a", 1.5]}, 1.5, []),
        ({"enum": ["a", "b"]}, ref("locale"), []),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0, [("", "above")]),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 1, [("", "below")]),
        ({"type": "array", "minItems": 1}, [], [("", "too_few")]),
        ({"type": "string", "maxLength": 3}, "long", [("", "too_long")]),
        ({"type": "object", "additionalProperties": TEXT}, {"a": "x", "b": 1}, [("/b", "type")]),
        ({"not": {}, "allOf": 5, "properties": [], "required": 7, "type": 9, "items": True}, {"x": 1}, []),
        (True, 5, []),
    ],
)  # fmt: skip
def test_a_literal_fits_the_schema_of_its_argument(schema: Any, value: Any, expected: list[Fault] | None) -> None:
    tool = ToolShape({"type": "object", "properties": {"it": schema}})
    step: dict[str, Any] = {"id": "a", "kind": "tool", "tool": "typed", "with": {"it": value}}
    if expected is None:
        step |= {"kind": "map", "over": [1]}
        expected = [("/$ref", "type")]
    assert faults(spec(step), typed=tool) == [(f"/steps/0/with/it{place}", key) for place, key in expected]


def test_arguments_that_a_tool_does_not_name_need_its_consent() -> None:
    step = {"id": "a", "kind": "tool", "tool": "other", "with": {"more": 1}}
    named: dict[str, Any] = {"type": "object", "properties": {"it": TEXT}}
    assert faults(spec(step), other=ToolShape(named)) == [("/steps/0/with/more", "argument_unknown")]
    assert faults(spec(step), other=ToolShape(named | {"additionalProperties": True})) == []
    assert faults(spec(step), other=ToolShape({"type": "object"})) == [("/steps/0/with/more", "argument_unknown")]


# Limits


def test_a_spec_can_have_a_hundred_steps() -> None:
    steps = [give("a"), *(give(f"s{number}") for number in range(99))]
    assert faults(spec(*steps)) == []
    assert faults(spec(*steps, give("more"))) == [("/steps", "number_of_steps")]
    assert faults(spec(*steps, give("more"), start="more")) == [("/steps", "number_of_steps")]


def test_a_spec_can_have_so_many_bytes() -> None:
    raw = spec(give("a", ""))
    raw["steps"][0]["with"]["value"] = "é" * ((MAX_BYTES - len(msgspec.json.encode(raw))) // 2)
    rest = MAX_BYTES - len(msgspec.json.encode(raw))
    raw["steps"][0]["with"]["value"] += "x" * rest
    assert len(msgspec.json.encode(raw)) == MAX_BYTES and faults(raw) == []
    raw["steps"][0]["with"]["value"] += "x"
    assert faults(raw) == [("", "too_large")]


def test_a_spec_can_be_nested_so_deep() -> None:
    def nested(depth: int) -> list[Any]:
        value: list[Any] = []
        for _ in range(depth - 1):
            value = [value]
        return value

    assert faults(spec(give("a", nested(28)))) == []
    assert faults(spec(give("a", nested(29)))) == [("/steps/0/with/value" + "/0" * 28, "too_deep")]
    assert faults(spec(give("a", {"$lit": nested(100_000)})))[0][1] == "too_deep"


def test_a_refusal_is_short_however_long_the_spec() -> None:
    name = "n" * 20_000
    raw = spec(give("a", {name: {f"{name}{number}": ref("nothing") for number in range(5)}}))
    with pytest.raises(InvalidSpec) as refused:
        validate(raw, find_tool)
    assert 1 <= len(refused.value.extra["errors"]) <= 2
    with pytest.raises(InvalidSpec) as refused:
        validate(spec(give("a", [ref("nothing")] * 5000)), find_tool)
    assert len(refused.value.extra["errors"]) == 100
    with pytest.raises(InvalidSpec) as refused:
        validate(spec(give("a", ref("input." + "n" * 50_000))), find_tool)
    assert len(refused.value.extra["errors"][0].message) < 300


def test_the_refusal_says_where_and_what_to_do() -> None:
    with pytest.raises(InvalidSpec) as refused:
        validate(spec(give("a", ref("input.titel")), inputs={"title": {"type": "string"}}), find_tool)
    problem = refused.value.problem("r1")
    assert (problem.status, problem.code) == (400, "invalid_spec")
    assert problem.errors and problem.errors[0].pointer == "/steps/0/with/value/$ref"
    assert (
        problem.errors[0].message
        == "reads the input titel, which is not declared: add it to inputs or correct the name"
    )


def test_a_place_is_a_json_pointer() -> None:
    assert faults(spec(give("a", {"x/y": {"~": ref("?")}}))) == [("/steps/0/with/value/x~1y/~0/$ref", "reference")]


# Input of a run


def test_an_input_must_be_complete_and_typed() -> None:
    found = validate(spec(give("a"), inputs={"title": {"type": "string"}, "amount": {"type": "number"}}), find_tool)
    check_input(found, {"title": "", "amount": 3})
    check_input(found, {"title": "", "amount": 3.5})
    for given, place in (
        ({"title": "x"}, "/input/amount"),
        ({"title": "x", "amount": True}, "/input/amount"),
        ({"title": None, "amount": 1}, "/input/title"),
        ({"title": "x", "amount": 1, "more": 1}, "/input/more"),
    ):
        with pytest.raises(BadRequest) as refused:
            check_input(found, given)
        assert refused.value.extra["errors"][0].pointer == place


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("integer", [0, -3], [True, 3.0, 3.5, "3", None]), ("boolean", [True], [1, None]), ("object", [{}], [[], ""]),
        ("array", [[]], [{}, "ab"]), ("string", [""], [None, 1]), ("number", [1, 1.5], ["1", False]),
    ],
)  # fmt: skip
def test_an_input_has_its_type(kind: str, good: list[Any], bad: list[Any]) -> None:
    found = validate(spec(give("a"), inputs={"x": {"type": kind}}), find_tool)
    for value in good:
        check_input(found, {"x": value})
    for value in bad:
        with pytest.raises(BadRequest):
            check_input(found, {"x": value})
