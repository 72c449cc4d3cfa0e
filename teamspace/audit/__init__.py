"""Reads, exports and verifies the audit log; the kernel writes it."""

from teamspace.audit.domain.head_log import HeadLog
from teamspace.audit.domain.verification import verify_file
from teamspace.core.db.audit import chain_heads

__all__ = ["HeadLog", "chain_heads", "verify_file"]
