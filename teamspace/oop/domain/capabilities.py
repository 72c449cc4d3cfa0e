"""The names of capabilities: a kind, some with what they are limited to, such as `http.fetch:api.example.com`."""

import re
from typing import NamedTuple

KINDS = ("log", "clock", "kv", "notes.read", "search", "ai.chat")
_LIMITED = {
    "repo.read": re.compile(r"[^\x00-\x1f\x7f/][^\x00-\x1f\x7f]{0,500}"),
    "http.fetch": re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?"),
}
TICKETLESS = frozenset({"log", "clock"})
"""Kinds that concern nobody, and are there also outside of a call."""


class Capability(NamedTuple):
    kind: str
    limit: str = ""
    """A prefix of keys, or a host."""

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.limit}" if self.limit else self.kind

    def covers(self, subject: str) -> bool:
        """Return whether it allows its kind of access to a key or host."""
        return subject.startswith(self.limit) if self.kind == "repo.read" else subject == self.limit


def parse(name: str) -> Capability:
    """Return a capability; raise ValueError if there is none of this name."""
    kind, _, limit = name.partition(":")
    if name in KINDS:
        return Capability(name)
    if kind in _LIMITED and _LIMITED[kind].fullmatch(limit):
        return Capability(kind, limit)
    known = [*KINDS, *(f"{each}:…" for each in _LIMITED)]
    raise ValueError(f"there is no capability {name[:100]!r}; there are {', '.join(known)}")
