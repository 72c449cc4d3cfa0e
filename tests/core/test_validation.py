"""Every validation error of our request bodies and queries has its own key."""

from collections.abc import Iterator
from typing import Any, get_type_hints

import msgspec
import msgspec.inspect as types
import pytest

from teamspace import wiring
from teamspace.core.messages import render
from teamspace.core.routing import Route
from teamspace.core.tables import JobSpec
from teamspace.core.validation import MAX_LENGTH, message_of

LONG = "x" * 100_000
VALUES: list[Any] = [
    None, True, 0, 1, -1, 10**6, -(10**6), 10**18, 2**64, 10**30, 1.5, -1.5, 1e300, "", "x", "-", LONG, [], [1], ["x"], [[]],
    ["x"] * 5000, {}, {"x": 1}, {"type": "x"}, {"kind": "x"},
]  # fmt: skip
TEXTS = ["", "x", "1", "-1", "1.5", "true", "9" * 30, "-" + "9" * 30, LONG]


def hints() -> Iterator[dict[str, Any]]:
    for module, route in wiring.SHIPPED.located(Route):
        yield get_type_hints(getattr(module, route.handler))


def structs(root: Any, found: dict[type, types.StructType]) -> None:
    """Collect a struct and all structs in its fields."""
    if isinstance(root, types.StructType):
        if root.cls in found:
            return
        found[root.cls] = root
        for field in root.fields:
            structs(field.type, found)
    for part in (*getattr(root, "types", ()), *getattr(root, "item_types", ())):
        structs(part, found)
    for name in ("item_type", "key_type", "value_type"):
        if part := getattr(root, name, None):
            structs(part, found)


def bodies() -> list[types.StructType]:
    found: dict[type, types.StructType] = {}
    for hint in hints():
        if "body" in hint:
            structs(types.type_info(hint["body"]), found)
    for module, row in wiring.SHIPPED.located(JobSpec):
        hint = get_type_hints(getattr(module, row.handler)) if row.handler else {}
        for shape in (row.input or hint["input"], row.result or hint["return"]):
            structs(types.type_info(shape), found)
    return list(found.values())


def queries() -> list[type[msgspec.Struct]]:
    return list({hint["query"]: None for hint in hints() if "query" in hint})


def check(error: str) -> None:
    error = error.rpartition(" - at `")[0] or error
    key, params = message_of(error)
    assert key != "value.invalid", error
    assert render(key, params)[:100] == error[:100]


@pytest.mark.parametrize("shape", bodies(), ids=lambda shape: shape.cls.__name__)
def test_every_error_in_a_body_has_a_key(shape: types.StructType) -> None:
    decoder = msgspec.json.Decoder(shape.cls)
    tried: list[Any] = [*VALUES, {"x": 1, "view": "x"}]
    tried += [{field.encode_name: value} for field in shape.fields for value in VALUES]
    if shape.tag_field:
        tried += [{shape.tag_field: value} for value in VALUES]
    for value in tried:
        try:
            decoder.decode(msgspec.json.encode(value))
        except msgspec.ValidationError as fault:
            check(str(fault))


@pytest.mark.parametrize("shape", queries(), ids=lambda shape: shape.__name__)
def test_every_error_in_a_query_has_a_key(shape: type[msgspec.Struct]) -> None:
    for field in shape.__struct_fields__:
        for text in TEXTS:
            for value in (text, [text], [text] * 1000):
                try:
                    msgspec.convert({field: value}, shape, strict=False)
                except msgspec.ValidationError as fault:
                    check(str(fault))


@pytest.mark.parametrize(
    ("error", "key", "params"),
    [
        ("Expected `int | null`, got `str`", "value.wrong_type", {"expected": "int | null", "got": "str"}),
        ("Expected `array` of length 2, got 3", "value.array_length", {"expected": "length 2", "got": "3"}),
        ("Expected `str` of length <= 9", "value.max_length", {"expected": "str", "limit": "9"}),
        ("Expected `str` matching regex '^a\nb$'", "value.pattern", {"pattern": "'^a\nb$'"}),
        ("Expected `float` > 0.5", "value.above", {"expected": "float", "limit": "0.5"}),
        ("Object contains unknown field `a` b\n`", "value.unknown_field", {"field": "a` b\n"}),
        ("Invalid enum value 'x'", "value.no_choice", {"value": "'x'"}),
        ("Invalid value 'x'", "value.no_variant", {"value": "'x'"}),
        ("Something new", "value.invalid", {"error": "Something new"}),
    ],
)
def test_an_error_is_split_into_key_and_parameters(error: str, key: str, params: dict[str, str]) -> None:
    assert message_of(error) == (key, params)
    assert render(key, message_of(error)[1]) == error


def test_a_parameter_is_cut() -> None:
    _, params = message_of(f"Object contains unknown field `{LONG}`")
    assert len(str(params["field"])) == MAX_LENGTH
    _, params = message_of(LONG)
    assert len(str(params["error"])) == MAX_LENGTH
