"""Matches text against a glob, in time that the worst of both cannot make long.

All ways through the glob are followed at once, as bits of one number, so nothing is tried twice.
"""

from collections.abc import Callable

MAX_TEXT = 10_000
MAX_GLOB = 500
"""In characters."""

_Part = str | Callable[[str], bool] | None
"""One character, a test for one, or None for any number of characters."""


def matches(text: str, glob: str) -> bool:
    """Return whether the whole text matches: `*` any text, `?` one character, `[a-z]` one of these, `[!a-z]` none.

    Upper and lower case differ. A text or glob over the limit does not match.
    """
    if len(text) > MAX_TEXT or len(glob) > MAX_GLOB:
        return False
    parts = _parse(glob)
    stars = sum(1 << place for place, part in enumerate(parts) if part is None)
    places = _skip_stars(1, stars)  # the bit of each part that can be next
    moves = dict[str, int]()
    for character in text:
        if character not in moves:
            moves[character] = _moves(parts, character)
        places = _skip_stars((places & moves[character]) << 1 | places & stars, stars)
        if not places:
            return False
    return bool(places >> len(parts) & 1)


def _skip_stars(places: int, stars: int) -> int:
    """Add what follows a star, since a star may stand for nothing. Two stars never follow each other."""
    return places | (places & stars) << 1


def _moves(parts: list[_Part], character: str) -> int:
    return sum(1 << place for place, part in enumerate(parts) if _takes(part, character))


def _takes(part: _Part, character: str) -> bool:
    if part is None:
        return False
    return part == character if isinstance(part, str) else part(character)


def _parse(glob: str) -> list[_Part]:
    parts = list[_Part]()
    place = 0
    while place < len(glob):
        character = glob[place]
        end = _end_of_set(glob, place) if character == "[" else None
        if end is not None:
            parts.append(_set(glob[place + 1 : end]))
            place = end
        elif character == "*":
            if not parts or parts[-1] is not None:
                parts.append(None)
        else:
            parts.append(_any if character == "?" else character)
        place += 1
    return parts


def _any(_: str) -> bool:
    return True


def _end_of_set(glob: str, start: int) -> int | None:
    """Return where the bracket ends that begins at `start`; None if it does not, and stands for itself."""
    first = start + 2 if glob[start + 1 : start + 2] == "!" else start + 1
    end = glob.find("]", first + 1)  # a bracket that comes first is one of the characters
    return end if end > 0 else None


def _set(inner: str) -> _Part:
    negated = inner.startswith("!")
    rest = inner[1:] if negated else inner
    ranges = list[tuple[str, str]]()
    while rest:
        if len(rest) > 2 and rest[1] == "-":
            ranges.append((rest[0], rest[2]))
            rest = rest[3:]
        else:
            ranges.append((rest[0], rest[0]))
            rest = rest[1:]
    return lambda character: any(low <= character <= high for low, high in ranges) != negated
