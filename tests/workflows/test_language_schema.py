"""The JSON schema that the server gives, and what it refuses, are the same form."""

import copy
import random
from typing import Any

import jsonschema_rs
import pytest

from teamspace.workflows.domain.language import drafts, format, structure
from teamspace.workflows.domain.language.references import parse
from tests.workflows import specs
from tests.workflows.test_language_shipped import SHIPPED

SCHEMA = jsonschema_rs.validator_for(format.SCHEMA)
JUNK: list[Any] = [
    None, True, False, 0, 1, -1, 2.5, 11, 1001, "", "a", "s0", "S", "tool", "map", "a" * 63, "a" * 64, "a\n", [], {},
    [1], [1, 2], [1, 2, 3], {"$ref": "item"}, {"$ref": "item.a.b-c"}, {"$ref": "item."}, {"$ref": 1}, {"$lit": {"$a": 1}},
    {"$ref": "index.a"}, {"$ref": "index", "a": 1}, {"$lit": 1, "$ref": "index"}, {"$x": 1}, {"": 1}, {"a": {"$b": 1}},
    {"empty": 1}, {"empty": 1, "exists": 1}, {"equals": [1, {"$ref": "x"}]}, {"in": [1]}, {"type": "string"}, {"type": "text"},
    {"$ref": "steps.a.output"}, {"$ref": "steps.a.output.results.0.result"}, {"$ref": "input.A"}, {"$ref": "locale\n"},
]  # fmt: skip
NAMES = [
    "id",
    "kind",
    "tool",
    "with",
    "over",
    "when",
    "then",
    "else",
    "end",
    "retry",
    "title",
    "x",
    "$ref",
    "$lit",
    "",
    "inputs",
]


def has_form(raw: Any) -> bool:
    """Whether no fault in the form is found; ids that repeat are no matter of form."""
    if not isinstance(raw, dict):
        return False
    _, faults = drafts.read(raw)
    return all(fault.key == "workflows.spec_repeated_id" for fault in faults)


def containers(value: Any) -> list[Any]:
    found, todo = [], [value]
    while todo:
        each = todo.pop()
        if isinstance(each, dict | list):
            found.append(each)
            todo += each.values() if isinstance(each, dict) else each
    return found


def alter(rng: random.Random, raw: dict[str, Any]) -> None:
    """Replace, add or remove a part somewhere."""
    inside = rng.choice(containers(raw))
    junk = copy.deepcopy(rng.choice(JUNK))
    if isinstance(inside, list):
        if inside and rng.random() < 0.7:
            inside[rng.randrange(len(inside))] = junk
        else:
            inside.append(junk)
    elif inside and rng.random() < 0.7:
        name = rng.choice(list(inside))
        if rng.random() < 0.3:
            del inside[name]
        else:
            inside[name] = junk
    else:
        inside[rng.choice(NAMES)] = junk


def test_the_schema_and_the_validator_agree_on_the_form() -> None:
    verdicts = {True: 0, False: 0}
    for seed in range(4000):
        rng = random.Random(seed)
        raw = specs.valid(seed % 200).raw
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            alter(rng, raw)
        expected = SCHEMA.is_valid(raw)
        assert has_form(raw) == expected, raw
        verdicts[expected] += 1
    assert min(verdicts.values()) > 800


@pytest.mark.parametrize("raw", SHIPPED, ids=lambda raw: raw["slug"])
def test_the_schema_takes_the_shipped_workflows(raw: dict[str, Any]) -> None:
    assert SCHEMA.is_valid(raw)


def test_the_words_are_those_of_the_schema() -> None:
    defined = format.SCHEMA["$defs"]
    assert set(format.PREDICATES) == set(defined["predicate"]["properties"])
    assert list(format.STEP_KINDS) == [each["properties"]["kind"]["const"] for each in defined["step"]["oneOf"]]
    assert all("retry" in each["properties"] for each in defined["step"]["oneOf"])
    assert format.LIMITS["steps"] == format.SCHEMA["properties"]["steps"]["maxItems"]
    assert format.LIMITS["max_steps"] == format.SCHEMA["properties"]["max_steps"]["maximum"]
    assert (
        tuple(format.SCHEMA["properties"]["inputs"]["additionalProperties"]["properties"]["type"]["enum"])
        == structure.INPUT_TYPES
    )


@pytest.mark.parametrize("pattern", format.BINDINGS)
def test_a_binding_is_a_reference(pattern: str) -> None:
    text = pattern.replace("{name}", "title").replace("{id}", "find")
    assert parse(text)
    goes_on = pattern.startswith(("input", "steps", "item"))
    assert bool(parse(f"{text}.0.some-part")) == goes_on
