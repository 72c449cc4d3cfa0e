"""Text and thumbnails of files. Parsers run in a sandboxed process: no network, no file access, limited memory and time."""

from teamspace.extraction.domain.kinds import can_read, drawn_kind_of
from teamspace.extraction.domain.limits import FILE_BYTES
from teamspace.extraction.domain.plans import ReadPlan, plan
from teamspace.extraction.domain.readers import ReaderPool, Waiting
from teamspace.extraction.schemas import Extracted, ExtractionFailed, ExtractionReason, Thumbnails

__all__ = [
    "FILE_BYTES",
    "Extracted",
    "ExtractionFailed",
    "ExtractionReason",
    "ReadPlan",
    "ReaderPool",
    "Thumbnails",
    "Waiting",
    "can_read",
    "drawn_kind_of",
    "plan",
]
