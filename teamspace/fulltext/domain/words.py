"""The tokeniser: the same for texts and queries, and on both databases.

Case, width and the accents of Latin, Greek and Cyrillic are ignored. Scripts without spaces become bigrams (pairs of
adjacent characters), so that any part of a run can be found without a dictionary.
"""

import re
import time
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from math import inf

TOKENIZER_VERSION = 1
"""Increase it when the tokeniser changes: `refresh` then tokenises every text again, a few at a time."""

MAX_LENGTH = 64
MAX_WORDS = 50_000
MAX_CHARACTERS = 12 * MAX_WORDS
"""How much of a text is tokenised, even if most of it is not words."""
MAX_BYTES = 900_000
"""PostgreSQL limits a tsvector to 1 MiB: the words, and up to five bytes for each position."""
MAX_SECONDS = 2.0
"""CPU seconds for one text; the rest of it is not indexed."""
_PLACE_BYTES = 5
_MAX_NAME = 1_000
_PIECE = 4_000
_ENDS = " \n\t.,;:\u3002\u3001\uff0c\uff0e\uff01\uff1f"
_MAX_MARKS = 8
"""Combining marks per letter. Normalisation sorts them in quadratic time, and no script uses more."""
_BECOME_MARKS = "\u0f73\u0f75\u0f81\uff9e\uff9f"
"""Characters that only become combining marks by normalisation."""
_GROWTH, _ROOM = 4, 100
"""How much longer a text can become by normalisation: a factor, and a constant since one character can become 18."""

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u318e\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_ACCENTS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
"""Combining marks of Latin, Greek and Cyrillic letters. In other scripts marks can be vowels, so they stay."""
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff]+")
_PLAIN_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "\u0131": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters whose plain form is not found by decomposition."""
_SPACED = str.maketrans({sign: " " for sign in map(chr, range(128)) if not sign.isalnum()})


def fold(text: str) -> str:
    """Remove case, width and accents."""
    if text.isascii():
        return text.lower()
    limit = _GROWTH * len(text) + _ROOM
    text = _many_marks().sub(r"\1", _INVISIBLE.sub("", text))
    text = unicodedata.normalize("NFKC", text)[:limit].casefold()
    text = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", text).translate(_PLAIN_LETTERS)


def words(text: str) -> list[str]:
    """Return all words in order; for a run without spaces its bigrams and its last character."""
    plain = fold(text)
    if plain.isascii():
        return [run[:MAX_LENGTH] for run in runs(plain)]
    return [word for run in runs(plain) for word in _words_of_run(run)]


def _words_of_run(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run))] if is_unspaced(run) else [run[:MAX_LENGTH]]


def runs(plain: str) -> list[str]:
    """Split a folded text at spaces, punctuation, and changes between scripts with and without spaces."""
    if plain.isascii():
        return plain.translate(_SPACED).split()  # several times as fast as a regular expression
    return pattern().findall(plain)


def is_unspaced(run: str) -> bool:
    return not run.isascii() and _unspaced().match(run) is not None


def name_words(name: str) -> str:
    """Return the words of a title or labels, separated by spaces."""
    return " ".join(words(name[:_MAX_NAME]))


def text_words(text: str) -> str:
    """Return the words of a text separated by spaces, up to the limits of index and time."""
    # The clock is a system call: a short text is not worth it.
    end = time.thread_time() + MAX_SECONDS if len(text) > _PIECE else inf
    size, found = MAX_BYTES, list[str]()
    for piece in _pieces(text[:MAX_CHARACTERS]):
        taken = words(piece)[: MAX_WORDS - len(found)]
        needed = len("".join(taken).encode()) + _PLACE_BYTES * len(taken)
        if needed > size:
            found += taken[: _count_fitting(taken, size)]
            break
        found += taken
        size -= needed
        if len(found) == MAX_WORDS or (end < inf and time.thread_time() > end):
            break
    return " ".join(found)


def _count_fitting(found: list[str], size: int) -> int:
    sizes = accumulate(len(word.encode()) + _PLACE_BYTES for word in found)
    return sum(needed <= size for needed in sizes)


def distinct_words(text: str, limit: int) -> list[str]:
    """Return the first `limit` different words of a text, sorted by their bytes."""
    found = words(text) if len(text) <= _PIECE else text_words(text).split()
    return sorted(list(dict.fromkeys(found))[:limit])


def _pieces(text: str) -> Iterator[str]:
    """Split at word boundaries, if there are any, so that the limits can be checked after each piece."""
    start = 0
    while start < len(text):
        end = start + _PIECE
        if end < len(text):
            end = max(text.rfind(sign, start, end) for sign in _ENDS) + 1 or end
        yield text[start:end]
        start = end


def load() -> None:
    """Build what is kept for all texts. It takes a tenth of a second, which the first text would take otherwise."""
    for build in (pattern, _many_marks, _unspaced):
        build()


@cache
def pattern() -> re.Pattern[str]:
    """Match one run: characters of scripts without spaces, or letters and digits with their combining marks."""
    return re.compile(f"[{UNSPACED}]+|[^\\W_{UNSPACED}](?:[^\\W_{UNSPACED}]|[{_marks()}])*")


@cache
def _many_marks() -> re.Pattern[str]:
    """Match more than _MAX_MARKS combining marks in a row; the first group is the part to keep."""
    marks = "".join(sign for sign in map(chr, range(0x300, 0x1F000)) if unicodedata.combining(sign)) + _BECOME_MARKS
    return re.compile(f"([{marks}]{{{_MAX_MARKS}}})[{marks}]++")


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]")


@cache
def _marks() -> str:
    """Return all combining marks: letters of Indic and other scripts use them."""
    return "".join(chr(place) for place in range(0x300, 0x1F000) if unicodedata.category(chr(place))[0] == "M")
