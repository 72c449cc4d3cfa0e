"""Snippets: about 200 characters of a text around the words of a query, with `<mark>` around each word.

Everything else is escaped, so the snippet is safe HTML whose only element is `<mark>`, whatever the text contains.
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
MAX_SEARCHED = 100_000
"""How many characters of a text are searched for a snippet."""
MAX_READ, MAX_SECONDS = 500_000, 0.5
"""Per response, for all snippets together: characters searched, and CPU seconds."""
_MAX_WORDS = 32
"""Words of a query that are highlighted."""
_MAX_SPANS, _MAX_EACH = 1_000, 50
"""Highlights in a piece of text, and of one word in a run without spaces."""
_PIECE, _OVERLAP = 4_000, 200
_LEAD = 60
"""Characters before the first highlight."""

Span = tuple[int, int, str]
"""Start and end of a match, and the word."""


async def snippets(texts: Sequence[str], query: Query) -> list[str]:
    """Return a snippet of each text; runs in a thread, within the limits for one response."""
    return await pools.TEXT.run(_snippets, texts, query)


def _snippets(texts: Sequence[str], query: Query) -> list[str]:
    end = time.thread_time() + MAX_SECONDS
    limit = min(MAX_SEARCHED, MAX_READ // max(1, len(texts)))
    return [snippet(text[:limit] if time.thread_time() < end else text[:LENGTH], query) for text in texts]


def snippet(text: str, query: Query) -> str:
    text = text[:MAX_SEARCHED]
    spans = _best_spans(text, query)
    start, end = _window(text, spans)
    inside = [span for span in spans if start <= span[0] and span[1] <= end]
    return f"{'…' if start else ''}{_highlight(text, start, end, inside)}{'…' if end < len(text) else ''}"


def _best_spans(text: str, query: Query) -> list[Span]:
    """Return the matches in the first piece of the text that contains the most different words."""
    best: list[Span] = []
    best_count, highlights = 0, query.highlights[:_MAX_WORDS]
    for start in range(0, len(text), _PIECE - _OVERLAP):
        piece = text[start : start + _PIECE]
        plain = words.fold(piece)
        if sum(word in plain for word in highlights) <= best_count:
            continue
        spans = sorted(islice(_spans(piece, start, query, highlights), _MAX_SPANS))
        if (different := len({word for _, _, word in spans})) > best_count:
            best, best_count = spans, different
        if best_count == len(highlights):
            break
    return best


def _spans(piece: str, start: int, query: Query, highlights: Sequence[str]) -> Iterator[Span]:
    for found in words.pattern().finditer(piece):
        plain = words.fold(found[0])
        if words.is_unspaced(plain):
            yield from _spans_in_run(found[0], start + found.start(), highlights)
        elif word := _matching_word(plain, query.prefix, highlights):
            yield start + found.start(), start + found.end(), word


def _matching_word(plain: str, prefix: str | None, highlights: Sequence[str]) -> str | None:
    """Return the query's word that matches a word of the text, if any; a character such as ½ folds to several words."""
    for run in words.runs(plain):
        if run in highlights:
            return run
    return prefix if prefix and plain.startswith(prefix) else None


def _spans_in_run(run: str, start: int, highlights: Sequence[str]) -> Iterator[Span]:
    """Find matches in a run without spaces. A character can fold to none, one or several."""
    simple = [words.fold(character) for character in run]
    plain, places = "".join(simple), [place for place, signs in enumerate(simple) for _ in signs] + [len(run)]
    for word in highlights:
        for at in islice(_places(plain, word), _MAX_EACH):
            yield start + places[at], start + places[at + len(word)], word


def _places(plain: str, word: str) -> Iterator[int]:
    at = plain.find(word)
    while at >= 0:
        yield at
        at = plain.find(word, at + len(word))


def _window(text: str, spans: list[Span]) -> tuple[int, int]:
    """Return start and end of the snippet, around the densest matches and at word boundaries."""
    if not spans:
        return 0, _cut_at_space(text, LENGTH)
    first = _densest_start(spans)
    begin = max(0, first - _LEAD)
    if begin and (space := text.find(" ", begin, first)) >= 0:
        begin = space + 1
    return begin, _cut_at_space(text, begin + LENGTH)


def _densest_start(spans: list[Span]) -> int:
    """Return the start of the stretch that contains the most different words."""
    best, best_count, last, near = spans[0][0], 0, 0, Counter[str]()
    for place, (start, _, word) in enumerate(spans):
        last = max(last, place)
        while last < len(spans) and spans[last][1] <= start + LENGTH - _LEAD:
            near[spans[last][2]] += 1
            last += 1
        if len(near) > best_count:
            best, best_count = start, len(near)
        if last > place:
            near[word] -= 1
            near += Counter()  # removes zero counts
    return best


def _cut_at_space(text: str, end: int) -> int:
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", end - _LEAD // 2, end)
    return space if space > 0 else end


def _highlight(text: str, start: int, end: int, spans: list[Span]) -> str:
    parts, at = [], start
    for first, last, _ in spans:
        if first >= at:
            parts += [_safe(text[at:first]), f"<mark>{_safe(text[first:last])}</mark>"]
            at = last
    return " ".join("".join([*parts, _safe(text[at:end])]).split())


def _safe(text: str) -> str:
    return escape(text, quote=False)
