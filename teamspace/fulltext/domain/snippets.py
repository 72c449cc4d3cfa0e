"""Where in a text the words stand, shown: some 200 characters around them, with `<mark>` about each.

All else is escaped, so that the snippet is safe HTML with one element in it, whatever the text holds.
"""

from collections.abc import Iterator
from html import escape
from itertools import islice, takewhile

from teamspace.fulltext.domain import words
from teamspace.fulltext.schemas import Query

LENGTH = 200
READ = 100_000
"""How far into a text is looked for a place to show."""
_PIECE, _OVERLAP = 4_000, 200
_LEAD = 60
"""How much stands before the first mark."""

Span = tuple[int, int, str]
"""From where to where a word stands, and which it is."""


def snippet(text: str, query: Query) -> str:
    text = text[:READ]
    spans = _richest(text, query)
    start, end = _window(text, spans)
    inside = [span for span in spans if start <= span[0] and span[1] <= end]
    return f"{'…' if start else ''}{_marked(text, start, end, inside)}{'…' if end < len(text) else ''}"


def _richest(text: str, query: Query) -> list[Span]:
    """Where the words stand in the first piece of the text that has the most of them."""
    best: list[Span] = []
    most = 0
    for start in range(0, len(text), _PIECE - _OVERLAP):
        piece = text[start : start + _PIECE]
        plain = words.folded(piece)
        if sum(word in plain for word in query.shown) <= most:
            continue
        spans = sorted(_spans(piece, start, query))
        if (different := len({word for _, _, word in spans})) > most:
            best, most = spans, different
        if most == len(query.shown):
            break
    return best


def _spans(piece: str, start: int, query: Query) -> Iterator[Span]:
    for found in words.pattern().finditer(piece):
        plain = words.folded(found[0])
        if words.is_unspaced(plain):
            yield from _inside(found[0], start + found.start(), query)
        elif word := _same(plain, query):
            yield start + found.start(), start + found.end(), word


def _same(plain: str, query: Query) -> str | None:
    """The word of the query that a word of the text is, or begins with; a sign such as ½ is several."""
    for run in words.runs(plain):
        if run in query.shown:
            return run
    return query.prefix if query.prefix and plain.startswith(query.prefix) else None


def _inside(run: str, start: int, query: Query) -> Iterator[Span]:
    """The places inside a run without spaces. A character may be folded to none, one or several."""
    plain, places = "", []
    for place, character in enumerate(run):
        simple = words.folded(character)
        plain += simple
        places += [place] * len(simple)
    places.append(len(run))
    for word in query.shown:
        at = plain.find(word)
        while at >= 0:
            yield start + places[at], start + places[at + len(word)], word
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
    best, most = spans[0][0], 0
    for place, (start, _, _) in enumerate(spans):
        if (different := len(_near(spans, place, start + LENGTH - _LEAD))) > most:
            best, most = start, different
    return best


def _near(spans: list[Span], place: int, end: int) -> set[str]:
    return {word for _, _, word in takewhile(lambda span: span[1] <= end, islice(spans, place, None))}


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
