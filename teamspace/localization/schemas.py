"""The shapes of localization."""

from typing import Annotated

import msgspec

Messages = dict[str, dict[str, str]]
"""By namespace and key, each an ICU message."""


class Catalog(msgspec.Struct, frozen=True):
    """The messages for a locale. Where it has none of its own, the next of the chain has lent one."""

    locale: str
    """The first of the chain that there are messages of: numbers, dates and plurals follow it."""
    chain: list[str]
    messages: Messages


class CatalogQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    locale: Annotated[str, msgspec.Meta(max_length=40)] | None = None
