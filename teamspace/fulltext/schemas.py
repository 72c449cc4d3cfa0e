"""Data types of full-text search."""

import msgspec


class Term(msgspec.Struct, frozen=True):
    """A phrase: words that must be adjacent; usually one word."""

    words: tuple[str, ...]
    prefix: bool = False
    """Whether the last word is a prefix."""


class Query(msgspec.Struct, frozen=True):
    """A parsed query; a text must contain every term."""

    terms: tuple[Term, ...]
    highlights: tuple[str, ...]
    """The words to highlight in snippets."""
    prefix: str | None
    """The word of `highlights` that is a prefix."""


class Hits(msgspec.Struct, frozen=True):
    """The texts of one kind and company that match a query, as parts of a SELECT for the caller to build."""

    source: str
    """For FROM; the row of the text is `texts`."""
    where: str
    score: str
    """Between 0 and 1. It depends on this text only, so that scores reveal nothing about other texts."""
    newest_first: str
    params: dict[str, str]
    index: str = ""
    """For FROM, if the index alone has the matches and their scores: then each is a row of it, by the id of its text."""
    in_index: str = ""
    """For WHERE."""


class Prepared(msgspec.Struct, frozen=True):
    """A text that was tokenised before the transaction that stores it: plain text and words."""

    text: str
    words: str


class Words(msgspec.Struct, frozen=True):
    """The words of a text, separated by spaces."""

    title_words: str
    label_words: str
    body_words: str


class NewText(msgspec.Struct, frozen=True):
    kind: str
    ref: str
    org_id: str
    made_by: int
    title: str
    labels: str
    body: str
    words: Words


class TitleRow(msgspec.Struct, frozen=True):
    ref: str
    title: str


class TextRow(msgspec.Struct, frozen=True):
    """A text to tokenise again."""

    id: int
    title: str
    labels: str
    body: str
