"""Where in a text the words stand, shown: some 200 characters around them, with `<mark>` about each.

All else is escaped, so that the snippet is safe HTML with one element in it, whatever the text holds.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from itertools import islice

from teamspace.core import pools
from teamspace.fulltext.domain import words
from teamspace.fulltext.schemas import Query

LENGTH = 200
READ = 100_000
"""How far into a text is looked for a place to show."""
MOST_READ, MOST_SECONDS = 500_000, 0.5
"""For all snippets of one answer: characters, which they share, and a processor's time."""
_MOST_SHOWN = 32
"""Words of a question that are marked."""
_MOST_SPANS, _MOST_EACH = 1_000, 50
"""Marks in a piece, and of one word in a run without spaces."""
_PIECE, _OVERLAP = 4_000, 200
_LEAD = 60
"""How much stands before the first mark."""

Span = tuple[int, int, str]
"""From where to where a word stands, and which it is."""


async def snippets(texts: Sequence[str], query: Query) -> list[str]:
    """One of each, in a thread, within a share of the work that an answer may cost."""
    return await pools.TEXT.run(_snippets, texts, query)


def _snippets(texts: Sequence[str], query: Query) -> list[str]:
    end = time.thread_time() + MOST_SECONDS
    most = min(READ, MOST_READ // max(1, len(texts)))
    return [snippet(text[:most] if time.thread_time() < end else text[:LENGTH], query) for text in texts]


def snippet(text: str, query: Query) -> str:
    text = text[:READ]
    spans = _richest(text, query)
    start, end = _window(text, spans)
    inside = [span for span in spans if start <= span[0] and span[1] <= end]
    return f"{'…' if start else ''}{_marked(text, start, end, inside)}{'…' if end < len(text) else ''}"


def _richest(text: str, query: Query) -> list[Span]:
    """Where the words stand in the first piece of the text that has the most of them."""
    best: list[Span] = []
    most, shown = 0, query.shown[:_MOST_SHOWN]
    for start in range(0, len(text), _PIECE - _OVERLAP):
        piece = text[start : start + _PIECE]
        plain = words.folded(piece)
        if sum(word in plain for word in shown) <= most:
            continue
        spans = sorted(islice(_spans(piece, start, query, shown), _MOST_SPANS))
        if (different := len({word for _, _, word in spans})) > most:
            best, most = spans, different
        if most == len(shown):
            break
    return best


def _spans(piece: str, start: int, query: Query, shown: Sequence[str]) -> Iterator[Span]:
    for found in words.pattern().finditer(piece):
        plain = words.folded(found[0])
        if words.is_unspaced(plain):
            yield from _inside(found[0], start + found.start(), shown)
        elif word := _same(plain, query.prefix, shown):
            yield start + found.start(), start + found.end(), word


def _same(plain: str, prefix: str | None, shown: Sequence[str]) -> str | None:
    """The word of the query that a word of the text is, or begins with; a sign such as ½ is several."""
    for run in words.runs(plain):
        if run in shown:
            return run
    return prefix if prefix and plain.startswith(prefix) else None


def _inside(run: str, start: int, shown: Sequence[str]) -> Iterator[Span]:
    """The places inside a run without spaces. A character may be folded to none, one or several."""
    simple = [words.folded(character) for character in run]
    plain, places = "".join(simple), [place for place, signs in enumerate(simple) for _ in signs] + [len(run)]
    for word in shown:
        for at in islice(_places(plain, word), _MOST_EACH):
            yield start + places[at], start + places[at + len(word)], word


def _places(plain: str, word: str) -> Iterator[int]:
    at = plain.find(word)
    while at >= 0:
        yield at
        at = plain.find(word, at + len(word))


def _window(text: str, spans: list[Span]) -> tuple[int, int]:
    """Around the marks that stand closest together, from the beginning of a word to the end of one."""
    if not spans:
        return 0, _cut(text, LENGTH)
    first = _densest(spans)
    begin = max(0, first - _LEAD)
    if begin and (space := text.find(" ", begin, first)) >= 0:
        begin = space + 1
    return begin, _cut(text, begin + LENGTH)


def _densest(spans: list[Span]) -> int:
    """Where the stretch begins that holds the most different words."""
    best, most, last, near = spans[0][0], 0, 0, Counter[str]()
    for place, (start, _, word) in enumerate(spans):
        last = max(last, place)
        while last < len(spans) and spans[last][1] <= start + LENGTH - _LEAD:
            near[spans[last][2]] += 1
            last += 1
        if len(near) > most:
            best, most = start, len(near)
        if last > place:
            near[word] -= 1
            near += Counter()  # drops what has come down to none
    return best


def _cut(text: str, end: int) -> int:
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", end - _LEAD // 2, end)
    return space if space > 0 else end


def _marked(text: str, start: int, end: int, spans: list[Span]) -> str:
    parts, at = [], start
    for first, last, _ in spans:
        if first >= at:
            parts += [_safe(text[at:first]), f"<mark>{_safe(text[first:last])}</mark>"]
            at = last
    return " ".join("".join([*parts, _safe(text[at:end])]).split())


def _safe(text: str) -> str:
    return escape(text, quote=False)
