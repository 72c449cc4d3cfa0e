"""References to values of a run, such as `steps.find.output.result.0.title`."""

import re
from typing import Any, Literal

import msgspec

Source = Literal[
    "input", "result", "results", "item", "index", "locale", "run.id", "team.id", "user.id", "principal.locale"
]
_PATH = r"(?:\.[A-Za-z0-9_-]+)*"
_REFERENCE = re.compile(
    rf"input\.(?P<input>[a-z][a-z0-9_]*)(?P<in_input>{_PATH})"
    rf"|steps\.(?P<step>[a-z][a-z0-9_]*)\.output\.(?P<output>results?)(?P<in_output>{_PATH})"
    rf"|item(?P<in_item>{_PATH})"
    r"|(?P<plain>index|locale|run\.id|team\.id|user\.id|principal\.locale)"
)


class Reference(msgspec.Struct, frozen=True):
    """Where a value comes from, and the path to a part of it."""

    source: Source
    name: str = ""
    """The input or the step."""
    path: tuple[str, ...] = ()


def parse(text: str) -> Reference | None:
    """Return the reference that a text is; None if it is none."""
    match = _REFERENCE.fullmatch(text)
    if match is None:
        return None
    if name := match["input"]:
        return Reference("input", name, _parts(match["in_input"]))
    if name := match["step"]:
        source: Source = "result" if match["output"] == "result" else "results"
        return Reference(source, name, _parts(match["in_output"]))
    if plain := match["plain"]:
        return Reference(plain)  # type: ignore[arg-type] # the pattern lists exactly the sources
    return Reference("item", "", _parts(match["in_item"]))


def reference_in(binding: Any) -> Reference | None:
    """Return the reference of `{"$ref": …}`; None for every other binding."""
    if not (isinstance(binding, dict) and len(binding) == 1):
        return None
    text = binding.get("$ref")
    return parse(text) if isinstance(text, str) else None


def follow(value: Any, path: tuple[str, ...]) -> Any:
    """Return the part of a value at a path; None if there is none."""
    for part in path:
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and (position := to_position(part)) is not None and position < len(value):
            value = value[position]
        else:
            return None
    return value


_MAX_DIGITS = 9


def to_position(part: str) -> int | None:
    """Return the position in a list that a part of a path means; None if it is a name."""
    return int(part) if part.isdecimal() and len(part) <= _MAX_DIGITS else None


def _parts(path: str) -> tuple[str, ...]:
    return tuple(path.split(".")[1:])
