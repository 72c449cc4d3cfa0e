"""The names of capabilities: a kind, some with what they are limited to, such as `http.fetch:api.example.com`."""

import re
from typing import NamedTuple

SECRET_NAME = r"[A-Za-z][A-Za-z0-9_-]{0,63}"
KINDS = ("log", "clock", "kv", "notes.read", "search", "kg.read", "ai.chat", "ai.translate")
_PREFIX = re.compile(r"[^\x00-\x1f\x7f/][^\x00-\x1f\x7f]{0,500}")
_LIMITED = {
    "repo.read": _PREFIX,
    "repo.write": _PREFIX,
    "jobs.enqueue": re.compile(r"[a-z][a-z0-9._-]{0,99}"),
    "secret": re.compile(SECRET_NAME),
    "http.fetch": re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?"),
}
TICKETLESS = frozenset({"log", "clock"})
"""Kinds that concern nobody, and are there also outside of a call."""


class Capability(NamedTuple):
    kind: str
    limit: str = ""
    """A prefix of keys, a kind of job, the name of a secret, or a host."""

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.limit}" if self.limit else self.kind

    def covers(self, subject: str) -> bool:
        """Return whether it allows its kind of access to a key, a kind of job, a secret or a host."""
        return subject.startswith(self.limit) if _LIMITED.get(self.kind) is _PREFIX else subject == self.limit


def parse(name: str) -> Capability:
    """Return a capability; raise ValueError if there is none of this name."""
    kind, _, limit = name.partition(":")
    if name in KINDS:
        return Capability(name)
    if kind in _LIMITED and _LIMITED[kind].fullmatch(limit):
        return Capability(kind, limit)
    known = [*KINDS, *(f"{each}:…" for each in _LIMITED)]
    raise ValueError(f"there is no capability {name[:100]!r}; there are {', '.join(known)}")
