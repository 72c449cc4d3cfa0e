"""Structs of public links: rows, request bodies and responses."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from teamspace.core.paging import Paging
from teamspace.sharing import Moment


class LinkRow(msgspec.Struct, frozen=True):
    id: str
    object_id: str
    org_id: str
    team_id: str
    """Of the object."""
    creator_id: str
    creator_team_id: str
    """The team in which they made it."""
    name: str
    token_hash: str
    token: str
    """Encrypted."""
    password: str | None
    """A hash."""
    expires_at: str | None
    views: int
    downloads: int
    last_used_at: str | None
    created_at: str


class PublicLink(msgspec.Struct, frozen=True):
    """A public link, for people who may manage its object."""

    id: str
    name: str
    url: str | None
    """Null if the caller's token may not read the object."""
    has_password: bool
    expires_at: str | None
    works: bool
    """False if it has expired, or if its creator may not manage the object any more."""
    views: int
    downloads: int
    last_used_at: str | None
    created_by: str
    creator_name: str
    created_at: str


class PublicLinks(msgspec.Struct, frozen=True):
    items: list[PublicLink]
    """Newest first."""


Name = Annotated[str, msgspec.Meta(max_length=100)]
Password = Annotated[str, msgspec.Meta(min_length=8, max_length=200)]


class NewLink(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name = ""
    """A note for those who manage the object; visitors do not see it."""
    expires_at: Moment | None = None
    password: Password | None = None


class LinkChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Absent fields stay as they are; null removes the end or the password."""

    name: Name | UnsetType = UNSET
    expires_at: Moment | UnsetType | None = UNSET
    password: Password | UnsetType | None = UNSET


class AdministeredLink(msgspec.Struct, frozen=True):
    """A public link, for those who administer a team or a company. It gives no access to the object: it has no address."""

    id: str
    object_id: str
    title: str | None
    """Of the object; null if the caller cannot read it."""
    content_type: str | None
    team_id: str
    team_name: str
    name: str
    has_password: bool
    expires_at: str | None
    works: bool
    """False if its creator may not manage the object any more, or the object is gone."""
    views: int
    downloads: int
    last_used_at: str | None
    created_by: str
    creator_name: str
    created_at: str


class LinksQuery(Paging, frozen=True, forbid_unknown_fields=True):
    """Paging of the links of a team or a company."""


class LinkContentQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    view: Literal["1"] | None = None
    """`1` shows types that are safe in the browser, instead of saving them."""
