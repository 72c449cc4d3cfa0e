"""Structs of references."""

from typing import Annotated, Literal

import msgspec

from teamspace.core.paging import Paging

SourceKind = Literal["note", "object"]
TargetKind = Literal["note", "object", "person"]


class TextLink(msgspec.Struct, frozen=True, order=True):
    """What a text refers to: a note, an object, or a person who is mentioned."""

    kind: TargetKind
    id: str


class ReferenceRow(msgspec.Struct, frozen=True):
    id: str
    org_id: str
    source_kind: SourceKind
    source_id: str
    target_kind: TargetKind
    target_id: str
    author_id: str
    created_at: str


class TextReference(msgspec.Struct, frozen=True):
    """A text that refers to something."""

    kind: SourceKind
    id: str
    title: str
    author: str
    """Who wrote the link or the mention."""
    created_at: str
    """When it was written."""


class ReferencesQuery(Paging, frozen=True, forbid_unknown_fields=True, kw_only=True):
    to: Annotated[str, msgspec.Meta(min_length=1, max_length=120)]
    """`note:<id>` or `object:<id>`; `document:` and `file:` mean objects."""


class MentionsQuery(Paging, frozen=True, forbid_unknown_fields=True):
    """Paging of the list of mentions."""
