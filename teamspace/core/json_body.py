"""Checks a JSON body before it is decoded: nesting depth, number of values, NUL characters, repeated keys.

Every check is linear in the size of the body, whatever it contains, and takes microseconds for a small one. Large
bodies are checked in a thread.
"""

import json
from itertools import accumulate
from typing import Any

from teamspace.core import pools
from teamspace.core.errors import BadRequest

MAX_DEPTH = 64
MAX_CONTAINERS, MAX_VALUES = 50_000, 500_000
"""Decoding holds the event loop: a microsecond for an object or a list, a tenth of that for other values. Bodies may be
larger than that allows only if they have long texts."""
_THREAD_BYTES = 32 * 1024
"""Larger bodies are checked in a thread; the worst smaller one takes 6 ms."""
_PIECE = 16 * 1024
_MAX_SHOWN = 100
_NOT_STRUCTURE = bytes(set(range(256)) - set(b'[]{},"'))
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


async def check(body: bytes) -> None:
    await pools.TEXT.run(_check, body) if len(body) > _THREAD_BYTES else _check(body)


def _check(body: bytes) -> None:
    if has_too_many_values(body):
        raise BadRequest("body.too_many_values", containers=MAX_CONTAINERS, values=MAX_VALUES)
    if is_too_deep(body):
        raise BadRequest("body.too_deep", limit=MAX_DEPTH)
    if has_nul(body):
        raise BadRequest("body.nul")
    if place := repeated_key(body):
        raise BadRequest.at(place, "body.repeated_key")


def has_too_many_values(body: bytes, containers: int = MAX_CONTAINERS, values: int = MAX_VALUES) -> bool:
    """Return whether there are more objects and lists, or more values, than the limits."""
    if _opening(body) <= containers and body.count(b",") <= values:
        return False
    if _unescaped(body).count(b'"') > 4 * values:  # each value has at most a key and a text
        return True
    structure = _structure(body)
    return _opening(structure) > containers or structure.count(b",") > values


def is_too_deep(body: bytes) -> bool:
    """Return whether brackets nest beyond the limit."""
    if _opening(body) <= MAX_DEPTH:
        return False
    brackets = _structure(body).translate(None, b",")
    depth = 0
    for start in range(0, len(brackets), _PIECE):
        steps = map(_STEPS.__getitem__, brackets[start : start + _PIECE])
        depths = list(accumulate(steps, initial=depth))
        if max(depths) > MAX_DEPTH:
            return True
        depth = depths[-1]
    return False


def _opening(text: bytes) -> int:
    return text.count(b"[") + text.count(b"{")


def _structure(body: bytes) -> bytes:
    """Return all brackets and commas outside of strings."""
    marks = _unescaped(body).translate(None, _NOT_STRUCTURE)
    return b"".join(marks.split(b'"')[::2])  # every second part was inside a string


def has_nul(body: bytes) -> bool:
    """Return whether there is an escaped NUL: backslash-u-0000 whose backslash is not itself escaped."""
    return b"\\u0000" in body and b"\\u0000" in _unescaped(body)


def _unescaped(body: bytes) -> bytes:
    """Remove escaped backslashes and quotes: every remaining quote begins or ends a string."""
    return body.replace(b"\\\\", b"").replace(b'\\"', b"")


def repeated_key(body: bytes) -> str | None:
    """Return the JSON pointer of a repeated key, or None: decoders silently use the last value."""
    try:
        text = body.decode()
        _KEYS.decode(text)
    except _RepeatedKey:
        return _place(_PAIRS.decode(text))
    except (ValueError, RecursionError) as fault:
        # Refuse what this parser cannot read, so that no body skips the check.
        raise BadRequest("body.not_json", reason=str(fault)) from None
    return None


class _RepeatedKey(Exception):
    """An object has a repeated key."""


class _Pairs(list[tuple[str, Any]]):
    """The key-value pairs of an object, in their original order and with duplicates."""


def _check_keys(pairs: list[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _RepeatedKey


# Integers are parsed as floats: converting many digits to an integer takes quadratic time.
_KEYS = json.JSONDecoder(object_pairs_hook=_check_keys, parse_int=float, strict=False)
_PAIRS = json.JSONDecoder(object_pairs_hook=_Pairs, parse_int=float, strict=False)


def _place(value: Any) -> str | None:
    if isinstance(value, _Pairs):
        keys = set[str]()
        for key, _ in value:
            if key in keys:
                return f"/{key[:_MAX_SHOWN]}"
            keys.add(key)
    steps = value if isinstance(value, _Pairs) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        if place := _place(inner):
            return f"/{str(step)[:_MAX_SHOWN]}{place}"
    return None
