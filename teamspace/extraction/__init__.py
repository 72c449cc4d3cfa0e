"""Text extraction from files. Parsers run in a sandboxed process: no network, no file access, limited memory and time."""

from teamspace.extraction.domain.kinds import can_read
from teamspace.extraction.domain.plans import ReadPlan, plan
from teamspace.extraction.domain.readers import ReaderPool, Waiting
from teamspace.extraction.schemas import Extracted, ExtractionFailed, ExtractionReason

__all__ = ["Extracted", "ExtractionFailed", "ExtractionReason", "ReadPlan", "ReaderPool", "Waiting", "can_read", "plan"]
