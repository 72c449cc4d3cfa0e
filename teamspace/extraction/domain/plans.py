"""How a file is to be read."""

import msgspec

from teamspace.core import pools
from teamspace.extraction.domain import kinds, limits, plain
from teamspace.extraction.schemas import Extracted, ExtractionFailed, Reason


class Plan(msgspec.Struct, frozen=True):
    kind: str
    size: int
    """How much of the file is needed."""

    @property
    def is_simple(self) -> bool:
        """Whether the server may read it by itself: a plain text that is not large."""
        return self.kind == kinds.TEXT and self.size <= limits.PLAIN_BYTES

    async def read(self, data: bytes) -> Extracted:
        """Of a simple one, the text; off the loop."""
        assert self.is_simple
        return await pools.TEXT.run(plain.read, data)


def plan(content_type: str, filename: str, size: int) -> Plan:
    kind = kinds.kind_of(content_type, filename)
    if kind is None:
        raise ExtractionFailed(Reason.UNSUPPORTED)
    if kind == kinds.TEXT:
        return Plan(kind, min(size, limits.READ_BYTES))
    if size > limits.FILE_BYTES:
        raise ExtractionFailed(Reason.TOO_LARGE)
    return Plan(kind, size)
