"""Data types of search."""

from collections.abc import Callable
from typing import Annotated, Literal

import msgspec

from teamspace.core.db import Fence
from teamspace.core.paging import Paging

Kind = Literal["note", "object", "entity", "conversation"]


class SearchQuery(Paging, frozen=True, forbid_unknown_fields=True, kw_only=True):
    q: Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
    """Every word must match, the last one also as a prefix; words in double quotes must match as a phrase."""
    types: tuple[Annotated[str, msgspec.Meta(max_length=100)], ...] = ()
    """`note`, `object`, `entity` or `conversation`; several separated by commas or by repeating the parameter. Default: all."""
    scope: Literal["org"] | None = None
    """`org` searches the whole company; needs org:read."""


class SearchResult(msgspec.Struct, frozen=True):
    type: Kind
    id: str
    title: str
    content_type: str | None
    """Of an object: `text/markdown` is a document, all else a file."""
    snippet: str
    """Safe HTML: an excerpt with the words in `<mark>` and everything else escaped."""
    version: int | None
    """The newest version; null if it has none."""
    score: float
    """How well it matches, between 0 and 1; scores of different queries are not comparable."""
    updated_at: str


class RankedText(msgspec.Struct, frozen=True):
    """A text that matches, by its id in the index, before anyone's rights are considered."""

    kind: Kind
    id: int
    points: int


class Hit(msgspec.Struct, frozen=True):
    """A search result before its snippet is made."""

    type: Kind
    id: str
    points: int
    title: str
    content_type: str | None
    text: str
    """The part of the text that is searched for a snippet."""
    version: int | None
    updated_at: str


class SearchableKind(msgspec.Struct, frozen=True):
    """Something that can be searched."""

    kind: Kind
    """The kind in the full-text index."""
    read_fence: Callable[..., Fence]
    """Takes a caller and `across_org`, returns the fence of rows they can read; its table has `id` and `updated_at`."""
