"""The shapes of search."""

from collections.abc import Callable
from typing import Annotated, Literal

import msgspec

from teamspace.core.db import Fence
from teamspace.core.paging import Paging

Kind = Literal["note", "object", "entity"]


class SearchQuery(Paging, frozen=True, forbid_unknown_fields=True, kw_only=True):
    q: Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
    """Every word must match, the last one also as a beginning; what stands in double quotes as it stands there."""
    types: tuple[Annotated[str, msgspec.Meta(max_length=100)], ...] = ()
    """Kinds of things, `note`, `object` or `entity`: several by commas or by repeating it; all of them when left out."""
    scope: Literal["org"] | None = None
    """`org` spans the company, for whoever holds org:read."""


class Found(msgspec.Struct, frozen=True):
    type: Kind
    id: str
    title: str
    snippet: str
    """Safe HTML: some of the text, with the words in `<mark>` and all else escaped."""
    score: float
    """How well it matches, between 0 and 1; figures of different questions say nothing of each other."""
    updated_at: str


class Hit(msgspec.Struct, frozen=True):
    """A row of the answer before its snippet is made."""

    type: Kind
    id: str
    points: int
    title: str
    text: str
    """As far as a snippet is looked for."""
    updated_at: str


class Source(msgspec.Struct, frozen=True):
    """Something that can be found."""

    kind: Kind
    """As in the index of texts."""
    readable: Callable[..., Fence]
    """From a caller and `across_org` to the rows they can read, by id and with their `updated_at`."""
