"""Matches text against a glob, in time that the worst of both cannot make long.

All ways through the glob are followed at once, as bits of one number, so nothing is tried twice.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

import msgspec

MAX_TEXT = 10_000
MAX_GLOB = 500
"""In characters."""


class _Set(msgspec.Struct, frozen=True):
    """Takes one character: one in these ranges, or with `negated` any other."""

    ranges: tuple[tuple[int, int], ...]
    """First and last code point."""
    negated: bool = False


_STAR = None
"""Takes any number of characters."""
_ANY = _Set((), negated=True)


def matches(text: str, glob: str) -> bool:
    """Return whether the whole text matches: `*` any text, `?` one character, `[a-z]` one of these, `[!a-z]` none.

    Upper and lower case differ. A text or glob over the limit does not match.
    """
    if len(text) > MAX_TEXT or len(glob) > MAX_GLOB:
        return False
    parts = _parse(glob)
    stars = sum(1 << place for place, part in enumerate(parts) if part is _STAR)
    points, takers = _takers(parts)
    places = _skip_stars(1, stars)  # the bit of each part that can be next
    for character in text:
        taken = places & takers[bisect_right(points, ord(character))]
        places = _skip_stars(taken << 1 | places & stars, stars)
        if not places:
            return False
    return bool(places >> len(parts) & 1)


def _skip_stars(places: int, stars: int) -> int:
    """Add what follows a star, since a star may stand for nothing. Two stars never follow each other."""
    return places | (places & stars) << 1


def _takers(parts: list[_Set | None]) -> tuple[list[int], list[int]]:
    """Return the code points at which the parts that take a character change, and those before and after each."""
    first, changes = 0, defaultdict[int, int](int)
    for place, part in enumerate(parts):
        if part is _STAR:
            continue
        first |= part.negated << place
        for low, high in _merged(part.ranges):
            changes[low] ^= 1 << place
            changes[high + 1] ^= 1 << place
    points, takers = sorted(changes), [first]
    for point in points:
        takers.append(takers[-1] ^ changes[point])
    return points, takers


def _merged(ranges: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, int]]:
    """Yield ranges without overlaps and empty ones."""
    end = -1
    for low, high in sorted(ranges):
        if max(low, end + 1) <= high:
            yield max(low, end + 1), high
            end = high


def _parse(glob: str) -> list[_Set | None]:
    parts = list[_Set | None]()
    place = 0
    while place < len(glob):
        character = glob[place]
        end = _end_of_set(glob, place) if character == "[" else None
        if end is not None:
            parts.append(_set(glob[place + 1 : end]))
            place = end
        elif character == "*":
            if not parts or parts[-1] is not _STAR:
                parts.append(_STAR)
        else:
            parts.append(_ANY if character == "?" else _Set(((ord(character), ord(character)),)))
        place += 1
    return parts


def _end_of_set(glob: str, start: int) -> int | None:
    """Return where the bracket ends that begins at `start`; None if it does not, and stands for itself."""
    first = start + 2 if glob[start + 1 : start + 2] == "!" else start + 1
    end = glob.find("]", first + 1)  # a bracket that comes first is one of the characters
    return end if end > 0 else None


def _set(inner: str) -> _Set:
    negated = inner.startswith("!")
    rest = inner[1:] if negated else inner
    ranges = list[tuple[int, int]]()
    while rest:
        if len(rest) > 2 and rest[1] == "-":
            ranges.append((ord(rest[0]), ord(rest[2])))
            rest = rest[3:]
        else:
            ranges.append((ord(rest[0]), ord(rest[0])))
            rest = rest[1:]
    return _Set(tuple(ranges), negated)
