"""Bindings, references and predicates with the values of a run."""

import fnmatch
import random
import re
from typing import Any

import pytest

from teamspace.workflows.domain.language import globs
from teamspace.workflows.domain.language.bindings import BindingScope, Needs, bind, item_at, needs_of, size_of
from teamspace.workflows.domain.language.predicates import are_equal, evaluate
from teamspace.workflows.domain.language.references import Reference, parse
from teamspace.workflows.domain.language.specs import CallStep, ChoiceStep, MapStep

SCOPE = BindingScope(
    input={"title": "Plan", "rows": [{"name": "a"}, {"name": "b"}], "data": {"0": "zero", "x-y": {"z": 1}}, "none": None},
    outputs={"find": {"result": ["d1", "d2"]}, "all": {"results": [{"index": 0, "result": "r0"}]}},
    run_id="r", team_id="t", user_id="u", locale="nl", principal_locale="is", item={"result": [1, 2]}, index=7,
)  # fmt: skip


def ref(text: str) -> dict[str, str]:
    return {"$ref": text}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("input.title", "Plan"),
        ("input.rows.1.name", "b"),
        ("input.rows.2.name", None),
        ("input.rows.name", None),
        ("input.rows.-1", None),
        ("input.rows.00000000000000000000001", None),
        ("input.data.0", "zero"),
        ("input.data.x-y.z", 1),
        ("input.data.x-y.z.deeper", None),
        ("input.title.0", None),
        ("input.none.x", None),
        ("input.missing", None),
        ("steps.find.output.result", ["d1", "d2"]),
        ("steps.find.output.result.1", "d2"),
        ("steps.find.output.results", None),
        ("steps.all.output.results.0.result", "r0"),
        ("steps.missing.output.result", None),
        ("item.result.0", 1),
        ("index", 7),
        ("locale", "nl"),
        ("run.id", "r"),
        ("team.id", "t"),
        ("user.id", "u"),
        ("principal.locale", "is"),
    ],
)
def test_a_reference_stands_for_a_value_of_the_run(text: str, value: Any) -> None:
    assert bind(ref(text), SCOPE) == value


def test_bindings_may_be_nested_and_literals_are_left_alone() -> None:
    binding = {"a": [ref("input.title"), 1, {"b": ref("index")}], "c": {"$lit": {"$ref": "index"}}, "d": None}
    assert bind(binding, SCOPE) == {"a": ["Plan", 1, {"b": 7}], "c": {"$ref": "index"}, "d": None}


def test_a_binding_deeper_than_a_spec_can_be_is_an_error() -> None:
    binding: Any = 1
    for _ in range(5000):
        binding = [binding]
    with pytest.raises(ValueError, match="deep"):
        bind(binding, SCOPE)


@pytest.mark.parametrize(
    "text",
    ["", "input", "input.", "input.A", "input.a..b", "input.a.b c", "steps.a", "steps.a.output", "steps.a.output.other",
     "steps.a.output.resultsx", "items", "item.", "index.a", "run", "run.name", "team.id.x", "locale ", "locale\n", "Locale"],
)  # fmt: skip
def test_other_texts_are_no_references(text: str) -> None:
    assert parse(text) is None


def test_a_reference_has_a_source_a_name_and_a_path() -> None:
    assert parse("steps.find.output.results.0.x_y-Z") == Reference("results", "find", ("0", "x_y-Z"))
    assert parse("input.result") == Reference("input", "result")


def test_the_item_of_a_map_is_bound_by_itself() -> None:
    fixed = MapStep(id="m", over=["a", ref("input.title"), [ref("index")]], tool="t")
    assert [item_at(fixed, SCOPE, index) for index in range(4)] == ["a", "Plan", [7], None]
    found = MapStep(id="m", over=ref("steps.find.output.result"), tool="t")
    assert [item_at(found, SCOPE, index) for index in range(3)] == ["d1", "d2", None]
    assert item_at(MapStep(id="m", over=ref("input.title"), tool="t"), SCOPE, 0) is None


def test_a_step_needs_only_what_it_reads() -> None:
    call = CallStep(id="c", tool="t", arguments={"a": [ref("steps.x.output.result")], "b": {"$lit": ref("input.y")}})
    assert needs_of(call) == Needs(False, frozenset({"x"}))
    many = MapStep(id="m", over=ref("input.rows"), tool="t", arguments={"a": ref("steps.y.output.results.0")})
    assert needs_of(many) == Needs(True, frozenset({"y"}))
    choice = ChoiceStep(id="k", when={"equals": [ref("steps.z.output.result"), ref("locale")]}, then="a", otherwise="b")
    assert needs_of(choice) == Needs(False, frozenset({"z"}))
    assert size_of(call.arguments) == 5


