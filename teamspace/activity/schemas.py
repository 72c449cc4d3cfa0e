"""Data types of the activity of a team."""

from enum import StrEnum

import msgspec

from teamspace.core.db import Fence
from teamspace.core.paging import Paging


class ActivityVerb(StrEnum):
    CREATED = "created"
    EDITED = "edited"
    SHARED = "shared"
    RAN = "ran"
    """Started a run, which has ended."""


class ActivityRow(msgspec.Struct, frozen=True):
    """A row of the audit log: who did what with which thing."""

    id: str
    at: str
    actor_id: str | None
    action: str
    target: str | None


class ActivityThing(msgspec.Struct, frozen=True):
    """Something that the caller can read."""

    id: str
    kind: str
    title: str
    state: str | None


class ActivityKind(msgspec.Struct, frozen=True):
    """A kind of thing, as the audit log names it, and how to describe its rows in SQL."""

    name: str
    fence: Fence
    """The rows that the caller can read."""
    kind: str
    title: str
    state: str = "NULL"
    condition: str = "TRUE"
    """Which of the rows are shown."""


class ActivityItem(msgspec.Struct, frozen=True):
    """What one person did with one thing."""

    kind: str
    """`note`, `document`, `file`, `conversation` or `run`."""
    id: str
    title: str
    """Of a run the name of its workflow."""
    verb: ActivityVerb
    actor: str
    """The id of the person."""
    times: int
    """How often; several edits in a row of the list are one item."""
    at: str
    """The last time."""
    state: str | None
    """Of a run."""


class ActivityQuery(Paging, frozen=True, forbid_unknown_fields=True):
    """Paging of the activity."""


class SharedItem(msgspec.Struct, frozen=True):
    """Something that another person shared with the caller or with their team."""

    kind: str
    """`note`, `document`, `file` or `conversation`."""
    id: str
    title: str
    shared_by: str
    """The id of the person."""
    shared_at: str


class SharedQuery(Paging, frozen=True, forbid_unknown_fields=True):
    """Paging of what others shared."""
