"""Rows become frozen structs by position: `columns(Note)` names the columns in the order of Note's fields."""

import types
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache, lru_cache
from typing import Any, TypeVar, Union, get_args, get_origin

import msgspec

from teamspace.core.db.engine import Row

T = TypeVar("T")


@lru_cache(1024)
def columns(shape: type[msgspec.Struct], table: str = "") -> str:
    prefix = f"{table}." if table else ""
    return ", ".join(prefix + field.name for field in msgspec.structs.fields(shape))


@cache
def places(shape: type[msgspec.Struct]) -> str:
    """The same for values: parameters named like the columns."""
    return ", ".join(f":{field.name}" for field in msgspec.structs.fields(shape))


def listed(name: str, values: Sequence[Any]) -> tuple[str, dict[str, Any]]:
    """Values for an IN of SQL: their places, and the parameters by which those are named."""
    named = {f"{name}_{at}": value for at, value in enumerate(values)}
    return ", ".join(f":{each}" for each in named), named


@cache
def _mapper(shape: Any) -> Callable[[Row], Any]:
    """A function from a row to `shape`. Lists and structs are JSON text in the database."""
    if not issubclass(shape, msgspec.Struct):
        return lambda row: row[0]
    conversions = [
        (position, convert)
        for position, field in enumerate(msgspec.structs.fields(shape))
        if (convert := _conversion(field.type)) is not None
    ]
    if not conversions:
        return lambda row: shape(*row)

    def build(row: Row) -> Any:
        values = list(row)
        for position, convert in conversions:
            if values[position] is not None:
                values[position] = convert(values[position])
        return shape(*values)

    return build


def mapper(shape: type[T]) -> Callable[[Row], T]:
    remembered: Any = shape
    return _mapper(remembered)


def _conversion(declared: Any) -> Callable[[Any], Any] | None:
    """How a stored value becomes the declared type; None when it already is one."""
    if get_origin(declared) in (Union, types.UnionType):
        declared = next(part for part in get_args(declared) if part is not type(None))
    if declared is bool:
        return bool
    if isinstance(declared, type) and issubclass(declared, Enum):
        return declared
    structured = isinstance(declared, type) and issubclass(declared, msgspec.Struct)
    if structured or get_origin(declared) in (list, tuple, dict):
        return msgspec.json.Decoder(declared).decode
    return None
