"""Which executors a caller may see: those shared by all companies, and those of the caller's own company."""

from teamspace.core.db import Clause, Fence
from teamspace.core.principal import Principal

_SHARED = Clause("executors.org_id = ''")
_COMPANY = Clause("executors.org_id = :org_id")
_ALL = Clause("TRUE")


def fence(who: Principal) -> Fence:
    return Fence("executors", (_SHARED, _COMPANY), {"org_id": who.org_id})


def operator_fence() -> Fence:
    """All executors, for operators."""
    return Fence("executors", (_ALL,))
