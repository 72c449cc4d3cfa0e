"""Sample values for a schema fit it, and the wrong ones do not."""

import datetime
import uuid
from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from teamspace.authoring import samples


class Part(msgspec.Struct, forbid_unknown_fields=True):
    weight: Annotated[float, Meta(gt=0, le=10)]
    parts: "list[Part]" = []


class Everything(msgspec.Struct, forbid_unknown_fields=True):
    text: Annotated[str, Meta(min_length=10, max_length=12)]
    short: Annotated[str, Meta(max_length=2)]
    coded: Annotated[str, Meta(pattern="^[A-Z]{2}-[0-9]+$", examples=["AB-1"])]
    number: Annotated[int, Meta(ge=5, multiple_of=4)]
    below: Annotated[int, Meta(lt=-3)]
    choice: Literal["a", "b"]
    count: Literal[3, 4]
    maybe: int | None
    several: int | str
    day: datetime.date
    moment: Annotated[datetime.datetime, Meta(tz=True)]
    id: uuid.UUID
    data: bytes
    pair: tuple[int, str]
    few: Annotated[list[int], Meta(min_length=2)]
    by_name: dict[str, int]
    part: Part
    anything: Any
    yes: bool = True
    other: Part | None = None


SHAPES = [Everything, Part]


@pytest.mark.parametrize("shape", SHAPES)
def test_fitting_values_fit(shape: type[msgspec.Struct]) -> None:
    values = samples.fitting(msgspec.json.schema(shape))
    assert len(values) == 2
    for value in values:
        msgspec.json.decode(msgspec.json.encode(value), type=shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_misfitting_values_do_not_fit(shape: type[msgspec.Struct]) -> None:
    found = dict(samples.misfitting(msgspec.json.schema(shape)))
    assert "with an unknown field" in found and {"without weight", "without text"} & found.keys()
    assert not any("anything" in what and "without" not in what for what in found)
    for what, value in found.items():
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(msgspec.json.encode(value), type=shape)
            pytest.fail(what)


def test_a_pattern_needs_an_example() -> None:
    class Coded(msgspec.Struct):
        code: Annotated[str, Meta(pattern="^[A-Z]+$")]

    with pytest.raises(samples.NoSample, match=r"pattern \^\[A-Z\]\+\$: add one with msgspec.Meta\(examples="):
        samples.fitting(msgspec.json.schema(Coded))
