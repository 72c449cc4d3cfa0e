"""Schemas of the audit log."""

from typing import Annotated, Any, Literal

import msgspec

from teamspace.core.db import Fence
from teamspace.core.paging import Paging

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
Time = Annotated[str, msgspec.Meta(max_length=100, extra_json_schema={"format": "date-time"})]


class Actor(msgspec.Struct, frozen=True):
    """Who did it. `id` is a person's; null for the server, the hosting provider, a worker or an anonymous caller."""

    kind: str
    id: str | None
    username: str | None
    """Null if there is no person, or the account was deleted."""


class AuditEvent(msgspec.Struct, frozen=True):
    """One audit row. `seq` and `hash` are null until it is sealed, moments later."""

    id: str
    at: str
    actor: Actor
    action: str
    target: str | None
    detail: dict[str, Any]
    team_id: str | None
    request_id: str
    address: str
    seq: int | None
    hash: str | None


class EventRow(msgspec.Struct, frozen=True):
    """A stored audit row with the current username of its actor."""

    id: str
    at: str
    actor_kind: str
    actor_id: str | None
    username: str | None
    action: str
    target: str | None
    detail: dict[str, Any]
    team_id: str | None
    request_id: str
    address: str
    seq: int | None
    hash: str | None


class AuditQuery(Paging, frozen=True, forbid_unknown_fields=True):
    actor: Text | None = None
    """A person's id, or another kind of actor: system, provision, anonymous or worker."""
    action: Text | None = None
    """An action such as `note.create`, or a prefix that ends with a dot, such as `note.`."""
    target: Text | None = None
    """The id of the target."""
    since: Time | None = None
    """Start time, inclusive."""
    until: Time | None = None
    """End time, exclusive."""
    format: Literal["json", "jsonl"] | None = None
    """`jsonl` exports the whole log, like `Accept: application/x-ndjson`."""


class TeamAuditQuery(AuditQuery, frozen=True, forbid_unknown_fields=True):
    scope: Literal["instance"] | None = None
    """`instance` selects the rows that belong to no company, for operators."""


class AuditSearch(msgspec.Struct, frozen=True):
    """A search in the audit log: the rows within the fence that match all filters."""

    fence: Fence
    filters: dict[str, str]
    actions: tuple[str, ...]
    """Match one of these; any if empty."""
    first: str
    """The id range: from `first` to below `end`."""
    end: str
