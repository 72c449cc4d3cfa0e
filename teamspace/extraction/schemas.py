"""Data types of text extraction."""

from enum import StrEnum

import msgspec


class ExtractionReason(StrEnum):
    """Why no text was extracted."""

    UNSUPPORTED = "unsupported"
    """No parser for files of this type."""
    TOO_LARGE = "too_large"
    DAMAGED = "damaged"
    """The file is broken or not of the declared type."""
    ENCRYPTED = "encrypted"
    UNPACKS_TOO_MUCH = "unpacks_too_much"
    TOOK_TOO_LONG = "took_too_long"
    TOO_MUCH_MEMORY = "too_much_memory"
    NO_TEXT = "no_text"
    """The file has no text, for example only images."""
    CRASHED = "crashed"


class ExtractionFailed(Exception):
    def __init__(self, reason: ExtractionReason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class Extracted(msgspec.Struct, frozen=True):
    text: str
    truncated: bool
    """Whether the text was cut at the limit."""


class ReaderHeader(msgspec.Struct, frozen=True):
    """The first line of a child process's output; the text follows."""

    reason: ExtractionReason | None = None
    truncated: bool = False
    isolation: tuple[str, ...] = ()
    """The sandbox layers that were active: `network` (namespace), `calls` (system call filter)."""
