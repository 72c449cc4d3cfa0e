"""Data types of translations and glossaries."""

from enum import StrEnum
from typing import Annotated

import msgspec

from teamspace.completions import TokenUsage
from teamspace.core.messages import Param
from teamspace.core.paging import Paging

MAX_TEXT = 100_000
MAX_KEYS, MAX_CATALOG = 2_000, 200_000
"""Entries of a catalog, and characters of its keys and texts in all."""
MAX_TERM, MAX_TERM_WORDS, MAX_NOTE = 100, 20, 500
MAX_FORBIDDEN = 5
MAX_TERMS = 5_000
"""Per team and target language."""

_Language = Annotated[
    str, msgspec.Meta(min_length=2, max_length=35, description="A language tag, such as `de` or `pt-BR`.")
]
_Key = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
_Phrase = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_TERM)]


class NewTranslation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_TEXT)]
    target: _Language
    source: _Language | None = None
    """Without it, the model finds out."""
    dry_run: bool = False
    """Estimate the cost and whether the quota admits it, without doing it."""


class NewCatalogTranslation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    catalog: Annotated[dict[_Key, str], msgspec.Meta(min_length=1, max_length=MAX_KEYS)]
    target: _Language
    source: _Language | None = None
    dry_run: bool = False


class Check(StrEnum):
    """What every segment of a translation is checked for."""

    MISSING = "missing"
    EMPTY = "empty"
    UNCHANGED = "unchanged"
    PLACEHOLDERS = "placeholders"
    ICU = "icu"
    PLURALS = "plurals"
    TAGS = "tags"
    LINKS = "links"
    URLS = "urls"
    CODE = "code"
    NUMBERS = "numbers"
    MARKDOWN = "markdown"
    GLOSSARY = "glossary"
    FORBIDDEN = "forbidden"


class SegmentProblem(msgspec.Struct, frozen=True):
    """A check that a translated text fails."""

    check: Check
    message: str
    params: dict[str, Param]
    """The parameters of the message, whose key is `translation.check_<check>`."""


class MessageChecks(msgspec.Struct, frozen=True):
    """What is wrong with the translation of a message: errors, with which it cannot be used, and warnings."""

    errors: list[SegmentProblem]
    warnings: list[SegmentProblem]


class MessageShape(msgspec.Struct, frozen=True):
    """What a translation of a message must have."""

    arguments: list[str]
    plural_categories: list[str]
    """Empty if the message has no plurals."""


class FailedCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """A check that a segment fails even after the repair."""

    segment: int
    """The number of the segment in its text, counted from 0."""
    check: Check
    message: str
    excerpt: str
    """The beginning of the segment's source."""
    params: dict[str, Param] = {}
    """The parameters of the message, whose key is `translation.check_<check>`."""
    key: str | None = None
    """The key of the text in the translated catalog."""


class GlossaryHit(msgspec.Struct, frozen=True):
    """A term of the glossary in the source: how often it occurs, and how often its translation was used for it."""

    term: str
    translation: str
    count: int
    applied: int


class Translation(msgspec.Struct, frozen=True):
    text: str
    source: str | None
    """As given, or as the model says; null if it says nothing."""
    target: str
    checks: list[FailedCheck]
    glossary_hits: list[GlossaryHit]
    memory_hits: int
    """How many segments were reused from the translation memory, without a model."""
    usage: TokenUsage


class CatalogTranslation(msgspec.Struct, frozen=True):
    catalog: dict[str, str]
    source: str | None
    target: str
    checks: list[FailedCheck]
    glossary_hits: list[GlossaryHit]
    memory_hits: int
    usage: TokenUsage


class TranslationKind(StrEnum):
    TEXT = "text"
    CATALOG = "catalog"


class TranslatedText(msgspec.Struct, frozen=True, omit_defaults=True):
    text: str
    translation: str
    key: str | None = None


class TranslationRecord(msgspec.Struct, frozen=True):
    """A row of the history."""

    id: str
    kind: TranslationKind
    source: str | None
    target: str
    texts: list[TranslatedText]
    """A text's beginning, or the first entries of a catalog."""
    truncated: bool
    checks: list[FailedCheck]
    """The first of them."""
    glossary_hits: list[GlossaryHit]
    memory_hits: int
    model: str
    usage: TokenUsage
    created_at: str


class TermDraft(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A term to add or update; a null translation deletes it."""

    term: _Phrase
    target: _Language
    translation: _Phrase | None
    note: Annotated[str, msgspec.Meta(max_length=MAX_NOTE)] | None = None
    forbidden: Annotated[list[_Phrase], msgspec.Meta(max_length=MAX_FORBIDDEN)] = []
    """Words that must not be used for it."""


class GlossaryTerm(msgspec.Struct, frozen=True):
    term: str
    target: str
    translation: str | None
    """Null in the response to its deletion."""
    note: str | None
    forbidden: list[str]
    updated_at: str


class GlossaryQuery(Paging, frozen=True):
    target: str | None = None


class RememberedSegment(msgspec.Struct, frozen=True):
    """A remembered translation of a segment."""

    digest: str
    text: str
