"""Data types of sharing."""

from typing import Annotated

import msgspec

from teamspace.core.permissions import Permission


class Shareable(msgspec.Struct, frozen=True):
    """A table whose rows their owners can share.

    The grants of the kind `note` are in the table `note_grants`, with the id of the note in `note_id`.
    """

    table: str
    """It has the columns of `OwnedRow`."""
    name: str
    """The kind of its rows in the audit log, in the event log and in the full-text index."""
    ladder: tuple[Permission, ...]
    """The permissions that can be granted, in ascending order; each includes those before it."""
    repeated: tuple[str, ...] = ()
    """Columns that the grants repeat, to have an index in their order."""
    trash: bool = False
    """Whether deleted rows go to the trash: rows have `trashed_at` and `trashed_by`, and grants repeat the former."""

    @property
    def grants(self) -> str:
        return f"{self.name}_grants"

    @property
    def in_use(self) -> str:
        """The condition that a row is not in the trash."""
        return f"{self.table}.trashed_at IS NULL" if self.trash else "TRUE"

    @property
    def key(self) -> str:
        return f"{self.name}_id"


class OwnedRow(msgspec.Struct, frozen=True):
    """The columns that say whose a row is."""

    id: str
    org_id: str
    team_id: str
    owner_id: str


class Grant(msgspec.Struct, frozen=True):
    """A person something is shared with, and their permission."""

    user_id: str
    permission: Permission


class Share(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`permission` is one that the route names; null removes the share."""

    user_id: Annotated[str, msgspec.Meta(max_length=100)]
    permission: Permission | None


class Shares(msgspec.Struct, frozen=True):
    items: list[Grant]
