"""Decode bodies and queries into frozen structs, or raise BadRequest naming the field and the error."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar, get_origin

import msgspec

from teamspace.core.errors import BadRequest
from teamspace.core.validation import MAX_LENGTH, message_of

S = TypeVar("S", bound=msgspec.Struct)
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")


@cache
def _decoder(shape: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(shape)


def decode_body(shape: type[S], body: bytes) -> S:
    try:
        decoded: S = _decoder(shape).decode(body)
        return decoded
    except msgspec.ValidationError as fault:
        raise _refusal(str(fault)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise BadRequest("body.not_json", reason=str(fault)) from None


def decode_query(shape: type[S], parameters: Mapping[str, list[str]]) -> S:
    """Decode the query parameters; an unknown parameter is an error, not ignored."""
    values: dict[str, Any] = {}
    for name, texts in parameters.items():
        if name not in shape.__struct_encode_fields__:
            raise BadRequest.at(name, "value.no_parameter")
        if _repeats(shape, name):
            values[name] = texts
        elif len(texts) > 1:
            raise BadRequest.at(name, "value.repeated")
        else:
            values[name] = texts[0]
    try:
        query = msgspec.convert(values, shape, strict=False)
    except msgspec.ValidationError as fault:
        raise _refusal(str(fault)) from None
    for field, name in zip(shape.__struct_fields__, shape.__struct_encode_fields__, strict=True):
        if name in values and getattr(query, field) is None:
            raise BadRequest.at(name, "value.null")
    return query


@lru_cache(512)
def _repeats(shape: type[msgspec.Struct], name: str) -> bool:
    field = next(field for field in msgspec.structs.fields(shape) if field.encode_name == name)
    return get_origin(field.type) in (list, tuple)


def convert(shape: type[S], value: Any, *, within: str) -> S:
    """Convert a decoded value to `shape`; errors point below the JSON pointer `within`."""
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as fault:
        raise _refusal(str(fault), within) from None


def _refusal(message: str, within: str = "") -> BadRequest:
    before, separator, after = message.rpartition(" - at `")
    error, path = (before, after.removesuffix("`")) if separator else (message, "")
    pointer = within + "".join(f"/{name or index}" for name, index in _STEP.findall(path[:MAX_LENGTH]))
    key, params = message_of(error)
    return BadRequest.at(pointer, key, **params)
