"""Text extraction from files. Parsers run in a sandboxed process: no network, no file access, limited memory and time."""

from teamspace.extraction.domain.kinds import can_read
from teamspace.extraction.domain.plans import ReadPlan, plan
from teamspace.extraction.domain.readers import ReaderPool
from teamspace.extraction.schemas import Extracted, ExtractionFailed, ExtractionReason

__all__ = ["Extracted", "ExtractionFailed", "ExtractionReason", "ReadPlan", "ReaderPool", "can_read", "plan"]
