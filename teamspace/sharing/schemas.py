"""Data types of sharing."""

from collections.abc import Callable
from typing import Annotated, Generic, Literal, TypeVar

import msgspec

from teamspace.core.db import NOW
from teamspace.core.paging import Paging
from teamspace.core.permissions import Permission

Level = TypeVar("Level", bound=str)
PrincipalType = Literal["user", "team"]
Id = Annotated[str, msgspec.Meta(max_length=100)]
Moment = Annotated[str, msgspec.Meta(max_length=40)]
PRINCIPALS = (("user", ":user_id"), ("team", ":team_id"))
"""The types of principals that grants are for, with the caller's."""
Rule = Literal["owner", "team_role", "grant", "team_grant", "company_role"]


GRANTED = ("note", "object", "conversation")
"""The kinds of things that can be shared. The grants of each are in a table of its own, such as `note_grants`."""


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
    return f"({grants}.expires_at IS NULL OR {grants}.expires_at > {NOW})"


class OwnedRow(msgspec.Struct, frozen=True):
    """The columns that say whose a row is."""

    id: str
    org_id: str
    team_id: str
    owner_id: str


class GrantRow(msgspec.Struct, Generic[Level], frozen=True):
    """A grant as stored, for every kind of thing. `level` is a permission, or an access level of objects."""

    principal_type: PrincipalType
    principal_id: str
    level: Level
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


class GrantDetails(Grant, frozen=True):
    """A grant as those see it who manage the thing: with names, also one that has expired."""

    name: str
    granted_by: str
    expired: bool
    created_at: str


GRANT_COLUMNS = (
    "principal_type, principal_id, {level}, granted_by, expires_at, created_at,"
    " expires_at IS NOT NULL AND expires_at <= moment(0)"
)
"""The columns of a `GrantRow`; `level` is the one of the table."""


class ReceivedGrant(msgspec.Struct, frozen=True):
    """A grant to the caller or to their team."""

    kind: str
    id: str
    """Of the thing."""
    granted_by: str
    created_at: str
    is_newest: bool
    """Whether it has not expired, another person gave it, and of those it is the newest for its thing."""


class NamedPrincipal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person by `user_id`, or a person or a team by type and id."""

    user_id: Id | None = None
    principal_type: PrincipalType | None = None
    principal_id: Id | None = None


class ShareRequest(NamedPrincipal, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`permission` is one that the route names; null removes the share. Without `expires_at` it has no end."""

    permission: Permission | None
    expires_at: Moment | None = None


class Grants(msgspec.Struct, frozen=True):
    items: list[Grant]


class GrantsQuery(Paging, frozen=True, forbid_unknown_fields=True):
    effective: Literal["1"] | None = None
    """`1` also lists everyone who can see the thing, and why."""


class Levels(msgspec.Struct, Generic[Level], frozen=True):
    """What a kind of thing calls the access that its rules give."""

    owner: Level
    read: Level
    by_role: Callable[[frozenset[Permission]], Level | None] | None
    """What a role in the thing's team gives; without it, the thing is not visible to the team."""


class AccessReason(msgspec.Struct, frozen=True):
    """A rule that gives a person a permission. `via` is the team, for rules about a team."""

    rule: Rule
    permission: Permission
    via: str | None = None
    expires_at: str | None = None


class EffectiveReader(msgspec.Struct, frozen=True):
    """A person who can see a note or a conversation, and why."""

    user_id: str
    username: str
    display_name: str
    reasons: list[AccessReason]


class GrantListing(msgspec.Struct, frozen=True):
    items: list[GrantDetails]
    effective: list[EffectiveReader] | None = None
    """Everyone who can see it, with `?effective=1`."""
    next_cursor: str | None = None
