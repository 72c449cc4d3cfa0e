"""Convert rows to frozen structs by position: `columns(Note)` lists the columns in the order of Note's fields."""

import types
from collections.abc import Callable
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
def placeholders(shape: type[msgspec.Struct]) -> str:
    """Return the named parameters for an INSERT of `columns(shape)`."""
    return ", ".join(f":{field.name}" for field in msgspec.structs.fields(shape))


def as_json(value: object) -> str:
    """Return the JSON text of a list, for `json_strings`, `in_strings` and `json_table` of the dialect."""
    return msgspec.json.encode(value).decode()


@cache
def _cached_mapper(shape: Any) -> Callable[[Row], Any]:
    """Return a function that converts a row to `shape`. Lists and structs are JSON text in the database."""
    if not issubclass(get_origin(shape) or shape, msgspec.Struct):
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
    hashable: Any = shape
    return _cached_mapper(hashable)


def _conversion(declared: Any) -> Callable[[Any], Any] | None:
    """Return the conversion from the stored value to the declared type; None if none is needed."""
    if get_origin(declared) in (Union, types.UnionType):
        declared = next(part for part in get_args(declared) if part is not type(None))
    if declared is bool:
        return bool
    if isinstance(declared, type) and issubclass(declared, Enum):
        return {member.value: member for member in declared}.__getitem__  # a third of the time of a call
    structured = isinstance(declared, type) and issubclass(declared, msgspec.Struct)
    if structured or get_origin(declared) in (list, tuple, dict):
        return msgspec.json.Decoder(declared).decode
    return None
