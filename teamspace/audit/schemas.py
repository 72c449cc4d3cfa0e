"""The shapes of the audit trail."""

from typing import Annotated, Any, Literal

import msgspec

from teamspace.core.db import Fence
from teamspace.core.paging import Paging

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
Time = Annotated[str, msgspec.Meta(max_length=100, extra_json_schema={"format": "date-time"})]


class Actor(msgspec.Struct, frozen=True):
    """Who did it: `id` is a person's, and null for the server itself, for hosting, a worker or nobody known."""

    kind: str
    id: str | None
    username: str | None
    """Null when there is no person, or no longer."""


class Event(msgspec.Struct, frozen=True):
    """One thing that was done. `seq` and `hash` are null for the moment until it is sealed."""

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
    """An event as it is stored, beside the present name of whoever did it."""

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


class TrailQuery(Paging, frozen=True, forbid_unknown_fields=True):
    actor: Text | None = None
    """A person's id, or the kind of one who is no person: system, provision, anonymous or worker."""
    action: Text | None = None
    """`note.create`, or all that begins with `note.`: with its dot."""
    target: Text | None = None
    """The id of what was acted upon."""
    since: Time | None = None
    """The first moment that belongs."""
    until: Time | None = None
    """The first moment that does not belong any more."""
    format: Literal["json", "jsonl"] | None = None
    """`jsonl` exports the whole trail, as `Accept: application/x-ndjson` does."""


class TeamTrailQuery(TrailQuery, frozen=True, forbid_unknown_fields=True):
    scope: Literal["instance"] | None = None
    """`instance` reads what belongs to no company, for operators."""


class Search(msgspec.Struct, frozen=True):
    """What is wanted of a trail: the rows of the fence that pass every filter."""

    fence: Fence
    filters: dict[str, str]
    actions: tuple[str, ...]
    """One of these, or any when there is none."""
    first: str
    """Below this id nothing passes, nor does anything from `end` on."""
    end: str
