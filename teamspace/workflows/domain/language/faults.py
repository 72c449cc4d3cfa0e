"""Faults of a spec, each with its place."""

from collections.abc import Iterable
from typing import NamedTuple, Self

from teamspace.core.errors import FieldError, InvalidSpec, KeyedError
from teamspace.core.messages import Param

MAX_FAULTS = 100
_MAX_POINTERS = 64 * 1024
"""In characters, of all faults together: names can be as long as the spec."""
_MAX_SHOWN = 100


class Place(NamedTuple):
    """A place in a spec, as a list that grows at its end: one that has no fault costs nothing."""

    above: "Place | None"
    part: str | int

    def __truediv__(self, part: str | int) -> "Place":
        return Place(self, part)

    @property
    def pointer(self) -> str:
        """The JSON pointer."""
        parts, place = list[str](), self
        while place.above is not None:
            parts.append(str(place.part).replace("~", "~0").replace("/", "~1"))
            place = place.above
        return "".join(f"/{part}" for part in reversed(parts))


ROOT = Place(None, "")


class SpecFault(KeyedError):
    """Something in a spec that must be changed."""

    place: Place

    @classmethod
    def at(cls, place: Place, key: str, /, **params: Param) -> Self:
        fault = cls(key, **{name: shown(value) for name, value in params.items()})
        fault.place = place
        return fault


def shown(value: Param) -> Param:
    """Return a parameter of a text, cut if it is long."""
    return value if not isinstance(value, str) or len(value) <= _MAX_SHOWN else value[: _MAX_SHOWN - 1] + "…"


def refuse(faults: Iterable[SpecFault]) -> None:
    """Raise InvalidSpec with the faults, if there are any; of very many only the first."""
    errors, length = list[FieldError](), 0
    for fault in faults:
        pointer = fault.place.pointer
        length += len(pointer)
        if errors and (length > _MAX_POINTERS or len(errors) == MAX_FAULTS):
            break
        errors.append(FieldError(pointer, str(fault), fault.key, fault.params))
    if errors:
        raise InvalidSpec(tuple(errors))
