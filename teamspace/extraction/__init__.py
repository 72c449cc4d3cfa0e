"""Text from files. What takes a parser is read in a process that can do nothing but read: no network, no files, little
memory and time."""

from teamspace.extraction.domain.kinds import can_read
from teamspace.extraction.domain.plans import Plan, plan
from teamspace.extraction.domain.readers import Readers
from teamspace.extraction.schemas import Extracted, ExtractionFailed, Reason

__all__ = ["Extracted", "ExtractionFailed", "Plan", "Readers", "Reason", "can_read", "plan"]
