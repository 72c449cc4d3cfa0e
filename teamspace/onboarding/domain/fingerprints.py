"""Fingerprints of texts: almost equal texts have fingerprints that differ in few bits (simhash)."""

import hashlib
import math
import re
from collections import Counter

from teamspace.onboarding.schemas.sign_ups import TextBand

MIN_WORDS = 8
"""Shorter texts are alike by chance."""
MAX_DISTANCE = 3
"""Bits. Two fingerprints with so few differences have at least one of four bands in common."""
_BITS, _BANDS = 64, 4
_SHINGLE = 3
_MAX_WORDS = 2_000
_MIN_CHARACTERS = 20
_WORD = re.compile(r"\w{1,64}")


def fingerprint(text: str) -> int | None:
    """Return the fingerprint of a text, or None if it is too short to be compared."""
    words = [match[0].casefold() for _, match in zip(range(_MAX_WORDS), _WORD.finditer(text), strict=False)]
    if len(words) < MIN_WORDS:
        return None
    shingles = Counter(" ".join(words[at : at + _SHINGLE]) for at in range(len(words) - _SHINGLE + 1))
    weights = [0] * _BITS
    for shingle, times in shingles.items():
        bits = int.from_bytes(hashlib.blake2b(shingle.encode(), digest_size=8).digest())
        for bit in range(_BITS):
            weights[bit] += times if bits >> bit & 1 else -times
    return sum(1 << bit for bit, weight in enumerate(weights) if weight > 0)


def to_bands(value: int) -> list[TextBand]:
    text = f"{value:016x}"
    size = len(text) // _BANDS
    return [TextBand(f"{part}:{text[part * size : (part + 1) * size]}", text) for part in range(_BANDS)]


def is_close(one: str, other: str) -> bool:
    return (int(one, 16) ^ int(other, 16)).bit_count() <= MAX_DISTANCE


def entropy(text: str) -> float | None:
    """Return the bits per character, or None if the text is too short to tell."""
    if len(text) < _MIN_CHARACTERS:
        return None
    shares = [times / len(text) for times in Counter(text).values()]
    return round(-sum(share * math.log2(share) for share in shares), 2)
