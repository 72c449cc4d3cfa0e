"""Structs of public links: rows, request bodies and responses."""

from typing import Annotated, Literal

import msgspec


class LinkRow(msgspec.Struct, frozen=True):
    id: str
    object_id: str
    org_id: str
    team_id: str
    creator_id: str
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


class NewLink(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(max_length=100)] = ""
    """A note for those who manage the object; visitors do not see it."""
    expires_at: Annotated[str, msgspec.Meta(max_length=40)] | None = None
    password: Annotated[str, msgspec.Meta(min_length=8, max_length=200)] | None = None


class LinkContentQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    view: Literal["1"] | None = None
    """`1` shows types that are safe in the browser, instead of saving them."""
