"""Text as words: one reading for what is written and for what is asked, the same on both databases.

Case, width and the accents of Latin, Greek and Cyrillic make no difference. Scripts that are written without
spaces become pairs of neighbouring characters, so that any part of a run can be found without a dictionary.
"""

import re
import time
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import accumulate

MADE_BY = 1
"""Which reading this is. Another number has every text read anew, a few at a time, by `refresh`."""

LONGEST = 64
MOST_WORDS = 50_000
MOST_CHARACTERS = 12 * MOST_WORDS
"""How far a text is read at all: signs without a word between them are no reason to go on for ever."""
MOST_BYTES = 900_000
"""PostgreSQL keeps at most 1 MiB of one text: its words, and up to five bytes for the place of each."""
MOST_SECONDS = 2.0
"""Of a processor's time for one text; what is left then is not read."""
_PLACE_BYTES = 5
_LONGEST_NAME = 1_000
_PIECE = 4_000
_ENDS = " \n\t.,;:\u3002\u3001\uff0c\uff0e\uff01\uff1f"
_MOST_MARKS = 8
"""On one letter. Putting marks in their order takes quadratic time, and no writing has more."""
_TURN_TO_MARKS = "\u0f73\u0f75\u0f81\uff9e\uff9f"
"""Signs that are no marks until they are normalised."""
_GROWTH, _ROOM = 4, 100
"""How many times longer a text may become, and by how much a short one: a single sign may stand for 18."""

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
    most = _GROWTH * len(text) + _ROOM
    text = _many_marks().sub(r"\1", _INVISIBLE.sub("", text))
    text = unicodedata.normalize("NFKC", text)[:most].casefold()
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


def of_name(name: str) -> str:
    """The words of a title or of labels, with a space between two."""
    return " ".join(words(name[:_LONGEST_NAME]))


def of_text(text: str) -> str:
    """The words of a text with a space between two, as far as the index takes them and there is time."""
    end, size, found = time.thread_time() + MOST_SECONDS, MOST_BYTES, list[str]()
    for piece in _pieces(text[:MOST_CHARACTERS]):
        taken = words(piece)[: MOST_WORDS - len(found)]
        sizes = list(accumulate(len(word.encode()) + _PLACE_BYTES for word in taken))
        fitting = sum(needed <= size for needed in sizes)
        found += taken[:fitting]
        if fitting < len(taken) or len(found) == MOST_WORDS or time.thread_time() > end:
            break
        size -= sizes[-1] if sizes else 0
    return " ".join(found)


def _pieces(text: str) -> Iterator[str]:
    """Each to the end of a word, unless it has none: no more is read than is needed, and others get their turn."""
    start = 0
    while start < len(text):
        end = start + _PIECE
        if end < len(text):
            end = max(text.rfind(sign, start, end) for sign in _ENDS) + 1 or end
        yield text[start:end]
        start = end


@cache
def pattern() -> re.Pattern[str]:
    """One run: characters without spaces, or letters and digits with the marks they wear."""
    return re.compile(f"[{UNSPACED}]+|[^\\W_{UNSPACED}](?:[^\\W_{UNSPACED}]|[{_marks()}])*")


@cache
def _many_marks() -> re.Pattern[str]:
    """More marks on one letter than any writing has; those that are kept are the first group."""
    marks = "".join(sign for sign in map(chr, range(0x300, 0x1F000)) if unicodedata.combining(sign)) + _TURN_TO_MARKS
    return re.compile(f"([{marks}]{{{_MOST_MARKS}}})[{marks}]++")


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED}]")


@cache
def _marks() -> str:
    """Every mark there is: letters of Indic and other scripts are made with them."""
    return "".join(chr(place) for place in range(0x300, 0x1F000) if unicodedata.category(chr(place))[0] == "M")
