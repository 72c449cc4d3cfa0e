"""Structs of events and streams."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, Protocol

import msgspec

from teamspace.core.db import Fence
from teamspace.core.permissions import Permission
from teamspace.core.principal import Principal


class Change(StrEnum):
    CREATED = "created"
    UPDATED = "updated"
    DELETED = "deleted"


class ChangedSubject(msgspec.Struct, frozen=True):
    """A thing that changed, and where it belongs."""

    id: str
    org_id: str
    team_id: str


class Position(NamedTuple):
    """A place in the log. Rows become visible in this order."""

    transaction_id: int
    id: int


class Event(msgspec.Struct, frozen=True):
    """One row of the log: which thing changed, and how. Never its content."""

    transaction_id: int
    id: int
    org_id: str
    team_id: str | None
    kind: str
    subject_id: str
    change: Change
    readers: list[str] | None
    """Who could read a thing that is gone or was withdrawn: `user:…`, `team:…`, `role:…`, `org:…`; see `Readers`."""
    path: str | None

    @property
    def position(self) -> Position:
        return Position(self.transaction_id, self.id)


class EventSubject(msgspec.Struct, frozen=True):
    """A kind of thing whose changes people are told about, and the rule that says whom."""

    kind: str
    permission: Permission | None = None
    """What reading it needs: in a token's scope, and of the role if access is by role."""
    fences: Callable[[Principal], tuple[Fence, ...]] | None = None
    """The rows that a caller can read, in one or more tables. None: it has no row, and concerns the whole team."""


class CurrentCaller(Protocol):
    """The rights of a credential as they are now."""

    @property
    def principal(self) -> Principal: ...

    @property
    def expires_at(self) -> float: ...


class StreamRow(msgspec.Struct, frozen=True):
    """One row of a stream; `data` is a JSON object."""

    number: int
    name: str
    data: bytes
    is_last: bool = False


class StreamState(msgspec.Struct, frozen=True):
    """How far a stream is in the database."""

    saved: int
    """The number of its newest row."""
    ended: bool


class OpenStream(msgspec.Struct, frozen=True):
    """A stream that has not ended; its row is locked."""

    id: str
    saved: int


class StreamBatch(msgspec.Struct, frozen=True):
    """Rows that are saved together; `content` is a JSON list of [name, data]."""

    stream_id: str
    first: int
    last: int
    content: str
