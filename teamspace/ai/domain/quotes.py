"""Find quoted words in a text: exactly, or else although white space, quotation marks, dashes or encoding differ.

Linear in the text: it is normalized only where its length changes, and these places map a match back to the text.
"""

import re
import unicodedata
from array import array
from bisect import bisect_right
from functools import lru_cache

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
_INVISIBLE_RANGES = (
    (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F),
    (0xD800, 0xDFFF), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F),
)  # fmt: skip
"""Joiners, soft hyphens, text direction, tags, halves of characters."""
_INVISIBLE = dict.fromkeys(code for first, last in _INVISIBLE_RANGES for code in range(first, last + 1))
# Compiling ranges takes a hundredth of the time of compiling 2,200 single characters.
_HIDDEN = re.compile(f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in _INVISIBLE_RANGES)}]")
_SAME = _BLANK | {ord(each): one for one, several in _LIKE.items() for each in several}
"""Characters that are replaced by one that is like them."""
_SHOWN = _BLANK | _INVISIBLE
_UNEVEN = re.compile(r" {2,}|[\x21-\x7e]?[^\x00-\x7f]+")
"""Where normalization can change the length."""
_CHUNK, _MAX_OVERHANG = 16 * 1024, 100
"""Text is normalized in chunks, so that other threads get their turn."""


class _Normalized:
    """A normalized text, and for each of its characters the place in the original."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0
        # The text is like the original from each of these starts on, or up to the next one replaces what ends at `end`.
        self._starts, self._origins, self._ends = array("q", [0]), array("q", [0]), array("q", [-1])

    def keep(self, piece: str) -> None:
        """Append a piece that has as many characters as the original."""
        self._pieces.append(piece)
        self._size += len(piece)

    def replace(self, origin: int, end: int, piece: str) -> None:
        """Append a piece that replaces the original from `origin` up to `end`."""
        self._starts.extend((self._size, self._size + len(piece)))
        self._origins.extend((origin, end))
        self._ends.extend((end, -1))
        self.keep(piece)

    def find(self, words: str) -> tuple[int, int] | None:
        """Return start and end in the original of the first place with these words."""
        at = str(self).find(words)
        return None if at < 0 else (self._original(at)[0], self._original(at + len(words) - 1)[1])

    def _original(self, at: int) -> tuple[int, int]:
        step = bisect_right(self._starts, at) - 1
        if self._ends[step] >= 0:
            return self._origins[step], self._ends[step]
        place = self._origins[step] + at - self._starts[step]
        return place, place + 1

    def __str__(self) -> str:
        self._pieces = ["".join(self._pieces)]
        return self._pieces[0]


def clean(quote: str) -> str:
    """Return the words for display: in one line, without characters that are not visible."""
    return " ".join(quote.translate(_SHOWN).split())


class SearchableText:
    """A text in which quoted words are found; it is normalized once, if at all."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._normalized: _Normalized | None = None

    def __len__(self) -> int:
        return len(self._text)

    def locate(self, quote: str) -> tuple[int, int] | None:
        """Return start and end of the first place with the quoted words, or None."""
        at = self._text.find(quote)
        if at >= 0:
            return at, at + len(quote)
        wanted = str(_normalize(quote)).strip()
        if not wanted:
            return None
        self._normalized = self._normalized or _normalize(self._text)
        return self._normalized.find(wanted)


def _normalize(text: str) -> _Normalized:
    normalized, start = _Normalized(), 0
    while start < len(text):
        end = _end_of_chunk(text, start + _CHUNK)
        _normalize_chunk(normalized, text[start:end].translate(_SAME), start)
        start = end
    return normalized


def _end_of_chunk(text: str, end: int) -> int:
    """Return where a chunk can end: not in white space, and not before a character that combines with another."""
    for place in range(end, min(end + _MAX_OVERHANG, len(text))):
        if not (text[place].isspace() or text[place - 1].isspace() or unicodedata.combining(text[place])):
            return place
    return min(end, len(text))


def _normalize_chunk(normalized: _Normalized, chunk: str, offset: int) -> None:
    done = 0
    for run in _UNEVEN.finditer(chunk):
        normalized.keep(chunk[done : run.start()])
        _normalize_run(normalized, run[0], offset + run.start())
        done = run.end()
    normalized.keep(chunk[done:])


def _normalize_run(normalized: _Normalized, run: str, origin: int) -> None:
    end = origin + len(run)
    if run[0] == " ":
        return normalized.replace(origin, end, " ")
    if unicodedata.is_normalized("NFKC", run) and not _HIDDEN.search(run):
        return normalized.keep(run)
    each = [_fold_one(character) for character in run]
    if sum(map(len, each)) > _MAX_EXPANSION * len(run):
        return normalized.keep(run)
    plain = _fold(run)
    if "".join(each) != plain:  # characters were combined
        return normalized.replace(origin, end, plain)
    for place, piece in enumerate(each, origin):
        if len(piece) == 1:
            normalized.keep(piece)
        else:
            normalized.replace(place, place + 1, piece)
    return None


def _fold(run: str) -> str:
    return unicodedata.normalize("NFKC", run.translate(_INVISIBLE)).translate(_SAME)


_fold_one = lru_cache(4096)(_fold)
