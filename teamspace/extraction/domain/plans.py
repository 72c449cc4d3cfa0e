"""Decide how to read a file."""

import msgspec

from teamspace.core import pools
from teamspace.extraction.domain import kinds, limits, plain
from teamspace.extraction.schemas import Extracted, ExtractionFailed, ExtractionReason


class ReadPlan(msgspec.Struct, frozen=True):
    kind: str
    size: int
    """How many bytes of the file are needed."""

    @property
    def is_plain(self) -> bool:
        """Whether the content is the text."""
        return self.kind == kinds.TEXT

    @property
    def is_simple(self) -> bool:
        """Whether the server extracts it in its own process: a small plain text."""
        return self.is_plain and self.size <= limits.PLAIN_BYTES

    async def read(self, data: bytes) -> Extracted:
        """Return the text of a plain file; runs in a thread."""
        assert self.is_plain
        return await pools.TEXT.run(plain.read, data)


def plan(content_type: str, filename: str, size: int) -> ReadPlan:
    kind = kinds.kind_of(content_type, filename)
    if kind is None:
        raise ExtractionFailed(ExtractionReason.UNSUPPORTED)
    if kind == kinds.TEXT:
        return ReadPlan(kind, min(size, limits.READ_BYTES))
    if size > limits.FILE_BYTES:
        raise ExtractionFailed(ExtractionReason.TOO_LARGE)
    return ReadPlan(kind, size)
