"""The row types of the tables that the server collects at boot, besides routes."""

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import msgspec

from teamspace.core.permissions import Feature, Permission


class On(msgspec.Struct, frozen=True):
    """A listener: `handler(tx, event)` runs inside the transaction that emitted the event."""

    event: type
    handler: str
    doc: str


class Job(msgspec.Struct, frozen=True):
    """A kind of background work. The handler's annotations say what goes in and what must come out.

    Functions are named, and found in the table's own module.
    """

    kind: str
    handler: str | None
    """None when only remote workers can do it; then `input` and `result` say what its annotations would."""
    doc: str
    callable: bool = False
    """Whether people may ask for it, or only the server itself."""
    permission: Permission | None = None
    feature: Feature | None = None
    """What the route that it stands for asks for: of whoever asks for the job, and when it is done here."""
    remote: bool = False
    """Whether a remote worker may claim it."""
    attempts: int = 3
    seconds: float = 600
    """How long one attempt may take here."""
    estimate: str | None = None
    """From the input to what it will probably spend; None for what is not metered."""
    spent: str | None = None
    """From the result to what it has spent."""
    check: str | None = None
    """From input and result to what is wrong with the result, or None."""
    on_failure: str | None = None
    """Called with the transaction in which a job ends without a result, who asked for it, its input, and the reason."""
    input: type[msgspec.Struct] | None = None
    result: type[msgspec.Struct] | None = None


class Invariant(msgspec.Struct, frozen=True):
    """Something that is always true: the query finds what breaks it, and must find nothing."""

    name: str
    doc: str
    sql: str


class Count(msgspec.Struct, frozen=True):
    """How many there are of something, for whoever runs the instance."""

    name: str
    sql: str


class Kept(msgspec.Struct, frozen=True):
    """A column that names blobs: the bytes of a row are kept for as long as the row is."""

    table: str
    column: str
    """Holds the digest; the row's org_id is the namespace."""


class Owned(msgspec.Struct, frozen=True):
    """A table whose rows belong to a person in a team, by `owner_id`, `team_id` and `org_id`: they can be passed on."""

    table: str


class SealedColumn(msgspec.Struct, frozen=True):
    """A column whose values the vault sealed, each to its own place: `table|column|key`."""

    table: str
    column: str
    key: str
    """SQL for the last part of the place; it identifies the row."""
    where: str = "TRUE"


def collected(modules: Iterable[ModuleType]) -> dict[type, list[Callable[..., Any]]]:
    """The listeners of every module's LISTENERS table, by event."""
    listeners: dict[type, list[Callable[..., Any]]] = {}
    for module in modules:
        for row in module.LISTENERS:
            listeners.setdefault(row.event, []).append(getattr(module, row.handler))
    return listeners
