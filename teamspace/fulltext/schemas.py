"""The shapes of full text."""

import msgspec


class Term(msgspec.Struct, frozen=True):
    """Words that must stand side by side; mostly it is one."""

    words: tuple[str, ...]
    prefix: bool = False
    """Whether the last of them may go on."""


class Query(msgspec.Struct, frozen=True):
    """What somebody looks for: texts that hold every term."""

    terms: tuple[Term, ...]
    shown: tuple[str, ...]
    """The same as whole words and runs, to be marked in a snippet."""
    prefix: str | None
    """The one of those that may be the beginning of a longer word."""


class Hits(msgspec.Struct, frozen=True):
    """The texts of one kind and company that a query matches, as parts of a SELECT of the reader's own."""

    source: str
    """For FROM; the row of the text is `texts`."""
    where: str
    score: str
    """Between 0 and 1. It depends on the text alone: what others wrote shows in no figure."""
    newest_first: str
    params: dict[str, str]


class Prepared(msgspec.Struct, frozen=True):
    """A text that was read before the transaction that keeps it: as it is shown, and its words."""

    text: str
    words: str


class Words(msgspec.Struct, frozen=True):
    """The words of a text, with a space between two."""

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


class TextRow(msgspec.Struct, frozen=True):
    """A text whose words are to be made."""

    id: int
    title: str
    labels: str
    body: str
