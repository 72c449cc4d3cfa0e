"""The row types of the tables that the server collects at boot, besides routes."""

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import msgspec


class On(msgspec.Struct, frozen=True):
    """A listener: `handler(tx, event)` runs inside the transaction that emitted the event."""

    event: type
    handler: str
    doc: str


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
