"""Text as words: one reading for what is written and for what is asked, the same on both databases.

Case, width and the accents of Latin, Greek and Cyrillic make no difference. Scripts that are written without
spaces become pairs of neighbouring characters, so that any part of a run can be found without a dictionary.
"""

import re
import unicodedata
from functools import cache

from teamspace.fulltext.schemas import Words

MADE_BY = 1
"""Which reading this is. Another number has every text read anew, a few at a time, by `refresh`."""

LONGEST = 64
MOST_WORDS = 50_000
MOST_CHARACTERS = 12 * MOST_WORDS
"""How far a text is read at all: signs without a word between them are no reason to go on for ever."""
MOST_BYTES = 1_000_000
"""PostgreSQL keeps at most 1 MiB of one text: its words, and up to five bytes for the place of each."""
_PLACE_BYTES = 5

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u1100-\u11ff\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u318e\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_ACCENTS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
"""The marks that Latin, Greek and Cyrillic letters wear. Elsewhere a mark is a vowel, and stays."""
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff]+")
_WHOLE = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "\u0131": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters that differ from a plainer one without wearing a mark."""
_SPACED = str.maketrans({sign: " " for sign in map(chr, range(128)) if not sign.isalnum()})


def folded(text: str) -> str:
    """Without case, width and accents."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).casefold()
    text = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", text).translate(_WHOLE)


def words(text: str) -> list[str]:
    """Every word in its order; of a run without spaces every pair, and its last character."""
    plain = folded(text)
    if plain.isascii():
        return [run[:LONGEST] for run in runs(plain)]
    return [word for run in runs(plain) for word in _words_of(run)]


def _words_of(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run))] if is_unspaced(run) else [run[:LONGEST]]


def runs(plain: str) -> list[str]:
    """What stands between spaces and signs in a text that is folded, and where one way of writing ends."""
    if plain.isascii():
        return plain.translate(_SPACED).split()  # several times as fast as a pattern
    return pattern().findall(plain)


def is_unspaced(run: str) -> bool:
    return not run.isascii() and _unspaced().match(run) is not None


def kept(title: str, labels: str, body: str) -> Words:
    """The words of a text as far as the index takes them."""
    room, size, found = MOST_WORDS, MOST_BYTES, []
    for text in (title, labels, body):
        taken = words(text[:MOST_CHARACTERS])[:room] if text else []
        while (needed := _size(taken)) > size:
            taken = taken[: len(taken) * 9 // 10]
        found.append(" ".join(taken))
        room, size = room - len(taken), size - needed
    return Words(*found)


def _size(some: list[str]) -> int:
    return len("".join(some).encode()) + _PLACE_BYTES * len(some)


@cache
def pattern() -> re.Pattern[str]:
    """One run: characters without spaces, or letters and digits with the marks they wear."""
    return re.compile(f"[{UNSPACED}]+|[^\\W_{UNSPACED}](?:[^\\W_{UNSPACED}]|[{_marks()}])*")


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]")


@cache
def _marks() -> str:
    """Every mark there is: letters of Indic and other scripts are made with them."""
    return "".join(chr(place) for place in range(0x300, 0x1F000) if unicodedata.category(chr(place))[0] == "M")
