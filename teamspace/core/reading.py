"""Bodies and queries become frozen structs, or a refusal that names the place and the fault."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar, get_origin

import msgspec

from teamspace.core.errors import BadRequest, FieldError

S = TypeVar("S", bound=msgspec.Struct)
_LONGEST = 500
"""A fault may repeat a key as long as the body."""
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")


@cache
def _decoder(shape: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(shape)


def body_of(shape: type[S], body: bytes) -> S:
    try:
        decoded: S = _decoder(shape).decode(body)
        return decoded
    except msgspec.ValidationError as fault:
        raise _refusal(str(fault)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise BadRequest(f"The body is not valid JSON: {fault}.") from None


def query_of(shape: type[S], given: Mapping[str, list[str]]) -> S:
    """Every field of the query by name; a name that the route does not know is refused, not ignored."""
    values: dict[str, Any] = {}
    for name, texts in given.items():
        if name not in shape.__struct_fields__:
            raise BadRequest.at(name, "is not a parameter of this route")
        if _repeats(shape, name):
            values[name] = texts
        elif len(texts) > 1:
            raise BadRequest.at(name, "was given more than once")
        else:
            values[name] = texts[0]
    try:
        query = msgspec.convert(values, shape, strict=False)
    except msgspec.ValidationError as fault:
        raise _refusal(str(fault)) from None
    for name in values:
        if getattr(query, name) is None:
            raise BadRequest.at(name, "is left out or has a value: null is neither")
    return query


@lru_cache(512)
def _repeats(shape: type[msgspec.Struct], name: str) -> bool:
    field = next(field for field in msgspec.structs.fields(shape) if field.name == name)
    return get_origin(field.type) in (list, tuple)


def converted(shape: type[S], given: Any, *, within: str) -> S:
    """Something that was read already, as `shape`; faults are told from where it stood."""
    try:
        return msgspec.convert(given, shape)
    except msgspec.ValidationError as fault:
        raise _refusal(str(fault), within) from None


def _refusal(message: str, within: str = "") -> BadRequest:
    before, at, after = message.rpartition(" - at `")
    what, where = (before, after.removesuffix("`")) if at else (message, "")
    what, where = what[:_LONGEST], where[:_LONGEST]
    pointer = within + "".join(f"/{name or index}" for name, index in _STEP.findall(where))
    return BadRequest(f"{pointer or 'The body'}: {what}.", errors=(FieldError(pointer, what),))
