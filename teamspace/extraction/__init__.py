"""Text from files, read in a child process that can do nothing but read: no network, no files, little memory and time."""

from teamspace.extraction.domain.kinds import can_read
from teamspace.extraction.domain.limits import FILE_BYTES
from teamspace.extraction.domain.running import extract
from teamspace.extraction.schemas import Extracted, ExtractionFailed, Reason

__all__ = ["FILE_BYTES", "Extracted", "ExtractionFailed", "Reason", "can_read", "extract"]
