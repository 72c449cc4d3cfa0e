"""Find quoted words in a text: exactly, or else although white space, quotation marks, dashes or encoding differ.

Linear in the text: it is normalized only where its length changes, and these places map a match back to the text.
"""

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterator

_MAX_EXPANSION = 4
"""A run that would get longer by this factor is left as it is."""
_LIKE = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u00b4\u0060\u02bc",
    '"': "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
}  # fmt: skip
_BLANK = dict.fromkeys(
    (*range(0x21), *range(0x7F, 0xA1), 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000), " "
)
"""Control characters and white space."""
_INVISIBLE = dict.fromkeys(
    (0xAD, 0x61C, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF,
     *range(0xFFF9, 0xFFFC), *range(0xD800, 0xE000), *range(0xE0000, 0xE0080))
)  # fmt: skip
"""Joiners, soft hyphens, text direction, tags, halves of characters."""
_SAME = _BLANK | {ord(each): one for one, several in _LIKE.items() for each in several}
"""Characters that are replaced by one that is like them."""
_SHOWN = _BLANK | _INVISIBLE
_UNEVEN = re.compile(r" {2,}|[\x21-\x7e]?[^\x00-\x7f]+")
"""Where normalization can change the length."""


class _Places:
    """Maps the characters of a normalized text to the original, by the places where both differ."""

    def __init__(self) -> None:
        self._starts, self._origins, self._ends = array("q", [0]), array("q", [0]), array("q", [-1])

    def replace(self, start: int, size: int, origin: int, end: int) -> None:
        """`size` characters from `start` on are those from `origin` up to `end`, and then both go on alike."""
        self._starts.extend((start, start + size))
        self._origins.extend((origin, end))
        self._ends.extend((end, -1))

    def original(self, at: int) -> tuple[int, int]:
        """Return start and end in the original of the normalized character at `at`."""
        step = bisect_right(self._starts, at) - 1
        if self._ends[step] >= 0:
            return self._origins[step], self._ends[step]
        place = self._origins[step] + at - self._starts[step]
        return place, place + 1


def clean(quote: str) -> str:
    """Return the words for display: in one line, without characters that are not visible."""
    return " ".join(quote.translate(_SHOWN).split())


def locate(text: str, quote: str) -> tuple[int, int] | None:
    """Return start and end of the first place with the quoted words, or None."""
    at = text.find(quote)
    if at >= 0:
        return at, at + len(quote)
    wanted = _normalize(quote)[0].strip()
    if not wanted:
        return None
    normalized, places = _normalize(text)
    at = normalized.find(wanted)
    return None if at < 0 else (places.original(at)[0], places.original(at + len(wanted) - 1)[1])


def _normalize(text: str) -> tuple[str, _Places]:
    pieces, places, done, size = list[str](), _Places(), 0, 0
    even = text.translate(_SAME)
    for run in _UNEVEN.finditer(even):
        for start, end, piece in _uneven_pieces(run[0], run.start()):
            pieces += [even[done:start], piece]
            size += start - done
            places.replace(size, len(piece), start, end)
            size, done = size + len(piece), end
    return "".join([*pieces, even[done:]]), places


def _uneven_pieces(run: str, at: int) -> Iterator[tuple[int, int, str]]:
    """Return the parts of a run that normalization changes: start, end and the new text."""
    if run[0] == " ":
        yield at, at + len(run), " "
        return
    plain = _fold(run)
    if plain == run or len(plain) > _MAX_EXPANSION * len(run):
        return
    each = [_fold(character) for character in run]
    if "".join(each) != plain:  # characters were combined
        yield at, at + len(run), plain
        return
    yield from ((at + place, at + place + 1, new) for place, new in enumerate(each) if new != run[place])


def _fold(run: str) -> str:
    return unicodedata.normalize("NFKC", run.translate(_INVISIBLE)).translate(_SAME)