@pytest.mark.parametrize(
    ("predicate", "holds"),
    [
        ({"empty": None}, True), ({"empty": ""}, True), ({"empty": []}, True), ({"empty": {}}, True),
        ({"empty": 0}, False), ({"empty": False}, False), ({"empty": " "}, False), ({"empty": ref("input.missing")}, True),
        ({"exists": None}, False), ({"exists": ""}, True), ({"exists": False}, True), ({"exists": ref("input.rows.5")}, False),
        ({"equals": [1, 1]}, True), ({"equals": [1, True]}, False), ({"equals": [0, False]}, False), ({"equals": ["1", 1]}, False),
        ({"equals": [1, 1.0]}, True), ({"equals": [[1, {"a": None}], [1, {"a": None}]]}, True),
        ({"equals": [[1, {"a": True}], [1, {"a": 1}]]}, False), ({"equals": [{}, []]}, False), ({"equals": [None, None]}, True),
        ({"equals": [{"a": 1}, {"a": 1, "b": 2}]}, False), ({"equals": [ref("locale"), "nl"]}, True),
        ({"in": [1, [True, 1]]}, True), ({"in": [True, [1]]}, False), ({"in": ["a", "abc"]}, False), ({"in": [None, [None]]}, True),
        ({"in": ["d2", ref("steps.find.output.result")]}, True), ({"in": [1, None]}, False),
        ({"contains": ["abc", "b"]}, True), ({"contains": ["abc", ""]}, True), ({"contains": ["abc", 1]}, False),
        ({"contains": [[1, [2]], [2]]}, True), ({"contains": [{"a": 1}, "a"]}, True), ({"contains": [{"a": 1}, 1]}, False),
        ({"contains": [5, 5]}, False), ({"contains": [None, None]}, False),
        ({"greater_than": [2, 1]}, True), ({"greater_than": [1, 1]}, False), ({"greater_than": [1.5, 1]}, True),
        ({"greater_than": ["2030-02-01", "2030-01-31"]}, True), ({"greater_than": ["b", 1]}, False),
        ({"greater_than": [True, False]}, False), ({"greater_than": [None, 1]}, False), ({"greater_than": [[2], [1]]}, False),
        ({"matches": ["invoices/2030/a.pdf", "invoices/*.pdf"]}, True), ({"matches": ["A.pdf", "a.pdf"]}, False),
        ({"matches": ["a", "?"]}, True), ({"matches": ["", "*"]}, True), ({"matches": [1, "*"]}, False), ({"matches": ["a", None]}, False),
        ({"matches": ["x" * 10_000, "*"]}, True), ({"matches": ["x" * 10_001, "*"]}, False),
        ({"matches": ["x", "*" * 500]}, True), ({"matches": ["x", "*" * 501]}, False),
    ],
)  # fmt: skip
def test_a_predicate_holds_or_not(predicate: dict[str, Any], holds: bool) -> None:
    assert evaluate(predicate, SCOPE) is holds


def test_deep_values_are_compared_without_recursion() -> None:
    def nested(end: Any) -> Any:
        value = end
        for _ in range(100_000):
            value = [value]
        return value

    assert are_equal(nested(1), nested(1))
    assert not are_equal(nested(1), nested(True))


def test_a_glob_matches_as_fnmatch_does() -> None:
    rng = random.Random(5)
    matched = 0
    for _ in range(12_000):
        glob = "".join(rng.choices("abc*?[]!-^", k=rng.randint(0, 9)))
        if any(low > high for low, high in re.findall(r"(?=(.)-(.))", glob)):
            continue  # fnmatch reads what is left of a set without its empty range, so [b-a!x] as [!x]
        text = "".join(rng.choices("abcd[]!-^\n", k=rng.randint(0, 6)))
        expected = fnmatch.fnmatchcase(text, glob)
        assert globs.matches(text, glob) == expected, (text, glob)
        matched += expected
    assert matched > 300


@pytest.mark.parametrize("glob", ["*a" * 250, "?" * 499 + "*", "*" + "[!b-z]" * 80 + "b", "*" + "a" * 498 + "b"])
def test_no_glob_takes_long(glob: str) -> None:
    """With an expression that goes back and forth each of these takes years, or 5 million steps."""
    globs.matches("a" * 10_000, glob)
    globs.matches("".join(chr(0x4E00 + number) for number in range(10_000)), glob)
