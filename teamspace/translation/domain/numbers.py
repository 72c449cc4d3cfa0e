"""Compares the numbers of two texts, whatever separators their languages use."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

_NUMBER = re.compile(r"\d+(?:[.,'\u2019\u066b\u066c\u00a0\u202f\u2009]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?: \d{3})+(?!\d)")
"""Digits grouped by plain spaces, which can also be two numbers."""


def same_numbers(source: Iterable[str], translation: Iterable[str], *, subset: bool = False) -> bool:
    """Whether both have the same numbers; with `subset`, whether the translation has no others than the source."""
    before, after = _readings(source), _readings(translation)
    if subset:
        return any(set(one) >= set(other) for one in before for other in after)
    return any(one == other for one in before for other in after)


def _readings(texts: Iterable[str]) -> tuple[Counter[str], Counter[str]]:
    """Return the digits of each number: read with plain spaces between numbers, and inside them."""
    text = "\n".join(texts)
    return _count(text), _count(_GROUPED.sub(lambda match: match[0].replace(" ", ""), text))


def _count(text: str) -> Counter[str]:
    return Counter(_digits(number) for number in _NUMBER.findall(text))


def _digits(number: str) -> str:
    plain = number if number.isascii() else "".join(map(_plain, number))
    return re.sub(r"[^0-9]", "", plain)


def _plain(sign: str) -> str:
    value = unicodedata.decimal(sign, None)
    return sign if value is None else str(value)
