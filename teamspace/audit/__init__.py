"""Reading the audit trail, taking it out and verifying it; the kernel writes it."""

from teamspace.audit.domain.verification import verify_file
from teamspace.audit.domain.witness import Witness
from teamspace.core.db.audit import heads

__all__ = ["Witness", "heads", "verify_file"]
