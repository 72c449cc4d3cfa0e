"""Data types of text documents."""

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission
from teamspace.repository import Visibility

Title = Annotated[str, msgspec.Meta(max_length=1000)]
Tags = Annotated[list[Annotated[str, msgspec.Meta(max_length=200)]], msgspec.Meta(max_length=50)]
Body = Annotated[str, msgspec.Meta(max_length=500_000)]


class DocumentItem(msgspec.Struct, frozen=True):
    id: str
    title: str
    key: str
    content_type: str
    visibility: Visibility
    tags: list[str]
    owner: str
    team_id: str
    size: int
    version: int
    created_at: str
    updated_at: str
    has_public_link: bool
    """Whether it has a public link that has not expired."""


class Document(DocumentItem, frozen=True):
    body: str
    permissions: list[Permission]
    """What the caller may do with it."""


class DocumentPassage(msgspec.Struct, frozen=True):
    """A passage of a version's text: the characters from `start` up to `end` of `total`."""

    object_id: str
    version: int
    version_id: str
    title: str
    start: int
    end: int
    total: int
    text: str


class NewDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: Title
    body: Body = ""
    visibility: Visibility = "private"
    tags: Tags = []


class DocumentChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields to change; absent fields stay."""

    title: Title | UnsetType = UNSET
    body: Body | UnsetType = UNSET
    visibility: Visibility | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET


class DocumentQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: Annotated[int, msgspec.Meta(ge=1, lt=2**53)] | None = None
    """The number of a version; the newest by default."""


class DocumentsQuery(Paging, frozen=True, forbid_unknown_fields=True):
    tag: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    """Only documents with this tag."""
