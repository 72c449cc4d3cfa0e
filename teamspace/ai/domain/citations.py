"""Citations: take a model's markers out of its text, and find the cited words in their source.

A model cites as `[^1: "exact words"]`. What it cites is a claim: it counts only if these words are in that version of
the source, and the caller can read the source at that moment.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator

import msgspec

from teamspace import notes, repository
from teamspace.ai.domain import quotes
from teamspace.ai.domain.quotes import SearchableText
from teamspace.ai.domain.sources import PromptSource, Sources, unescape
from teamspace.ai.schemas import Citation, CitedSource
from teamspace.blobs import BlobStore
from teamspace.core import pools
from teamspace.core.db import Reads
from teamspace.core.errors import NotFound
from teamspace.core.principal import Principal

MAX_MARKER = 2_000
"""The longest marker, in characters: so much of a stream is held back while one may be incomplete."""
MAX_MARKERS = 200
"""Per answer; later markers are ordinary text."""
MIN_QUOTE = 3
_MAX_TEXTS = 4
"""Complete texts of versions that are kept during an answer."""
_THREAD_CHARACTERS = 20_000
"""Longer texts are searched in a thread."""

_HEAD = r'\[\^([0-9]{1,4}):[ ]?["“]'
_MAX_HEAD = len('[^1234: "')
_CANDIDATE = re.compile(rf"{_HEAD}|\[\Z|\[\^[0-9]{{0,4}}\Z|\[\^[0-9]{{1,4}}:[ ]?\Z")
"""The beginning of a marker; at the end of the text it may be incomplete."""
_END_OR_HEAD = re.compile(rf'["”]\]|{_HEAD}')


_SEPARATOR = "\u2063"
"""INVISIBLE SEPARATOR. The server writes it into its citation marks, and removes it from what a model writes."""


def to_mark(number: int) -> str:
    """Return what stands for a citation in an answer; nothing that a model writes is equal to it."""
    return f"[{_SEPARATOR}{number}]"


def without_marks(delta: str) -> str:
    """Return what a model wrote so that none of it is a citation mark."""
    return delta.replace(_SEPARATOR, "")


class Marker(msgspec.Struct, frozen=True):
    """A citation as the model wrote it."""

    number: int
    """The number of the source."""
    quote: str


class Citations:
    """The citations of one answer: a filter for its text, and the check of what it cites."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._held, self._searched = "", 0
        self._markers = 0
        self._numbers: dict[Citation, int] = {}
        """By citation without its number."""
        self._given: dict[tuple[int, int, int], SearchableText] = {}
        """By source and place: the same beginning may have been read twice, and further the second time."""
        self._complete: OrderedDict[int, SearchableText] = OrderedDict()

    def restore(self, cited: Iterable[Citation]) -> None:
        """Count what this answer has cited already, before another server continues it."""
        self._numbers |= {msgspec.structs.replace(each, number=0): each.number for each in cited}
        self._markers = len(self._numbers)

    # The filter

    def feed(self, delta: str) -> list[str | Marker]:
        """Return the text and the markers that are complete; text that may belong to a marker is held back."""
        self._held += delta
        return list(self._take(is_last=False))

    def close(self) -> list[str | Marker]:
        """Return what was held back: there is no more text."""
        return list(self._take(is_last=True))

    def _take(self, *, is_last: bool) -> Iterator[str | Marker]:
        text, at, done = self._held, 0, 0
        while self._markers < MAX_MARKERS and (head := _CANDIDATE.search(text, at)):
            found = self._match(text, head, is_last)
            if found is None:
                at = head.start()
                break
            at, marker = found
            if marker is not None:
                if done < head.start():
                    yield text[done : head.start()]
                yield marker
                done = at
        else:
            at = len(text)
        self._held = text[at:]
        self._searched = len(self._held)
        if done < at:
            yield text[done:at]

    def _match(self, text: str, head: re.Match[str], is_last: bool) -> tuple[int, Marker | None] | None:
        """Return the end of the marker with this head, and the marker, or None if it is none; None if undecided."""
        start, begin, limit = head.start(), head.end(), head.start() + MAX_MARKER
        if head[1] is None:
            return (len(text), None) if is_last else None
        # What was searched before is not searched again, so that many small deltas cost no more than a large one.
        searched = 0 if start else self._searched - _MAX_HEAD
        found = _END_OR_HEAD.search(text, max(begin, searched), limit)
        if found is None:
            return (begin, None) if is_last or len(text) >= limit else None
        if found[1] is not None:  # a second marker begins before the first has ended
            return found.start(), None
        self._markers += 1
        return found.end(), Marker(int(head[1]), text[begin : found.start()])

    # The check

    async def check(self, db: Reads, files: BlobStore, who: Principal, marker: Marker) -> Citation:
        """Find the words in the source, if `who` can read it now; equal citations have one number."""
        found = await self._check(db, files, who, marker)
        number = self._numbers.setdefault(found, len(self._numbers) + 1)
        return msgspec.structs.replace(found, number=number)

    async def _check(self, db: Reads, files: BlobStore, who: Principal, marker: Marker) -> Citation:
        quote, source = quotes.clean(marker.quote), self._sources.get(marker.number)
        if source is None:
            return Citation(0, None, None, None, quote, False, "no_source")
        if not await _can_read(db, who, source):
            hidden = CitedSource(source.type, source.id, "")
            return Citation(0, hidden, None, None, quote, False, "not_readable")
        cited = CitedSource(source.type, source.id, source.title, source.version, source.version_id)
        if len(quote) < MIN_QUOTE:
            return Citation(0, cited, None, None, quote, False, "too_short")
        span = await self._find(db, files, who, source, marker.quote)
        if span is None:
            return Citation(0, cited, None, None, quote, False, "not_found")
        return Citation(0, cited, *span, quote, True)

    async def _find(
        self, db: Reads, files: BlobStore, who: Principal, source: PromptSource, quote: str
    ) -> tuple[int, int] | None:
        """Look at what the model was given first, then at the complete text of the version."""
        given = self._given.setdefault((source.number, source.start, len(source.text)), SearchableText(source.text))
        if span := await _locate(given, quote):
            return span[0] + source.start, span[1] + source.start
        if source.is_complete:
            return None
        return await _locate(await self._load_complete(db, files, who, source), quote)

    async def _load_complete(self, db: Reads, files: BlobStore, who: Principal, source: PromptSource) -> SearchableText:
        if source.number not in self._complete:
            self._complete[source.number] = SearchableText(await _load(db, files, who, source))
            if len(self._complete) > _MAX_TEXTS:
                self._complete.popitem(last=False)
        self._complete.move_to_end(source.number)
        return self._complete[source.number]


async def _can_read(db: Reads, who: Principal, source: PromptSource) -> bool:
    try:
        if source.type == "note":
            await notes.find(db, who, source.id)
        else:
            await repository.get_visible(db, who, source.id)
    except NotFound:
        return False
    return True


async def _load(db: Reads, files: BlobStore, who: Principal, source: PromptSource) -> str:
    """Return the complete text of the version; empty if it is gone. A note has only its newest version."""
    try:
        if source.type == "note":
            note = await notes.find(db, who, source.id)
            return note.body if note.version == source.version else ""
        return (await repository.read_version_text(db, files, who, source.id, source.version)).text
    except NotFound:
        return ""


async def _locate(text: SearchableText, quote: str) -> tuple[int, int] | None:
    """Find the words; an escaped character counts as itself, unless the source contains it in this form."""
    for words in dict.fromkeys((quote, unescape(quote))):
        small = len(text) <= _THREAD_CHARACTERS
        span = text.locate(words) if small else await pools.TEXT.run(text.locate, words)
        if span is not None:
            return span
    return None
