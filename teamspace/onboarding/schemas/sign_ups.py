"""A sign-up: its proof of work, its answers, and what was noticed about it."""

from enum import StrEnum
from typing import Annotated, Any

import msgspec


class WorkParameters(msgspec.Struct, frozen=True, rename="camel"):
    algorithm: str
    cost: int
    key_length: int
    key_prefix: str
    key_signature: str
    nonce: str
    salt: str
    expires_at: int
    """Seconds since the epoch."""
    data: dict[str, str]
    """The experience, the origin and the difficulty: the solution counts for nothing else."""


class WorkChallenge(msgspec.Struct, frozen=True):
    """A challenge in the format of ALTCHA, version 2."""

    parameters: WorkParameters
    signature: str


class SpentWork(msgspec.Struct, frozen=True):
    """What a solved challenge says."""

    nonce: str
    expires_at: str
    difficulty: int
    age: float
    """Seconds since the challenge was made."""
    solving: float | None
    """Milliseconds that solving took, as the visitor's program says."""


class SignUp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fields: dict[str, Any]
    """The answers by the names of the fields."""
    pow: str
    """The solved challenge, as ALTCHA encodes it."""
    locale: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9-]{2,35}$")] | None = None
    """The language in which the page was shown."""


class SignedUp(msgspec.Struct, frozen=True):
    """The same for everyone, whatever the server thinks of it."""

    ok: bool = True


class Answers(msgspec.Struct, frozen=True):
    """What a visitor has entered, checked against the experience."""

    values: dict[str, str | bool]
    email: str
    trapped: bool
    """Whether the field is filled in that people do not see."""

    @property
    def prose(self) -> str:
        return "\n".join(value for value in self.values.values() if isinstance(value, str) and value != self.email)


class Visitor(msgspec.Struct, frozen=True):
    """What a request says of the program and the page that it comes from."""

    prefix: str
    """Stands for the address, for a day: a keyed hash."""
    origin: str
    languages: list[str]
    agent: str


class Doubt(StrEnum):
    """Why a sign-up may not be what it seems."""

    TRAP = "trap"
    FAST = "fast"
    CLOCK = "clock"
    VELOCITY = "velocity"
    FLOOD = "flood"
    DISPOSABLE = "disposable"
    DUPLICATE = "duplicate"
    SIMILAR = "similar"
    COPIED = "copied"
    MONOTONOUS = "monotonous"
    PROGRAM = "program"
    LANGUAGE = "language"


class TrustLevel(StrEnum):
    OK = "ok"
    SUSPICIOUS = "suspicious"
    BLOCKED = "blocked"


class Signals(msgspec.Struct, frozen=True, kw_only=True):
    """What was noticed when a prospect signed up. None of it is public."""

    score: int
    """From 0 to 100: the sum of what the doubts weigh."""
    doubts: list[Doubt]
    difficulty: int
    """How much harder the challenge was than usual."""
    solving: float | None
    """Milliseconds that solving the challenge took, as the visitor's program says."""
    age: float
    """Seconds from the challenge to the sign-up."""
    from_prefix: int
    """Earlier sign-ups from the same network in the last hour."""
    duplicates: int
    """Earlier sign-ups with the same address."""
    similar: int
    """Earlier sign-ups of the last 30 days with almost the same text."""
    entropy: float | None
    """Bits per character of the text, at the least; null if the text is short."""
    origin: str
    agent: str


class TextBand(msgspec.Struct, frozen=True):
    """A part of the fingerprint of a text: almost equal texts have at least one part in common."""

    band: str
    fingerprint: str


class ComparedText(msgspec.Struct, frozen=True):
    prospect_id: str
    fingerprint: str


class SignUpRate(msgspec.Struct, frozen=True):
    """How many have signed up from a network since its hour began."""

    count: int
    resets_at: str
