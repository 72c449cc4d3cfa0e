"""The largest specs of the worst shapes: the work grows with their size, and not faster."""

import cProfile
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec
import pytest

from teamspace.core.errors import InvalidSpec
from teamspace.workflows.domain.language.specs import ToolShape
from teamspace.workflows.domain.language.validation import MAX_BYTES, validate
from tests.workflows.specs import TEXT
from tests.workflows.test_language_validation import choice, each, give, ref, spec

SIZE = 20_000
"""Of most specs here: counting takes longer than validating."""
ANY = ToolShape({"type": "object", "additionalProperties": True})


def of(schema: Any) -> ToolShape:
    return ToolShape({"type": "object", "properties": {"value": {"type": "array", "items": schema}}})


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def forked(depth: int) -> Any:
    schema: Any = TEXT
    for _ in range(depth):
        schema = {"anyOf": [{"type": "array", "items": schema}, {"type": "array", "items": schema, "minItems": 9}]}
    return schema


FORMS = of({"anyOf": [{"type": "integer", "minimum": number} for number in range(1, 400)]})
LISTED = of({"enum": list(range(1, 2000))})
NEEDED = of({"anyOf": [{"type": "object", "required": [f"n{number}" for number in range(1000)]}] * 2})
FORKED = of(forked(10))

SHAPES: dict[str, tuple[Callable[[int], Any], ToolShape]] = {
    "literals": (lambda size: spec(give("a", [0] * (size // 2))), ANY),
    "references": (lambda size: spec(give("a", [ref("locale")] * (size // 18))), ANY),
    "wrong references": (lambda size: spec(give("a", [ref("?")] * (size // 13))), ANY),
    "a long path": (lambda size: spec(give("a", ref("input.a" + ".b" * (size // 2))), inputs={"a": {"type": "object"}}), ANY),
    "a long name": (lambda size: spec(give("a", {"n" * size: ref("?")})), ANY),
    "unknown fields": (lambda size: spec(give("a")) | {f"f{number}": 1 for number in range(size // 10)}, ANY),
    "inputs": (lambda size: spec(give("a"), inputs={f"i{number}": {"type": "array"} for number in range(size // 25)}), ANY),
    "empty objects": (lambda size: spec(give("a", [{}] * (size // 3))), ANY),
    "deep lists": (lambda size: spec(give("a", [nested(26)] * (size // 60))), ANY),
    "a list in each step": (
        lambda size: spec(*(each("a" if at == 0 else f"s{at}", [0] * (size // 260), ref("item")) for at in range(100))), ANY,
    ),
    "many alternatives": (lambda size: spec(give("a", [0] * (size // 2))), FORMS),
    "many listed values": (lambda size: spec(give("a", [0] * (size // 2))), LISTED),
    "many required fields": (lambda size: spec(give("a", [{}] * (size // 3))), NEEDED),
    "alternatives of alternatives": (lambda size: spec(give("a", [nested(9)] * (size // 22))), FORKED),
}  # fmt: skip


def calls_of(raw: Any, tool: ToolShape) -> int:
    """Return how many functions are called, which unlike time is always the same."""
    profile = cProfile.Profile()
    profile.enable()
    with suppress(InvalidSpec):
        validate(raw, lambda name: tool)
    profile.disable()
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("name", SHAPES)
def test_the_work_grows_with_the_size(name: str) -> None:
    shape, tool = SHAPES[name]
    work = calls_of(shape(SIZE), tool)
    assert work <= 2.2 * calls_of(shape(SIZE // 2), tool) + 2000
    assert work < 100 * SIZE


@pytest.mark.parametrize("name", SHAPES)
def test_the_largest_spec_is_validated(name: str) -> None:
    shape, tool = SHAPES[name]
    raw = shape(MAX_BYTES - 8000)
    assert 0.7 * MAX_BYTES < len(msgspec.json.encode(raw)) <= MAX_BYTES
    with suppress(InvalidSpec):
        validate(raw, lambda name: tool)


def test_ways_through_a_spec_are_not_followed_one_by_one() -> None:
    names = ["a", *(f"s{number}" for number in range(1, 100))]
    steps = [choice(name, names[at + 1], names[min(at + 2, 99)]) for at, name in enumerate(names[:-1])]
    assert calls_of(spec(*steps, give("s99")), ANY) < 100_000


def test_random_json_is_refused_and_never_an_error() -> None:
    def value(rng: random.Random, depth: int) -> Any:
        kind = rng.randrange(8 if depth else 6)
        if kind == 6:
            return [value(rng, depth - 1) for _ in range(rng.randrange(4))]
        if kind == 7:
            names = [
                "slug",
                "steps",
                "start",
                "kind",
                "tool",
                "id",
                "with",
                "over",
                "$ref",
                "$lit",
                "when",
                "inputs",
                "x",
            ]
            return {name: value(rng, depth - 1) for name in rng.sample(names, rng.randrange(6))}
        return rng.choice([None, True, 0, 1.5, "tool", "a", "item", "map", "steps.a.output.result"])

    for seed in range(3000):
        rng = random.Random(seed)
        raw = {"slug": "a", "start": "a", "max_steps": 1, "steps": [value(rng, 5) for _ in range(rng.randrange(1, 4))]}
        if isinstance(more := value(rng, 4), dict):
            raw |= more
        with pytest.raises(InvalidSpec):
            validate(raw, lambda name: None)
