"""Data types of favourites and recents."""

from typing import Literal

import msgspec

from teamspace.core.db import Fence

MAX_FAVOURITES = 200
KEPT_RECENTS = 50
Shelf = Literal["favourites", "recents"]
"""A table of shortcuts; both have the same columns."""


class Shortcut(msgspec.Struct, frozen=True):
    """Something that the caller can open."""

    kind: str
    """`note`, `document`, `file`, `conversation` or `workflow`."""
    id: str
    """Of a workflow its slug."""
    title: str
    at: str
    """When it was starred, or last opened."""


class Shortcuts(msgspec.Struct, frozen=True):
    items: list[Shortcut]
    """The newest first."""


class ShortcutKind(msgspec.Struct, frozen=True):
    """A kind of thing that can be starred and opened."""

    name: str
    fence: Fence
    """The rows of this kind that the caller can read."""
    id: str
    title: str
    """Expressions of the id and the title, in SQL."""
