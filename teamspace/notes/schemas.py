"""Data types of notes."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission
from teamspace.core.permissions import Permission as P
from teamspace.sharing import Grant, OwnedRow, PrincipalType, Shareable

NOTES = Shareable(
    "notes", "note", (P.NOTES_READ, P.NOTES_WRITE, P.NOTES_DELETE, P.NOTES_MANAGE), repeated=("trashed_at",), trash=True
)
Visibility = Literal["private", "team", "shared"]
Title = Annotated[str, msgspec.Meta(max_length=1000)]
Body = Annotated[str, msgspec.Meta(max_length=500_000)]
Tags = Annotated[list[Annotated[str, msgspec.Meta(max_length=200)]], msgspec.Meta(max_length=50)]


class NoteRow(OwnedRow, frozen=True):
    """A note as stored."""

    title: str
    body: str
    visibility: Visibility
    tags: list[str]
    version: int
    created_at: str
    updated_at: str


class NoteGrantRow(NoteRow, frozen=True):
    """A note joined with one of its grants, or with none."""

    principal_type: PrincipalType | None
    principal_id: str | None
    permission: Permission | None
    expires_at: str | None


class Note(msgspec.Struct, frozen=True):
    id: str
    title: str
    body: str
    visibility: Visibility
    tags: list[str]
    owner: str
    team_id: str
    shared_with: list[Grant]
    version: int
    created_at: str
    updated_at: str


class NotePassage(msgspec.Struct, frozen=True):
    """A note with a passage of its body: the characters from `start` up to `end` of `total`."""

    id: str
    version: int
    title: str
    tags: list[str]
    updated_at: str
    start: int
    end: int
    total: int
    body: str


class NoteItem(msgspec.Struct, frozen=True):
    """A note in a list, with an excerpt instead of its body."""

    id: str
    title: str
    excerpt: str
    visibility: Visibility
    tags: list[str]
    owner: str
    team_id: str
    version: int
    created_at: str
    updated_at: str


class NewNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: Title
    body: Body = ""
    visibility: Visibility = "private"
    tags: Tags = []


class TrashedNote(OwnedRow, frozen=True):
    """A note in the trash."""

    title: str
    visibility: Visibility
    trashed_at: str
    trashed_by: str


class NoteChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields to change; absent fields stay."""

    title: Title | UnsetType = UNSET
    body: Body | UnsetType = UNSET
    visibility: Visibility | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET


class NoteQuery(Paging, frozen=True, forbid_unknown_fields=True):
    scope: Literal["org"] | None = None
    """`org` lists the whole company's notes; needs org:read."""
    shared: Literal["1"] | None = None
    """`1` lists only notes that others shared with the caller."""
    visibility: Visibility | None = None
    tag: Annotated[str, msgspec.Meta(max_length=200)] | None = None
    owner: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    """A person's id, or `me`."""
