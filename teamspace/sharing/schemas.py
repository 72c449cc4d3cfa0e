"""Data types of sharing."""

from collections.abc import Callable
from typing import Annotated, Generic, Literal, TypeVar

import msgspec

from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission

Level = TypeVar("Level", bound=str)
PrincipalType = Literal["user", "team"]
Id = Annotated[str, msgspec.Meta(max_length=100)]
Moment = Annotated[str, msgspec.Meta(max_length=40)]
Rule = Literal["owner", "team_role", "grant", "team_grant", "company_role"]


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


def not_expired(grants: str) -> str:
    """Return the condition that a grant has not expired; asked with each statement, so it ends at once."""
    return f"({grants}.expires_at IS NULL OR {grants}.expires_at > moment(0))"


class OwnedRow(msgspec.Struct, frozen=True):
    """The columns that say whose a row is."""

    id: str
    org_id: str
    team_id: str
    owner_id: str


class ShareRow(msgspec.Struct, frozen=True):
    """A grant as stored."""

    principal_type: PrincipalType
    principal_id: str
    permission: Permission
    granted_by: str
    expires_at: str | None
    created_at: str
    expired: bool


class Grant(msgspec.Struct, frozen=True):
    """A person or a team something is shared with, their permission, and until when."""

    user_id: str | None
    """The person; null for a team."""
    permission: Permission
    principal_type: PrincipalType
    principal_id: str
    expires_at: str | None


class NamedGrant(Grant, frozen=True):
    """A grant as managers see it: also one that has expired."""

    name: str
    granted_by: str
    expired: bool
    created_at: str


class NamedPrincipal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person by `user_id`, or a person or a team by type and id."""

    user_id: Id | None = None
    principal_type: PrincipalType | None = None
    principal_id: Id | None = None


class Share(NamedPrincipal, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`permission` is one that the route names; null removes the share. Without `expires_at` it has no end."""

    permission: Permission | None
    expires_at: Moment | None = None


class Shares(msgspec.Struct, frozen=True):
    items: list[Grant]


class GrantsQuery(Paging, frozen=True, forbid_unknown_fields=True):
    effective: Literal["1"] | None = None
    """`1` also lists everyone who can see the thing, and why."""


class Held(msgspec.Struct, Generic[Level], frozen=True):
    """What the rules ask of a grant that has not expired."""

    principal_type: PrincipalType
    principal_id: str
    level: Level
    expires_at: str | None


class Levels(msgspec.Struct, Generic[Level], frozen=True):
    """What a kind of thing calls the access that its rules give."""

    owner: Level
    read: Level
    by_role: Callable[[frozenset[Permission]], Level | None] | None
    """What a role in the thing's team gives; without it, the thing is not visible to the team."""


class ReaderReason(msgspec.Struct, frozen=True):
    """A rule that gives a person a permission. `via` is the team, for rules about a team."""

    rule: Rule
    permission: Permission
    via: str | None = None
    expires_at: str | None = None


class ExplainedReader(msgspec.Struct, frozen=True):
    """A person who can see a note or a conversation, and why."""

    user_id: str
    username: str
    display_name: str
    reasons: list[ReaderReason]


class NamedGrants(msgspec.Struct, frozen=True):
    items: list[NamedGrant]
    effective: list[ExplainedReader] | None = None
    """Everyone who can see it, with `?effective=1`."""
    next_cursor: str | None = None
