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


class Thumbnails(msgspec.Struct, frozen=True):
    """Two pictures of a file, as WebP."""

    packed: bytes
    """The length of the small one in four bytes, the small one, the large one."""

    @property
    def small(self) -> bytes:
        return self.packed[4 : self._end]

    @property
    def large(self) -> bytes:
        return self.packed[self._end :]

    @property
    def is_valid(self) -> bool:
        """Whether both look like pictures: a malicious file may have taken over what has drawn them."""
        return all(each[:4] == b"RIFF" and each[8:12] == b"WEBP" for each in (self.small, self.large))

    @property
    def _end(self) -> int:
        return 4 + int.from_bytes(self.packed[:4], "big")


class ReaderHeader(msgspec.Struct, frozen=True):
    """The first line of a child process's output; the text or the pictures follow."""

    reason: ExtractionReason | None = None
    truncated: bool = False
    isolation: tuple[str, ...] = ()
    """The sandbox layers that were active: `network` (namespace), `calls` (system call filter)."""
