"""The shapes of text extraction."""

from enum import StrEnum

import msgspec


class Reason(StrEnum):
    """Why there is no text."""

    UNSUPPORTED = "unsupported"
    """Nobody here reads files of this kind."""
    TOO_LARGE = "too_large"
    DAMAGED = "damaged"
    """It is not what it says it is, or broken."""
    ENCRYPTED = "encrypted"
    UNPACKS_TOO_MUCH = "unpacks_too_much"
    TOOK_TOO_LONG = "took_too_long"
    TOO_MUCH_MEMORY = "too_much_memory"
    NO_TEXT = "no_text"
    """It holds pictures only, or means to hold more than anybody could read."""
    CRASHED = "crashed"


class ExtractionFailed(Exception):
    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Extracted(msgspec.Struct, frozen=True):
    text: str
    truncated: bool
    """Whether there was more than is kept."""


class Told(msgspec.Struct, frozen=True):
    """The first line of what a child process says; the text follows it."""

    reason: Reason | None = None
    truncated: bool = False
    walls: tuple[str, ...] = ()
    """What kept it from network, files and other processes while it read."""
