"""The outcome of checks, and what the process that loads a plugin tells the one that checks it, as JSON lines."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

Run = Callable[[str, str, Callable[[], Awaitable[str | None]]], bool]
"""Does a check: its subject, what should be true of it, and the work, which returns a note or raises."""


class Unmet(Exception):
    """A check found something wrong; the message says what."""


class Verdict(msgspec.Struct, frozen=True, tag="verdict"):
    """The outcome of one check."""

    subject: str
    """What was checked, such as `the tool greet`."""
    what: str
    """What should be true of it; reads on from the subject."""
    fault: str | None = None
    """Why it is not."""
    note: str | None = None
    """What the author should know all the same."""

    def __str__(self) -> str:
        mark, reason = ("FAIL", self.fault) if self.fault else ("ok  ", self.note and f"note: {self.note}")
        return f"{mark}  {self.subject} {self.what}{f': {reason}' if reason else ''}"


class Begun(msgspec.Struct, frozen=True, tag="begun"):
    """A check has begun: if nothing more is heard, it hangs or has ended the process."""

    subject: str
    what: str


class ToolRow(msgspec.Struct, frozen=True):
    name: str
    arguments: dict[str, Any]
    """As all of these, a JSON schema."""


class RouteRow(msgspec.Struct, frozen=True):
    method: str
    path: str
    permission: str | None
    query: dict[str, Any] | None
    body: dict[str, Any] | None


class KindRow(msgspec.Struct, frozen=True):
    kind: str
    is_requested: bool
    """Whether people can request such jobs, and this server runs them."""
    input: dict[str, Any]


class WorkflowRow(msgspec.Struct, frozen=True):
    slug: str
    inputs: dict[str, Any]


class PluginContents(msgspec.Struct, frozen=True, tag="contents"):
    """What a plugin that was loaded adds."""

    id: str
    is_shipped: bool
    tools: list[ToolRow]
    routes: list[RouteRow]
    kinds: list[KindRow]
    workflows: list[WorkflowRow]
    blob_stores: list[str]
    experience: dict[str, Any] | None
    """What the sign-up page asks."""


Line = Verdict | Begun | PluginContents


def name_store(name: str) -> str:
    """Return the subject of checks of a blob store."""
    return f"the blob store {name}"
