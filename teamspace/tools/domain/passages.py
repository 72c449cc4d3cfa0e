"""Passages: how models read long texts, a part at a time."""

from typing import Annotated

import msgspec
from msgspec import Meta

from teamspace.core import pools
from teamspace.core.errors import NotFound

MAX_LENGTH = 12_000
"""In characters."""
MAX_BYTES = 14 * 1024
"""As JSON. With its description a passage must be short enough for a model to see all of it."""
Start = Annotated[int, Meta(ge=0, le=2**31, description="The first character of the passage.")]
Length = Annotated[int, Meta(ge=1, le=MAX_LENGTH, description="The maximum number of characters to return.")]
Find = Annotated[str, Meta(max_length=500, description="Words to look for, from `start` on.")]
_LEAD = 200
"""Characters before the words that were searched for."""
_PIECE, _OVERLAP = 4_000, 400
_MAX_WORDS = 32


class Passage(msgspec.Struct, frozen=True):
    """The part of a text from `start` up to `end`."""

    start: int
    end: int
    total: int
    text: str


async def cut(text: str, start: int, length: int, find: str) -> Passage:
    """Return the passage at `start`, or the first one after it with the words of `find`; NotFound if there is none."""
    if find:
        place = await pools.TEXT.run(_locate, text, find, start)
        if place is None:
            raise NotFound("tools.no_passage")
        start = max(start, place - _LEAD)
    passage = _fitting(text[start : start + min(length, MAX_LENGTH)])
    start = min(start, len(text))
    return Passage(start, start + len(passage), len(text), passage)


def _fitting(passage: str) -> str:
    """Return as much of the passage as fits into MAX_BYTES."""
    while (size := len(msgspec.json.encode(passage))) > MAX_BYTES:
        passage = passage[: len(passage) * MAX_BYTES // size]
    return passage


def _locate(text: str, find: str, start: int) -> int | None:
    """Return where the words are: as a phrase, or most of them together. Upper and lower case are the same."""
    lowered, phrase = lower(text), lower(" ".join(find.split()))
    place = lowered.find(phrase, start)
    return place if place >= 0 else _locate_words(lowered, list(dict.fromkeys(phrase.split()))[:_MAX_WORDS], start)


def _locate_words(lowered: str, words: list[str], start: int) -> int | None:
    best, place = 0, None
    for begin in range(start, len(lowered), _PIECE - _OVERLAP):
        piece = lowered[begin : begin + _PIECE]
        found = [at for at in map(piece.find, words) if at >= 0]
        if len(found) > best:
            best, place = len(found), begin + min(found)
    return place


def lower(text: str) -> str:
    """Return the text in lower case, with as many characters as before: only one has a longer lower case."""
    return text.replace("\u0130", "i").lower()
