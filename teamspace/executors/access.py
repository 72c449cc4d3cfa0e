"""Which executors a caller may see: those that work for all, and those of the caller's own company."""

from teamspace.core.db import Fence, Way
from teamspace.core.principal import Principal

_COMMON = Way("executors.org_id = ''")
_COMPANY = Way("executors.org_id = :org_id")
_ALL = Way("TRUE")


def fence(who: Principal) -> Fence:
    return Fence("executors", (_COMMON, _COMPANY), {"org_id": who.org_id})


def everywhere() -> Fence:
    """For those who run the instance."""
    return Fence("executors", (_ALL,))
