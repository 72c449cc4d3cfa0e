"""What is refused of a JSON body before it is decoded: too deep a nest, a NUL character, a key given twice.

Every step is linear in the body, whatever it holds, and costs microseconds for a small one. A large one is checked in
a thread.
"""

import json
from itertools import accumulate
from typing import Any

from teamspace.core import pools
from teamspace.core.errors import BadRequest

MOST_DEPTH = 64
_WORTH_A_THREAD = 32 * 1024
"""The worst body below this takes 6 ms."""
_PIECE = 16 * 1024
_LONGEST_SHOWN = 100
_NOT_STRUCTURE = bytes(set(range(256)) - set(b'[]{}"'))
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


async def check(body: bytes) -> None:
    await pools.TEXT.run(_check, body) if len(body) > _WORTH_A_THREAD else _check(body)


def _check(body: bytes) -> None:
    if too_deep(body):
        raise BadRequest(f"The body is nested more than {MOST_DEPTH} deep.")
    if holds_nul(body):
        raise BadRequest("A text of the body holds a NUL character.")
    if place := repeated_key(body):
        raise BadRequest.at(place, "the key is given more than once")


def too_deep(body: bytes) -> bool:
    """Whether brackets nest beyond the limit."""
    if body.count(b"[") + body.count(b"{") <= MOST_DEPTH:
        return False
    structure = _unescaped(body).translate(None, _NOT_STRUCTURE)
    brackets = b"".join(structure.split(b'"')[::2])  # every second part stood in a string
    depth = 0
    for start in range(0, len(brackets), _PIECE):
        steps = map(_STEPS.__getitem__, brackets[start : start + _PIECE])
        depths = list(accumulate(steps, initial=depth))
        if max(depths) > MOST_DEPTH:
            return True
        depth = depths[-1]
    return False


def holds_nul(body: bytes) -> bool:
    """An escaped NUL: a backslash-u-0000 whose backslash is not itself escaped."""
    return b"\\u0000" in body and b"\\u0000" in _unescaped(body)


def _unescaped(body: bytes) -> bytes:
    """Without escaped backslashes and quotes: every quote that is left begins or ends a string."""
    return body.replace(b"\\\\", b"").replace(b'\\"', b"")


def repeated_key(body: bytes) -> str | None:
    """Where in it a key of an object is given more than once, as a pointer: decoders silently take the last."""
    try:
        text = body.decode()
        _KEYS.decode(text)
    except _RepeatedKey:
        return _place(_PAIRS.decode(text))
    except (ValueError, RecursionError) as fault:
        # What is no JSON to this reader is none to us: no body gets past it unread.
        raise BadRequest(f"The body is not valid JSON: {fault}.") from None
    return None


class _RepeatedKey(Exception):
    """A key of an object is given more than once."""


class _Pairs(list[tuple[str, Any]]):
    """An object as it was written."""


def _check_keys(pairs: list[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _RepeatedKey


# As floats, since a number of many digits takes quadratic time to become an integer.
_KEYS = json.JSONDecoder(object_pairs_hook=_check_keys, parse_int=float, strict=False)
_PAIRS = json.JSONDecoder(object_pairs_hook=_Pairs, parse_int=float, strict=False)


def _place(value: Any) -> str | None:
    if isinstance(value, _Pairs):
        keys = set[str]()
        for key, _ in value:
            if key in keys:
                return f"/{key[:_LONGEST_SHOWN]}"
            keys.add(key)
    steps = value if isinstance(value, _Pairs) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        if place := _place(inner):
            return f"/{str(step)[:_LONGEST_SHOWN]}{place}"
    return None
