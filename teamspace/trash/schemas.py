"""Data types of the trash."""

from typing import Annotated, Literal

import msgspec

from teamspace.core.paging import Paging

TrashKind = Literal["note", "document", "file"]


class TrashItem(msgspec.Struct, frozen=True):
    """Something in the trash. `key`: of documents and files. `until`: when it is deleted for good."""

    id: str
    kind: TrashKind
    title: str
    key: str | None
    owner: str
    team_id: str
    size: int | None
    """Bytes of the newest version, of documents and files."""
    deleted_by: str
    deleted_at: str
    until: str


class TrashQuery(Paging, frozen=True, forbid_unknown_fields=True):
    """Paging of the trash."""


class Restore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`key`: restores a document or a file there, instead of at the key that it had."""

    key: Annotated[str, msgspec.Meta(max_length=1024)] | None = None


class Restored(msgspec.Struct, frozen=True):
    """What was taken out of the trash, and the key at which it is now."""

    id: str
    kind: TrashKind
    title: str
    key: str | None


class Emptied(msgspec.Struct, frozen=True):
    """How many things were deleted for good, and how many are left; of these at most 1,000 are counted."""

    deleted: int
    remaining: int
