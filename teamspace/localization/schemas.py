"""Schemas of localization."""

from typing import Annotated

import msgspec

from teamspace.core.messages import Messages


class Catalog(msgspec.Struct, frozen=True):
    """The messages for a locale. Missing ones come from the next locale of the chain."""

    locale: str
    """The first locale of the chain that has messages; use it for numbers, dates and plurals."""
    chain: list[str]
    messages: Messages


class CatalogFile(msgspec.Struct, frozen=True):
    """A catalog as it is served for good."""

    name: str
    body: bytes
    packed: bytes
    """The same, compressed by gzip."""


class CatalogQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    locale: Annotated[str, msgspec.Meta(max_length=40)] | None = None
